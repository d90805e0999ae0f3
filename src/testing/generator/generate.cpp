#include "psi/testing/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "testing/generator/function_generator.h"

namespace psi {
namespace {

using testing::Environment;
using testing::FunctionGenerator;
using testing::FunctionPlan;

constexpr std::array<std::string_view, 4> kShapeNames = {"structured", "irreducible", "straight", "mixed"};

// The signature of functions called through tables.
const Signature& table_signature() {
  static const Signature kSignature = {Type::i32, {Type::i32, Type::i64}, false};
  return kSignature;
}

class ModuleGenerator {
 public:
  explicit ModuleGenerator(const GenerateOptions& options)
      : options_(options), random_(options.seed), environment_(module_, options_, random_) {}

  Module run() {
    module_.set_pointer_bits(options_.pointer_bits);
    uint64_t size = std::max<uint64_t>(options_.size, 1);
    uint64_t max_steps = options_.max_steps ? options_.max_steps : 40 * size + 5000;
    uint32_t count = options_.functions;
    if (count == 0)
      count = size < 60 || !options_.calls ? 1 : 1 + static_cast<uint32_t>(size / (60 + random_.below(120)));
    if (options_.memory) environment_.add_data(size < 40 ? 1 : 2 + random_.below(3));

    uint64_t left = size;
    for (uint32_t i = 0; i + 1 < count; ++i) {
      // Sizes vary, but $main and the remaining functions get their part.
      uint64_t share = left / (count - i);
      FunctionPlan plan;
      plan.size = share / 2 + random_.next() % (share + 1);
      plan.max_steps = std::min(max_steps / 4, 40 * plan.size + 2000);
      left -= std::min(left, add_function(plan, i));
    }
    Function& main = module_.add_function(module_.intern_symbol("main"));
    main.signature.result = Type::i32;
    fill(main, {left, max_steps, false, options_.calls});
    return std::move(module_);
  }

 private:
  uint64_t add_function(FunctionPlan plan, uint32_t number) {
    Signature signature;
    bool variadic = options_.calls && options_.memory && options_.floats && random_.percent(10);
    if (variadic) {
      signature = {Type::i64, {Type::i32}, true};
    } else if (random_.percent(40)) {
      signature = table_signature();
    } else {
      signature = random_signature(plan);
    }
    Function& function = module_.add_function(module_.intern_symbol(fmt::format("f{}", number)));
    function.signature = signature;
    for (Type type : signature.params) {
      std::string name = options_.names ? fmt::format("arg{}", function.num_regs()) : "";
      function.params.push_back(function.add_reg(type, name));
    }
    uint64_t cost =
        variadic ? FunctionGenerator(environment_, function, plan).run_variadic() : fill(function, plan);
    environment_.callees.push_back({function.symbol, signature, cost});
    if (signature == table_signature() && random_.percent(50)) environment_.add_function_table(signature);
    return function.num_insts();
  }

  Signature random_signature(FunctionPlan& plan) {
    Signature signature;
    plan.recursive = random_.percent(30);
    if (plan.recursive) signature.params.push_back(Type::i32);
    for (uint32_t i = random_.below(5); i > 0; --i) {
      Type type = static_cast<Type>(random_.below(kNumTypes));
      if (is_float(type) && !options_.floats) type = Type::i32;
      if (type == Type::ptr && !options_.memory) type = Type::i64;
      signature.params.push_back(type);
    }
    signature.result =
        random_.one_of({Type::none, Type::i32, Type::i32, Type::i64, Type::i8, Type::f64, Type::f32});
    if (is_float(signature.result) && !options_.floats) signature.result = Type::i64;
    return signature;
  }

  uint64_t fill(Function& function, const FunctionPlan& plan) {
    function.attributes.nounwind = random_.percent(20);
    uint64_t steps = FunctionGenerator(environment_, function, plan).run();
    if (options_.annotations && random_.coin()) add_counts(function);
    return steps;
  }

  void add_counts(Function& function) {
    std::vector<uint64_t> counts;
    for (BlockId b : function.layout()) {
      function.set_count(b, random_.below(1000));
      for (InstId id : function.insts(b)) {
        const Inst& inst = function.inst(id);
        counts.clear();
        if (inst.op == Opcode::Select) counts = {random_.below(500), random_.below(500)};
        if (inst.is_terminator())
          function.for_each_target(inst, [&](BlockId) { counts.push_back(random_.below(500)); });
        if (counts.empty()) continue;
        function.set_edge_counts(id, counts);
        if (counts.size() > 1 && counts[0] % 4 == 0) function.set_misprediction_rate(id, counts[0] % 101);
      }
    }
  }

  GenerateOptions options_;
  Random random_;
  Module module_;
  Environment environment_;
};

}  // namespace

std::string_view shape_name(Shape shape) { return kShapeNames[static_cast<size_t>(shape)]; }

std::optional<Shape> shape_from_name(std::string_view name) {
  for (size_t i = 0; i < kShapeNames.size(); ++i) {
    if (kShapeNames[i] == name) return static_cast<Shape>(i);
  }
  return std::nullopt;
}

Module generate(const GenerateOptions& options) { return ModuleGenerator(options).run(); }

bool takes_arguments(const Function& function) {
  const std::vector<Type>& params = function.signature.params;
  return !function.signature.variadic && std::find(params.begin(), params.end(), Type::ptr) == params.end();
}

std::vector<Value> generate_arguments(const Function& function, uint64_t seed) {
  Random random(seed);
  std::vector<Value> values;
  for (Type type : function.signature.params)
    values.push_back({testing::interesting_bits(random, type), false});
  return values;
}

}  // namespace psi

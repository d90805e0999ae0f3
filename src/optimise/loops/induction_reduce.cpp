// Multiplications become sums.
//
//     %i = phi [@b: 0], [@l: %i1]          %m = phi [@b: 0], [@l: %m1]
//     %x = mul.i32 %i, 12            ==>   ... m for x ...
//     ...                                  %m1 = add.i32 %m, 12
//     %i1 = add.i32 %i, 1                  %c = cmp.ne.i32 %m1, 1200
//     %c = cmp.lt.i32 %i1, 100
//
// A new counter costs a phi and an addition. It replaces the old one if that has no other reader and the exit
// test can compare with the last value because the trip count is known: the program gets shorter. With
// strength-reduce=on it is also added beside the old one, if the target multiplies more slowly than it adds,
// and for addresses if the target lacks the scale.
//
// Cooper, Simpson and Vick (2001), "Operator strength reduction", do this for any chain of linear
// computations; here the forms of InductionVariables tell them.
#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <utility>

#include "cfg/substitution.h"
#include "optimise/dead_definitions.h"
#include "optimise/loops/induction_steps.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"

namespace psi::optimise {
namespace {

class Reduction {
 public:
  Reduction(InductionContext& context, StrengthReduction mode)
      : context_(context),
        function_(context.function),
        uses_(context.analyses.get<Uses>()),
        substitution_(function_),
        mode_(mode) {}

  bool run() {
    find_products();
    for (size_t first = 0; first < products_.size();) {
      size_t last = first + 1;
      while (last < products_.size() && products_[last].variable == products_[first].variable) ++last;
      reduce(std::span(products_).subspan(first, last - first));
      first = last;
    }
    if (gone_.empty()) return false;
    context_.apply();
    substitution_.apply(context_.analyses, context_.counters);
    remove_dead_definitions(function_, context_.analyses, std::move(gone_));
    context_.counters.add("multiplications reduced", reduced_);
    return true;
  }

 private:
  // A product of a variable's phi or next and a literal; with a base, a ptrindex.
  struct Product {
    uint32_t variable;
    Operand base;
    uint64_t scale;
    uint64_t offset;  // of a ptrindex
    InstId inst;
    bool of_next;
  };

  void find_products() {
    for (BlockId b : context_.analyses.get<Order>().reverse_post_order()) {
      if (!context_.analyses.get<Loops>().of(b)) continue;
      for (InstId id : function_.insts(b)) find_product(b, id);
    }
    std::ranges::sort(products_, {}, [](const Product& p) {
      return std::tuple(p.variable, p.base.raw(), p.scale, p.offset, p.inst);
    });
  }

  void find_product(BlockId b, InstId id) {
    const Inst& inst = function_.inst(id);
    bool is_address = inst.op == Opcode::PtrIndex;
    if (inst.op != Opcode::Mul && inst.op != Opcode::Shl && !is_address) return;
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    size_t at = is_address || (inst.op == Opcode::Mul && operands[0].is_literal()) ? 1 : 0;
    const LinearForm* form = operands[at].is_reg() ? context_.variables.form(operands[at].reg()) : nullptr;
    if (!form) return;
    const InductionVariable& v = context_.variables.variable(form->variable);
    bool of_next = operands[at].reg() == v.next;
    if (!context_.analyses.get<Loops>().contains(v.loop, b) || !v.step.is_literal()) return;
    if (!of_next && operands[at].reg() != v.phi) return;
    Product product{form->variable, {}, 1, 0, id, of_next};
    if (is_address) {
      product.base = operands[0];
      product.scale = static_cast<uint64_t>(function_.literal_signed(operands[2]));
      product.offset = static_cast<uint64_t>(function_.literal_signed(operands[3]));
    } else {
      const LinearForm* result = context_.variables.form(inst.results[0]);
      if (!result) return;
      product.scale = result->scale;
    }
    if (product.scale > 1) products_.push_back(product);
  }

  // The products of one variable.
  void reduce(std::span<const Product> products) {
    const InductionVariable& v = context_.variables.variable(products[0].variable);
    if (replace_variable(v, products) || mode_ != StrengthReduction::On) return;
    for (size_t first = 0; first < products.size();) {
      size_t last = first + 1;
      while (last < products.size() && products[last].base == products[first].base &&
             products[last].scale == products[first].scale &&
             products[last].offset == products[first].offset) {
        ++last;
      }
      add_counter(v, products.subspan(first, last - first));
      first = last;
    }
  }

  // --- A counter instead of the variable ------------------------------------------------------------
  bool replace_variable(const InductionVariable& v, std::span<const Product> products) {
    uint64_t scale = products[0].scale;
    auto fits = [&](const Product& p) { return p.base.is_none() && p.scale == scale; };
    if (!v.start.is_literal() || !std::ranges::all_of(products, fits)) return false;
    const ExitTest* test = context_.variables.exit_test(v.loop);
    if (test && test->tested != v.phi && test->tested != v.next) test = nullptr;
    uint64_t step = (function_.literal_bits(v.step) * scale) & value_mask(v.type);
    bool countable = test && test->trip_count && step != 0 &&
                     *test->trip_count <= value_mask(v.type) >> std::countr_zero(step);
    if (!countable) test = nullptr;
    size_t readers = products.size() + 2 + (test ? 1 : 0);
    size_t reads = uses_.uses(v.phi).size() + uses_.uses(v.next).size();
    // phi may stand more than once among next's readers: once for each edge back.
    InstId phi = context_.definition(v.phi);
    for (Use use : uses_.uses(v.next)) reads -= use.inst == phi;
    if (reads + 1 != readers) return false;
    InductionContext::Counter counter =
        context_.add_counter(v, v.type, function_.literal(v.type, function_.literal_bits(v.start) * scale),
                             function_.literal(v.type, step));
    if (test) ask_for_last(*test, v, counter, scale);
    substitute(products, counter);
    return true;
  }

  void ask_for_last(const ExitTest& test, const InductionVariable& v,
                    const InductionContext::Counter& counter, uint64_t scale) {
    std::span<const Operand> branch = std::as_const(function_).operands(function_.terminators(test.block)[0]);
    bool stays_if_true = branch[2].block() == test.exit;
    LinearForm form{test.form.variable, scale, test.form.offset * scale};
    std::optional<uint64_t> last = context_.variables.value_after(form, *test.trip_count);
    function_.inst(test.compare).set_cond(stays_if_true ? Cond::ne : Cond::eq);
    Reg tested = test.tested == v.phi ? counter.phi : counter.next;
    function_.set_operands(test.compare, std::array{Operand::reg(tested), function_.literal(v.type, *last)});
  }

  // --- A counter besides the variable ---------------------------------------------------------------
  void add_counter(const InductionVariable& v, std::span<const Product> products) {
    const Product& product = products[0];
    bool is_address = !product.base.is_none();
    if (is_address ? !is_address_worth_it(v, product) : !is_product_worth_it(products)) return;
    BlockId before = context_.preheader(v.loop);
    if (!before) return;
    uint64_t step = function_.literal_bits(v.step) * product.scale;
    Type type = is_address ? Type::ptr : v.type;
    Operand start;
    if (is_address) {
      start = Operand::reg(context_.insert_at_end(
          before, Opcode::PtrIndex, type,
          {product.base, v.start, function_.literal(function_.address_type(), product.scale),
           function_.literal(function_.address_type(), product.offset)}));
    } else if (v.start.is_literal()) {
      start = function_.literal(type, function_.literal_bits(v.start) * product.scale);
    } else {
      Operand scale = function_.literal(type, product.scale);
      start = Operand::reg(context_.insert_at_end(before, Opcode::Mul, type, {v.start, scale}));
    }
    Operand step_literal = function_.literal(is_address ? function_.address_type() : type, step);
    substitute(products, context_.add_counter(v, type, start, step_literal));
  }

  bool is_product_worth_it(std::span<const Product> products) const {
    bool slower = context_.target.latency(OpGroup::Multiply) > context_.target.latency(OpGroup::Integer);
    return slower && std::ranges::any_of(products, [&](const Product& p) {
             return function_.inst(p.inst).op == Opcode::Mul && !std::has_single_bit(p.scale);
           });
  }

  bool is_address_worth_it(const InductionVariable& v, const Product& product) const {
    if (context_.target.can_access(static_cast<int64_t>(product.scale), 0, 8)) return false;
    if (!product.base.is_reg()) return true;
    return !context_.analyses.get<Loops>().contains(v.loop, context_.block_of(product.base.reg()));
  }

  void substitute(std::span<const Product> products, const InductionContext::Counter& counter) {
    for (const Product& product : products) {
      Reg result = function_.inst(product.inst).results[0];
      if (context_.remarks) context_.remarks->done(function_, product.inst, "counted instead of multiplied");
      substitution_.set(result, Operand::reg(product.of_next ? counter.next : counter.phi));
      gone_.push_back(result);
      ++reduced_;
    }
  }

  InductionContext& context_;
  Function& function_;
  const Uses& uses_;
  cfg::Substitution substitution_;
  StrengthReduction mode_;
  std::vector<Product> products_;
  std::vector<Reg> gone_;
  uint64_t reduced_ = 0;
};

}  // namespace

bool reduce_strength(InductionContext& context, StrengthReduction mode) {
  return Reduction(context, mode).run();
}

}  // namespace psi::optimise

// Random functions in psi-SSA form, with psis that are as far from conventional as the rules allow: arguments
// in any order, defined under larger guards, shared, nested, literal, undef, and read again further down.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "destruct_testing.h"
#include "psi/ir/builder.h"
#include "psi/ir/module.h"
#include "testing/random.h"

namespace psi::testing {

struct PsiProgramOptions {
  bool phis = true;
  bool undef = true;   // as an argument of psis
  uint32_t size = 12;  // of the parts above and below the loop, at most about this
};

// $f has three i1 parameters, a loop that runs three times, branches, and calls of $use, which show what
// registers hold. What can happen is known: in which worlds, that is, for which parameters and in which
// iteration, registers are written, defined and true.
class PsiProgram {
 public:
  explicit PsiProgram(uint64_t seed, const PsiProgramOptions& options = {})
      : random_(seed),
        use_(module_.intern_symbol("use")),
        function_(add_functions()),
        builder_(function_),
        options_(options) {
    function_.form = Form::Ssa;
    for (uint32_t i = 0; i < kParams; ++i) {
      uint32_t truth = 0;
      for (uint32_t world = 0; world < kWorlds; ++world) truth |= (world >> i & 1) << world;
      predicates_.push_back({add_param(Type::i1), kAll, kAll, truth});
    }
    for (int i = 0; i < 3; ++i) numbers_.push_back({add_param(Type::i32), kAll, kAll, 0});
    builder_.at(function_.add_block());
    body(4 + random_.below(options_.size), 2);
    if (options_.phis && random_.coin()) loop();
    body(4 + random_.below(options_.size), 2);
    builder_.guard({});
    builder_.ret(Operand::reg(numbers_[0].reg));
  }

  const Module& module() const { return module_; }
  SymbolId symbol() const { return function_.symbol; }
  static constexpr uint32_t kParams = 3;

 private:
  static constexpr uint32_t kIterations = 3;
  static constexpr uint32_t kWorlds = kIterations << kParams;
  static constexpr uint32_t kAll = (1u << kWorlds) - 1;
  static constexpr uint32_t kIteration = (1u << (1 << kParams)) - 1;

  struct Known {
    Reg reg;
    uint32_t written = 0;
    uint32_t defined = 0;
    uint32_t truth = 0;  // of a predicate, where it is defined
    Guard guard = {};    // of its definition
  };
  struct When {
    Guard guard;
    uint32_t truth = kAll;
    uint32_t defined = kAll;
  };

  Function& add_functions() {
    Function& use = module_.add_function(use_);
    use.signature = {Type::none, {Type::i32}, false};
    return module_.add_function(module_.intern_symbol("f"));
  }

  Reg add_param(Type type) {
    function_.signature.result = Type::i32;
    function_.signature.params.push_back(type);
    function_.params.push_back(function_.add_reg(type));
    return function_.params.back();
  }

  void body(uint32_t count, uint32_t depth) {
    while (count-- > 0) {
      uint32_t kind = random_.below(100);
      if (kind < 18) {
        predicate();
      } else if (kind < 45) {
        number();
      } else if (kind < 75) {
        psi();
      } else if (kind < 95 || depth == 0 || !options_.phis) {
        use();
      } else {
        branch(depth - 1);
      }
    }
  }

  // Late ones more often.
  const Known& pick(const std::vector<Known>& list) {
    auto size = static_cast<uint32_t>(list.size());
    uint32_t last = random_.coin() ? std::min(size, 6u) : size;
    return list[size - 1 - random_.below(last)];
  }
  // A guard that is defined wherever control comes.
  When guard(uint32_t percent) {
    if (!random_.percent(percent)) return {};
    for (int tries = 0; tries < 5; ++tries) {
      const Known& p = pick(predicates_);
      if (path_ & ~p.defined) continue;
      bool negated = random_.coin();
      return {Guard(p.reg, negated), negated ? ~p.truth : p.truth};
    }
    return {};
  }
  // For an argument of a psi: often that of its definition.
  When any_guard(const Known& value) {
    if (value.guard && random_.coin()) return {value.guard, value.written};
    const Known& p = pick(predicates_);
    bool negated = random_.coin();
    return {Guard(p.reg, negated), negated ? ~p.truth : p.truth, p.defined};
  }
  Operand boolean(bool value) { return function_.literal(Type::i1, int64_t{value}); }

  void predicate() {
    When when = guard(30);
    builder_.guard(when.guard);
    Known p = pick(predicates_), q = pick(predicates_);
    uint32_t written = path_ & when.truth;
    uint32_t both = written & p.defined & q.defined;
    switch (random_.below(4)) {
      case 0:
        add_predicate(builder_.op(Opcode::And, Type::i1, {Operand::reg(p.reg), Operand::reg(q.reg)}), written,
                      both, p.truth & q.truth);
        break;
      case 1:
        add_predicate(builder_.op(Opcode::Or, Type::i1, {Operand::reg(p.reg), Operand::reg(q.reg)}), written,
                      both, p.truth | q.truth);
        break;
      case 2: {
        auto [yes, no] = builder_.cmpp(Action::un, Action::uc, Cond::ne, Type::i1, Operand::reg(p.reg),
                                       boolean(false), Operand::reg(q.reg));
        add_predicate(yes, written, both, q.truth & p.truth);
        add_predicate(no, written, both, q.truth & ~p.truth);
        break;
      }
      default: {
        Known old = pick(predicates_);
        auto [result, none] =
            builder_.cmpp(Action::on, Action::none, Cond::ne, Type::i1, Operand::reg(p.reg), boolean(false),
                          Operand::reg(q.reg), std::array{Operand::reg(old.reg)});
        add_predicate(result, written, both & old.defined, old.truth | (q.truth & p.truth));
      }
    }
    builder_.guard({});
  }
  void add_predicate(Reg reg, uint32_t written, uint32_t defined, uint32_t truth) {
    predicates_.push_back({reg, written, defined, truth});
  }

  void number() {
    When when = guard(65);
    builder_.guard(when.guard);
    uint32_t written = path_ & when.truth;
    const Known a = pick(numbers_), b = pick(numbers_);
    Known result{Reg(), written, written & a.defined, 0, when.guard};
    if (random_.percent(35)) {
      result.reg = builder_.op(Opcode::Mov, Type::i32, {Operand::reg(a.reg)});
    } else if (random_.percent(15)) {
      result.reg = builder_.op(Opcode::Mov, Type::i32, {function_.literal(Type::i32, int64_t{++constant_})});
      result.defined = written;
    } else {
      result.reg = builder_.op(Opcode::Add, Type::i32, {Operand::reg(a.reg), Operand::reg(b.reg)});
      result.defined &= b.defined;
    }
    numbers_.push_back(result);
    builder_.guard({});
  }

  void psi() {
    for (int tries = 0; tries < 20; ++tries) {
      bool of_predicates = random_.percent(15);
      std::optional<Known> result = try_psi(of_predicates ? predicates_ : numbers_, of_predicates);
      if (!result) continue;
      (of_predicates ? predicates_ : numbers_).push_back(*result);
      return;
    }
  }

  std::optional<Known> try_psi(const std::vector<Known>& values, bool of_predicates) {
    Type type = of_predicates ? Type::i1 : Type::i32;
    std::vector<Operand> pairs;
    Known result;
    uint32_t free = path_;  // where no argument is taken yet
    for (uint32_t i = 1 + random_.below(4); i-- > 0;) {
      Known value = pick(values);
      When when = i == 0 && random_.coin() ? When() : any_guard(value);
      if (free & ~when.defined) return std::nullopt;
      uint32_t truth = when.truth;
      Operand operand = Operand::reg(value.reg);
      if (random_.percent(8)) {
        bool is_undef = options_.undef && random_.coin();
        value = {Reg(), path_, is_undef ? 0 : path_, 0};
        operand = is_undef ? Operand::undef(type) : function_.literal(type, int64_t{of_predicates ? 0 : 77});
      }
      bool is_first = i == 0;
      if (!is_first && (path_ & truth & ~value.written)) return std::nullopt;
      uint32_t taken = free & truth;
      result.written |= path_ & truth & value.written;
      result.defined |= taken & value.defined;
      result.truth |= taken & value.truth;
      free &= ~truth;
      pairs.insert(pairs.begin(), {when.guard.as_operand(), operand});
    }
    result.reg = builder_.psi(type, pairs);
    return result;
  }

  void use() {
    for (int tries = 0; tries < 10; ++tries) {
      When when = guard(60);
      const Known& value = pick(numbers_);
      if (path_ & when.truth & ~value.defined) continue;
      builder_.guard(when.guard);
      builder_.call(Type::none, Operand::symbol(use_), std::array{Operand::reg(value.reg)});
      builder_.guard({});
      return;
    }
  }

  void branch(uint32_t depth) {
    When when = guard(100);
    if (!when.guard) return;
    BlockId then = function_.add_block(), otherwise = function_.add_block(), join = function_.add_block();
    bool negated = when.guard.is_negated();
    builder_.br(Operand::reg(when.guard.reg()), negated ? otherwise : then, negated ? then : otherwise);
    uint32_t path = path_;
    size_t num_predicates = predicates_.size(), num_numbers = numbers_.size();
    std::array<Known, 2> ends;
    std::array<BlockId, 2> from;
    for (int side = 0; side < 2; ++side) {
      path_ = path & (side == 0 ? when.truth : ~when.truth);
      builder_.at(side == 0 ? then : otherwise);
      body(random_.below(5), depth);
      ends[side] = pick(numbers_);
      from[side] = builder_.block();
      builder_.br(join);
      predicates_.resize(num_predicates);
      numbers_.resize(num_numbers);
    }
    path_ = path;
    builder_.at(join);
    uint32_t defined = (ends[0].defined & when.truth) | (ends[1].defined & ~when.truth);
    Reg phi = builder_.phi(Type::i32, std::array{Operand::block(from[0]), Operand::reg(ends[0].reg),
                                                 Operand::block(from[1]), Operand::reg(ends[1].reg)});
    numbers_.push_back({phi, path_, defined, 0});
  }

  const Known& pick_defined() {
    for (int tries = 0; tries < 10; ++tries) {
      const Known& known = pick(numbers_);
      if (!(path_ & ~known.defined)) return known;
    }
    return numbers_[0];
  }

  // Values computed in it are those of the last iteration below it.
  void loop() {
    BlockId before = builder_.block(), head = function_.add_block(), exit = function_.add_block();
    std::vector<InstId> phis;
    size_t outer_predicates = predicates_.size(), outer_numbers = numbers_.size();
    Operand from = Operand::block(before), zero = function_.literal(Type::i32, int64_t{0});
    builder_.br(head);
    builder_.at(head);
    Reg counter = builder_.phi(Type::i32, std::array{from, zero, from, zero});
    phis.push_back(function_.insts(head).back());
    std::vector<Operand> initial;
    for (uint32_t i = random_.below(4); i > 0; --i) initial.push_back(Operand::reg(pick_defined().reg));
    for (Operand value : initial) {
      Reg phi = builder_.phi(Type::i32, std::array{from, value, from, value});
      phis.push_back(function_.insts(head).back());
      numbers_.push_back({phi, path_, path_, 0});
    }
    for (uint32_t iteration = 0; iteration < 2; ++iteration) {
      Reg p = builder_.cmp(Cond::eq, Type::i32, Operand::reg(counter),
                           function_.literal(Type::i32, int64_t{iteration}));
      add_predicate(p, path_, path_, kIteration << (iteration << kParams));
    }
    body(5 + random_.below(10), 1);
    Reg next = builder_.op(Opcode::Add, Type::i32,
                           {Operand::reg(counter), function_.literal(Type::i32, int64_t{1})});
    Reg again = builder_.cmp(Cond::lt, Type::i32, Operand::reg(next),
                             function_.literal(Type::i32, int64_t{kIterations}));
    for (InstId phi : phis) {
      Reg value = phi == phis[0] ? next : pick_defined().reg;
      function_.operands(phi)[2] = Operand::block(builder_.block());
      function_.operands(phi)[3] = Operand::reg(value);
    }
    builder_.br(Operand::reg(again), head, exit);
    builder_.at(exit);
    for (size_t i = outer_predicates; i < predicates_.size(); ++i) last_iteration(predicates_[i]);
    for (size_t i = outer_numbers; i < numbers_.size(); ++i) last_iteration(numbers_[i]);
  }
  static void last_iteration(Known& known) {
    for (uint32_t* worlds : {&known.written, &known.defined, &known.truth}) {
      uint32_t last = *worlds >> ((kIterations - 1) << kParams) & kIteration;
      *worlds = last | last << (1 << kParams) | last << (2 << kParams);
    }
  }

  Random random_;
  Module module_;
  SymbolId use_;
  Function& function_;
  Builder builder_;
  PsiProgramOptions options_;
  uint32_t path_ = kAll;  // where control comes
  std::vector<Known> predicates_;
  std::vector<Known> numbers_;
  int constant_ = 100;
};

// What the program does for all values of its predicates, and where one of them is undef.
class PsiRuns {
 public:
  explicit PsiRuns(const PsiProgram& program) : PsiRuns(program.module(), program.symbol()) {}
  // Of a function with the same parameters.
  PsiRuns(const Module& module, SymbolId symbol) : symbol_(symbol) {
    for (uint32_t world = 0; world < 1u << PsiProgram::kParams; ++world) {
      for (uint32_t undef = 0; undef <= PsiProgram::kParams; ++undef) {
        std::vector<Value> arguments;
        for (uint32_t i = 0; i < PsiProgram::kParams; ++i) arguments.push_back({world >> i & 1, i == undef});
        for (uint64_t number : {1000, 2000, 3000}) arguments.push_back({number + world});
        outcomes_.push_back(run_recorded(module, symbol_, arguments));
        arguments_.push_back(std::move(arguments));
      }
    }
  }

  ::testing::AssertionResult are_refined_by(const Module& module) const {
    for (size_t i = 0; i < arguments_.size(); ++i) {
      Outcome after = run_recorded(module, symbol_, arguments_[i]);
      Result<void> refined = refines(outcomes_[i], after);
      if (refined) continue;
      return ::testing::AssertionFailure() << refined.message() << "\n" << print(module);
    }
    return ::testing::AssertionSuccess();
  }

 private:
  SymbolId symbol_;
  std::vector<std::vector<Value>> arguments_;
  std::vector<Outcome> outcomes_;
};

}  // namespace psi::testing

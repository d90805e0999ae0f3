#include "if_convert/conversion.h"

#include <algorithm>
#include <utility>

#include "if_convert/merges.h"
#include "if_convert/region_predicates.h"

namespace psi::if_conversion {
namespace {

class Conversion {
 public:
  Conversion(Function& function, Analyses& analyses, const Target& target, const Legality& legality,
             const Region& region, Counters& counters)
      : function_(function),
        cfg_(analyses.cfg()),
        target_(target),
        legality_(legality),
        graph_(function, region),
        classes_(graph_),
        merges_(function, analyses.uses(), graph_, classes_),
        predicates_(function, analyses, graph_, classes_, target, out_),
        counters_(counters) {}

  void run() {
    find_needs();
    for (uint32_t n = 0; n < graph_.num_blocks(); ++n) emit(n);
    leave();
    count();
  }

 private:
  // --- The predicates that something will read ------------------------------------------------------------

  void find_needs() {
    for (uint32_t n = 1; n < graph_.num_nodes(); ++n) {
      for (const Merge& merge : merges_.of(n)) {
        for (const MergeArgument& argument : merges_.arguments(merge)) predicates_.need(argument.of_class);
      }
    }
    for (uint32_t n = 1; n < graph_.num_blocks(); ++n) {
      uint32_t c = classes_.of_node(n);
      if (c == ControlClasses::kAlways) continue;
      std::span<const InstId> insts = function_.insts(graph_.block(n));
      if (std::ranges::any_of(insts, [&](InstId id) { return reads_predicate(id); })) predicates_.need(c);
    }
    // Control leaves by the last exit if by no other.
    for (uint32_t n = graph_.num_blocks(); n + 1 < graph_.num_nodes(); ++n)
      predicates_.need(classes_.of_node(n));
    predicates_.close();
  }

  bool reads_predicate(InstId id) const {
    const Inst& inst = function_.inst(id);
    if (inst.is_terminator() || inst.is_phi()) return false;
    if (inst.is_psi()) return true;
    return inst.guard || legality_.way(id) == Way::Guard;
  }

  // --- Blocks ---------------------------------------------------------------------------------------------

  void emit(uint32_t node) {
    BlockId b = graph_.block(node);
    for (const Merge& merge : merges_.of(node)) {
      set_merged(merge.phi, merge);
      out_.push_back(merge.phi);
    }
    // What is added is not in this list.
    for (InstId id : function_.insts(b).subspan(merges_.of(node).size())) {
      if (function_.inst(id).is_terminator()) break;
      if (node > 0) guard(id, classes_.of_node(node));
      out_.push_back(id);
    }
    predicates_.decide(node);
  }

  // Makes the instruction a psi of what is merged, or a copy.
  void set_merged(InstId id, const Merge& merge) {
    std::span<const MergeArgument> arguments = merges_.arguments(merge);
    pairs_.clear();
    for (const MergeArgument& argument : arguments) {
      Operand value = argument.value;
      bool is_first = &argument == &arguments.front();
      if (argument.is_partial && !is_first) value = copy(value, merge.type, argument.of_class);
      pairs_.push_back(predicates_.guard(argument.of_class).as_operand());
      pairs_.push_back(value);
    }
    bool is_copy = arguments.empty() || (arguments.size() == 1 && pairs_[0] == Operand::always());
    function_.inst(id).op = is_copy ? Opcode::Mov : Opcode::Psi;
    if (arguments.empty()) {
      function_.set_operands(id, std::array{Operand::undef(merge.type)});
    } else {
      function_.set_operands(id, is_copy ? std::span(pairs_).subspan(1, 1) : std::span(pairs_));
      ++(is_copy ? copies_ : psis_);
    }
  }

  Operand copy(Operand value, Type type, uint32_t of_class) {
    Inst inst;
    inst.op = Opcode::Mov;
    inst.type = type;
    inst.results[0] = function_.add_reg(type);
    if (target_.can_guard(inst)) inst.guard = predicates_.guard(of_class);
    out_.push_back(function_.add_inst(inst, std::array{value}));
    ++copies_;
    return Operand::reg(inst.results[0]);
  }

  void guard(InstId id, uint32_t c) {
    if (c == ControlClasses::kAlways) return;
    if (function_.inst(id).is_psi()) return guard_arguments(id, c);
    Guard own = function_.inst(id).guard;
    if (!own && legality_.way(id) != Way::Guard) {
      ++speculated_;
      return;
    }
    Guard both = predicates_.both(c, own);
    function_.inst(id).guard = both;
    ++guarded_;
  }

  // Where the block is not executed its predicates may be undef, and a psi must not read them.
  void guard_arguments(InstId psi, uint32_t c) {
    pairs_.assign(function_.operands(psi).begin(), function_.operands(psi).end());
    for (size_t i = 0; i < pairs_.size(); i += 2) {
      if (i == 0 && pairs_[i] == Operand::always()) continue;
      pairs_[i] = predicates_.both(c, Guard(pairs_[i])).as_operand();
    }
    function_.set_operands(psi, pairs_);
  }

  // --- Exits ----------------------------------------------------------------------------------------------

  void leave() {
    std::vector<Operand> returned(graph_.num_nodes());
    for (uint32_t n = graph_.num_blocks(); n < graph_.num_nodes(); ++n) {
      if (graph_.block(n) && comes_from_here_only(n)) {
        take_phis(n);
        continue;
      }
      for (const Merge& merge : merges_.of(n)) {
        Operand value = merged(merge);
        if (merge.phi) {
          exits_.push_back({n, merge.phi, value});
        } else {
          returned[n] = value;
        }
      }
    }
    BlockId entry = graph_.block(0);
    BlockId from = entry;
    uint32_t first = graph_.num_blocks(), last = graph_.num_nodes() - 1;
    from_.assign(graph_.num_nodes(), entry);
    if (last == first + 1 && graph_.block(first) && graph_.block(last)) {
      branch(predicates_.guard(classes_.of_node(first)), graph_.block(first), graph_.block(last));
      return finish(entry);
    }
    bool can_guard = target_.can_guard(Opcode::Br);
    for (uint32_t n = first; n < last; ++n) {
      Guard guard = predicates_.guard(classes_.of_node(n));
      if (can_guard) {
        out_.push_back(exit(n, returned[n]));
        function_.inst(out_.back()).guard = guard;
        continue;
      }
      // A chain of blocks, each of which leaves by one exit.
      BlockId target = graph_.block(n), next = function_.add_block();
      if (!target) target = return_block(returned[n]);
      from_[n] = from;
      branch(guard, target, next);
      flush(from);
      from = next;
    }
    from_[last] = from;
    out_.push_back(exit(last, returned[last]));
    finish(from);
  }

  bool comes_from_here_only(uint32_t exit) const {
    std::span<const BlockId> from = cfg_.predecessors(graph_.block(exit));
    return std::ranges::all_of(from, [&](BlockId b) { return merges_.node(b) != RegionGraph::kNone; });
  }

  // The phis of an exit that is reached from nowhere else become psis in the region.
  void take_phis(uint32_t exit) {
    BlockId b = graph_.block(exit);
    for (const Merge& merge : merges_.of(exit)) {
      set_merged(merge.phi, merge);
      out_.push_back(merge.phi);
    }
    std::span<const InstId> left = function_.insts(b).subspan(merges_.of(exit).size());
    std::vector<InstId> rest(left.begin(), left.end());
    function_.set_insts(b, rest);
  }

  // Of an exit's phi, or of what is returned: at the end of the region.
  Operand merged(const Merge& merge) {
    std::span<const MergeArgument> arguments = merges_.arguments(merge);
    if (arguments.empty()) return Operand::undef(merge.type);
    if (arguments.size() == 1 && arguments[0].of_class == ControlClasses::kAlways) return arguments[0].value;
    Inst inst;
    inst.op = Opcode::Psi;
    inst.type = merge.type;
    inst.results[0] = function_.add_reg(merge.type);
    InstId id = function_.add_inst(inst, {});
    set_merged(id, merge);
    out_.push_back(id);
    return Operand::reg(inst.results[0]);
  }

  InstId exit(uint32_t node, Operand returned) {
    Inst inst;
    inst.op = graph_.block(node) ? Opcode::Br : Opcode::Ret;
    if (graph_.block(node)) return function_.add_inst(inst, std::array{Operand::block(graph_.block(node))});
    return function_.add_inst(inst, std::span(&returned, returned.is_none() ? 0 : 1));
  }

  void branch(Guard guard, BlockId then, BlockId otherwise) {
    if (guard.is_negated()) std::swap(then, otherwise);
    Inst inst;
    inst.op = Opcode::Br;
    out_.push_back(function_.add_inst(
        inst, std::array{Operand::reg(guard.reg()), Operand::block(then), Operand::block(otherwise)}));
    ++branches_left_;
  }

  BlockId return_block(Operand returned) {
    BlockId b = function_.add_block();
    Inst inst;
    inst.op = Opcode::Ret;
    InstId id = function_.add_inst(inst, std::span(&returned, returned.is_none() ? 0 : 1));
    function_.set_insts(b, std::span(&id, 1));
    return b;
  }

  void flush(BlockId b) {
    if (b == graph_.block(0)) {
      std::vector<InstId> unread = predicates_.unread();
      std::ranges::sort(unread);
      std::erase_if(out_, [&](InstId id) { return std::ranges::binary_search(unread, id); });
    }
    function_.set_insts(b, out_);
    out_.clear();
  }

  void finish(BlockId last) {
    flush(last);
    for (uint32_t n = 1; n < graph_.num_blocks(); ++n) function_.set_insts(graph_.block(n), {});
    // What came from any block of the region now comes from where it leaves.
    for (const Exit& exit : exits_) {
      pairs_.clear();
      std::span<const Operand> old = std::as_const(function_).operands(exit.phi);
      for (size_t i = 0; i < old.size(); i += 2) {
        if (merges_.node(old[i].block()) != RegionGraph::kNone) continue;
        pairs_.push_back(old[i]);
        pairs_.push_back(old[i + 1]);
      }
      pairs_.push_back(Operand::block(from_[exit.node]));
      pairs_.push_back(exit.value);
      function_.set_operands(exit.phi, pairs_);
    }
  }

  void count() {
    uint64_t branches = 0;
    for (uint32_t n = 0; n < graph_.num_blocks(); ++n) branches += graph_.outgoing(n).size() > 1;
    auto add = [&](std::string_view name, uint64_t amount) {
      if (amount) counters_.add(name, amount);
    };
    add("regions converted", 1);
    add("blocks converted", graph_.num_blocks() - 1);
    add("branches removed", branches - std::min(branches, branches_left_));
    add("instructions guarded", guarded_);
    add("instructions speculated", speculated_);
    add("predicates defined", predicates_.num_defined());
    add("psis made", psis_);
    add("copies made", copies_);
  }

  struct Exit {
    uint32_t node = 0;
    InstId phi;
    Operand value;
  };

  Function& function_;
  const Cfg& cfg_;
  const Target& target_;
  const Legality& legality_;
  RegionGraph graph_;
  ControlClasses classes_;
  Merges merges_;
  std::vector<InstId> out_;
  RegionPredicates predicates_;
  Counters& counters_;
  std::vector<Exit> exits_;
  std::vector<BlockId> from_;  // by node: the block that leaves by this exit
  std::vector<Operand> pairs_;
  uint64_t guarded_ = 0, speculated_ = 0, psis_ = 0, copies_ = 0, branches_left_ = 0;
};

}  // namespace

void convert(Function& function, Analyses& analyses, const Target& target, const Legality& legality,
             const Region& region, Counters& counters) {
  Conversion(function, analyses, target, legality, region, counters).run();
}

}  // namespace psi::if_conversion

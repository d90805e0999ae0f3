// Conventional form: every web, the registers that phis and psis join, may be renamed to one register and its
// phis and psis dropped. The check: between the definition of a member and a read of it no other member is
// written, unless both have the same value or their guards are disjoint.
//
//     %x = mov %a                     r = mov a
//     %p ? %y = mov %b                p ? r = mov b
//     %z = psi %x, %p ? %y
//     !%p ? call $use(%x)             !p ? call use(r)     fine: %y is not written where this reads %x
//     call $use(%x)                   call use(r)          wrong
//
// A psi reads an argument at its own position, under the condition that it takes the argument; a phi reads at
// the end of the predecessor, and counts as a write at the head of its block. An error is reported only if
// the oracle proves that one of three guards (the read's, the write's, and the domain of the value) implies
// the other two.
//
// From each read the blocks are walked back to the definition, each once for a register and a condition, so
// the cost is that of live sets restricted to webs.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/ir/views.h"
#include "verify/checks.h"
#include "verify/reads.h"

namespace psi::verify {
namespace {

class WebCheck {
 public:
  WebCheck(Context& context, const Cfg& cfg, const Dominators& dominators, const Domains& domains)
      : context_(context),
        function_(context.function),
        cfg_(cfg),
        dominators_(dominators),
        domains_(domains) {}

  void run() {
    if (!unite()) return;
    collect_writes();
    collect_reads();
    number_values();
    seen_.assign(function_.num_blocks(), 0);
    // Reads are sorted by web, register and condition.
    for (size_t i = 0; i < reads_.size() && !context_.full();) {
      size_t end = i;
      while (end < reads_.size() && reads_[end].reg == reads_[i].reg && reads_[end].when == reads_[i].when)
        ++end;
      bool fine = check({reads_.data() + i, end - i});
      // One report is enough for a web.
      uint32_t web = reads_[i].web;
      i = end;
      while (!fine && i < reads_.size() && reads_[i].web == web) ++i;
    }
  }

 private:
  struct Read {
    uint32_t web;
    Reg reg;
    Guard when;
    BlockId block;
    uint32_t position;
    InstId inst;
  };
  struct Write {
    uint32_t web;
    uint32_t position;
    BlockId block;
    Reg reg;
    InstId inst;  // none: a parameter
    Guard guard;
  };
  struct Place {
    BlockId block;
    uint32_t position = 0;
  };

  template <class Visit>
  void for_each_inst(Visit visit) const {
    for (BlockId b : dominators_.preorder()) {
      for (InstId id : function_.insts(b)) visit(b, id, function_.inst(id));
    }
  }

  // Calls visit(Operand) for the values that a phi or psi joins.
  template <class Visit>
  void for_each_argument(InstId id, Visit visit) const {
    if (function_.inst(id).is_phi()) {
      for (PhiEntry entry : phi_entries(function_, id)) visit(entry.value);
    } else {
      for (PsiArgument argument : psi_arguments(function_, id)) visit(argument.value);
    }
  }

  uint32_t find(uint32_t r) {
    while (web_[r] != r) r = web_[r] = web_[web_[r]];
    return r;
  }

  // Builds the webs; false if some argument cannot be in one.
  bool unite() {
    web_.resize(function_.num_regs());
    std::iota(web_.begin(), web_.end(), 0u);
    bool fine = true;
    for_each_inst([&](BlockId b, InstId id, const Inst& inst) {
      if (!inst.is_phi() && !inst.is_psi()) return;
      for_each_argument(id, [&](Operand value) {
        if (value.is_reg()) {
          web_[find(value.reg().index())] = find(inst.results[0].index());
        } else if (!value.is_undef() && !context_.full()) {
          fine = false;
          context_.error(
              Rule::WebArgument, b, id,
              fmt::format("{} takes {}, which is not a register", info(inst.op).name, context_.name(value)));
        }
      });
    });
    size_of_web_.resize(function_.num_regs());
    for (uint32_t r = 0; r < web_.size(); ++r) ++size_of_web_[find(r)];
    return fine;
  }

  bool is_member(Reg r) { return size_of_web_[find(r.index())] > 1; }

  // Registers of the same number have the same value wherever both are defined: copies, and merges of copies
  // only.
  void number_values() {
    value_.resize(function_.num_regs());
    std::iota(value_.begin(), value_.end(), 0u);
    for_each_inst([&](BlockId b, InstId id, const Inst& inst) {
      if (inst.is_copy()) {
        Operand source = copied(function_, inst);
        if (source.is_reg()) value_[inst.results[0].index()] = value_[source.reg().index()];
      } else if (inst.is_phi() || inst.is_psi()) {
        value_[inst.results[0].index()] = value_of_merge(b, id, inst);
      }
    });
  }

  // Undef may become any value, so also that of the other arguments. A value from a back edge is that of the
  // previous iteration, which has no number.
  uint32_t value_of_merge(BlockId b, InstId id, const Inst& inst) const {
    constexpr uint32_t kNone = UINT32_MAX;
    uint32_t own = inst.results[0].index();
    if (inst.is_psi()) {
      auto [guard, last] = psi_arguments(function_, inst).back();
      if (last.is_reg() && !guard.reads_reg()) return value_[last.reg().index()];
    }
    uint32_t common = kNone;
    bool same = true;
    for_each_argument(id, [&](Operand value) {
      if (!value.is_reg() || value.reg().index() == own) return;
      uint32_t number = value_[value.reg().index()];
      same = same && (common == kNone || common == number) &&
             (inst.is_psi() || dominators_.strictly_dominates(places_[value.reg().index()].block, b));
      common = number;
    });
    return same && common != kNone ? common : own;
  }

  // Parameters come first, at positions below all instructions; a block's end has its own position, at which
  // the phis of its successors read.
  void collect_writes() {
    places_.resize(function_.num_regs());
    block_end_.resize(function_.num_blocks());
    uint32_t position = 0;
    auto add = [&](BlockId b, Reg r, InstId id, Guard guard, bool writes) {
      places_[r.index()] = {b, position};
      if (writes && is_member(r)) writes_.push_back({find(r.index()), position, b, r, id, guard});
    };
    for (Reg r : function_.params) {
      add(function_.entry(), r, InstId(), Guard(), true);
      ++position;
    }
    // In this order the writes of one block are adjacent, and the entry comes first.
    for (BlockId b : dominators_.preorder()) {
      for (InstId id : function_.insts(b)) {
        const Inst& inst = function_.inst(id);
        // Psis write nothing: their arguments' definitions have written the value.
        for (Reg r : inst.results) {
          if (r) add(b, r, id, inst.guard, !inst.is_psi());
        }
        ++position;
      }
      block_end_[b.index()] = position++;
    }
    std::sort(writes_.begin(), writes_.end(), [](const Write& a, const Write& b) {
      return std::tie(a.web, a.position, a.reg) < std::tie(b.web, b.position, b.reg);
    });
  }

  void collect_reads() {
    uint32_t position = static_cast<uint32_t>(function_.params.size());
    auto add = [&](Reg r, Guard when, BlockId b, uint32_t at, InstId id) {
      if (is_member(r)) reads_.push_back({find(r.index()), r, when, b, at, id});
    };
    for (BlockId b : dominators_.preorder()) {
      for (InstId id : function_.insts(b)) {
        const Inst& inst = function_.inst(id);
        if (inst.is_phi()) {
          for (auto [from, value] : phi_entries(function_, inst)) {
            if (!value.is_reg() || !dominators_.is_reachable(from)) continue;
            add(value.reg(), Guard(), from, block_end_[from.index()], id);
          }
        } else {
          for_each_conditional_read(function_, inst,
                                    [&](Reg r, Guard when) { add(r, when, b, position, id); });
        }
        ++position;
      }
      ++position;
    }
    // The last read of a block comes first: the walk from there passes the others.
    auto key = [](const Read& r) {
      return std::tuple(r.web, r.reg, r.when.as_operand().raw(), UINT32_MAX - r.position, r.inst);
    };
    std::sort(reads_.begin(), reads_.end(), [&](const Read& a, const Read& b) { return key(a) < key(b); });
  }

  // All reads of one register under one condition.
  bool check(std::span<const Read> reads) {
    ++walk_;
    BlockId last;
    for (const Read& read : reads) {
      if (read.block == last) continue;
      last = read.block;
      if (!walk(read)) return false;
    }
    return true;
  }

  // From the read back to the definition, over every path.
  bool walk(const Read& read) {
    work_.clear();
    if (!scan(read, read.block, read.position)) return false;
    while (!work_.empty()) {
      BlockId b = work_.back();
      work_.pop_back();
      if (!scan(read, b, block_end_[b.index()])) return false;
    }
    return true;
  }

  // The part of one block before `end`. Goes on to the predecessors if the definition is not in it.
  bool scan(const Read& read, BlockId b, uint32_t end) {
    Place definition = places_[read.reg.index()];
    bool local = definition.block == b && definition.position < end;
    // Latest first; down to the definition or out of the block. Results of one instruction, which are
    // written together, have one position.
    auto at = std::lower_bound(writes_.begin(), writes_.end(), std::tuple(read.web, end),
                               [](const Write& w, const std::tuple<uint32_t, uint32_t>& key) {
                                 return std::tuple(w.web, w.position) < key;
                               });
    while (at != writes_.begin()) {
      const Write& write = *--at;
      if (write.web != read.web || write.block != b) break;
      if (local && write.position < definition.position) break;
      if (conflicts(read, write)) {
        report(read, write);
        return false;
      }
    }
    if (local) return true;
    cfg_.for_each_distinct_predecessor(b, [&](BlockId from) {
      if (!dominators_.is_reachable(from) || seen_[from.index()] == walk_) return;
      seen_[from.index()] = walk_;
      work_.push_back(from);
    });
    return true;
  }

  bool conflicts(const Read& read, const Write& write) const {
    if (write.reg == read.reg || value_[write.reg.index()] == value_[read.reg.index()]) return false;
    Domain defined = domains_.of(Operand::reg(read.reg));
    for (Guard domain : defined.lower.guards()) {
      if (meet(read.when, write.guard, domain) || meet(write.guard, domain, read.when) ||
          meet(domain, read.when, write.guard)) {
        return true;
      }
    }
    return false;
  }

  // Is `a` proved to be contained in the other two, and not known to be empty?
  bool meet(Guard a, Guard b, Guard c) const {
    const PredicateOracle& oracle = context_.oracle;
    return oracle.implies(function_, a, b) == Answer::Yes && oracle.implies(function_, a, c) == Answer::Yes &&
           oracle.disjoint(function_, a, Guard()) != Answer::Yes;
  }

  void report(const Read& read, const Write& write) {
    std::string message = fmt::format("{} is written where {} of the same web is still to be read",
                                      context_.name(write.reg), context_.name(read.reg));
    if (write.inst) {
      context_.error(Rule::WebInterference, write.block, write.inst, std::move(message));
    } else {
      context_.error(Rule::WebInterference, write.block, std::move(message));
    }
    context_.note(read.inst, fmt::format("{} is read here", context_.name(read.reg)));
  }

  Context& context_;
  const Function& function_;
  const Cfg& cfg_;
  const Dominators& dominators_;
  const Domains& domains_;
  std::vector<uint32_t> web_;          // by Reg: union-find
  std::vector<uint32_t> size_of_web_;  // by the web's first register
  std::vector<uint32_t> value_;        // by Reg
  std::vector<Place> places_;          // by Reg
  std::vector<uint32_t> block_end_;    // by BlockId
  std::vector<Write> writes_;          // by web and position
  std::vector<Read> reads_;            // by web, register and condition
  std::vector<uint32_t> seen_;         // by BlockId: the last walk that went through its end
  uint32_t walk_ = 0;
  std::vector<BlockId> work_;
};

}  // namespace

void check_webs(Context& context, const Cfg& cfg, const Dominators& dominators, const Domains& domains) {
  WebCheck(context, cfg, dominators, domains).run();
}

}  // namespace psi::verify

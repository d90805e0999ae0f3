#include "destruct/share_copies.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "destruct/coalesce.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/frequencies.h"

namespace psi::destruct {

using namespace live;
namespace {

// The most additional blocks in which a value is kept in a register, and the most copies that one is compared
// with.
constexpr size_t kMaxBlocks = 64;
constexpr size_t kMaxPairsTried = 8;

class CopySharing {
 public:
  CopySharing(Function& function, Analyses& analyses, WebInterference& interference, const Webs& webs,
              Copies& copies)
      : function_(function),
        dominators_(analyses.get<Dominators>()),
        frequencies_(analyses.get<Frequencies>()),
        interference_(interference),
        ranges_(interference.segments().ranges()),
        webs_(webs),
        copies_(copies) {}

  void run() {
    collect();
    for (size_t i = 0; i < left_.size();) {
      size_t end = i + 1;
      while (end < left_.size() && left_[end].web == left_[i].web && left_[end].value == left_[i].value)
        ++end;
      if (end - i > 1) share(std::span(left_).subspan(i, end - i));
      i = end;
    }
    copies_.apply();
  }

 private:
  struct Left {
    Reg web;
    uint64_t value;
    uint32_t order;  // of its block, parents in the dominator tree first
    InstId inst;
    BlockId block;
    uint32_t position;
    double weight;
    bool is_gone = false;
  };

  // The copies left, by register and value, those above before those below.
  void collect() {
    for (BlockId b : dominators_.preorder()) {
      for (InstId id : function_.insts(b)) {
        const Inst& inst = function_.inst(id);
        if (inst.op != Opcode::Mov || inst.guard || !function_.operands(inst)[0].is_reg()) continue;
        Reg result = inst.results[0], source = function_.operands(inst)[0].reg();
        if (webs_.same(result, source)) continue;
        // One of a guarded copy has its value only in part.
        if (ranges_.definition(source).guard && ranges_.value(source) != source.index()) continue;
        left_.push_back({webs_.find(result), ranges_.value(source), dominators_.pre_number(b), id, b,
                         ranges_.definition(result).position, frequencies_.of(b)});
      }
    }
    std::sort(left_.begin(), left_.end(), [](const Left& x, const Left& y) {
      return std::tie(x.web, x.value, x.order, x.position, x.inst) <
             std::tie(y.web, y.value, y.order, y.position, y.inst);
    });
  }

  void share(std::span<Left> copies) {
    for (size_t i = 1; i < copies.size(); ++i) {
      size_t tries = 0;
      for (size_t j = i; j-- > 0 && tries < kMaxPairsTried && !copies[i].is_gone; ++tries) {
        if (!copies[j].is_gone && is_above(copies[j], copies[i])) use_instead(copies[j], copies[i]);
      }
    }
    for (size_t i = 1; i < copies.size(); ++i) {
      size_t tries = 0;
      for (size_t j = i; j-- > 0 && tries < kMaxPairsTried && !copies[i].is_gone; ++tries) {
        if (!copies[j].is_gone) hoist(copies[j], copies[i]);
      }
    }
  }

  bool is_above(const Left& x, const Left& y) const {
    if (x.block == y.block) return x.position < y.position;
    return dominators_.strictly_dominates(x.block, y.block);
  }

  // Is a value that the register of `copy` gets at a point still there at the copy?
  bool is_kept(BlockId from, uint32_t position, const Left& copy) {
    if (!ranges_.find_segments(from, position, copy.block, copy.position, kMaxBlocks, segments_))
      return false;
    for (const Segment& segment : segments_) {
      if (interference_.is_written(copy.web, segment, copy.value)) return false;
      for (const Kept& kept : kept_) {
        // A copy that moved up is a definition that the live ranges do not know.
        if (kept.web == copy.web && kept.value != copy.value && segment.is_live_after(kept.position)) {
          return false;
        }
      }
    }
    return true;
  }

  void drop(Left& copy) {
    function_.operands(copy.inst)[0] = Operand::reg(function_.inst(copy.inst).results[0]);
    copy.is_gone = true;
  }

  void keep(const Left& copy) {
    for (const Segment& segment : segments_) {
      interference_.add_segment(copy.web, segment, copy.value);
    }
  }

  void use_instead(const Left& above, Left& below) {
    if (!is_kept(above.block, above.position, below)) return;
    keep(below);
    drop(below);
  }

  // One copy at the end of the block above both.
  void hoist(Left& x, Left& y) {
    BlockId top = x.block, other = y.block;
    while (top != other) {
      if (dominators_.level(top) >= dominators_.level(other)) {
        top = dominators_.idom(top);
      } else {
        other = dominators_.idom(other);
      }
    }
    if (top == x.block || top == y.block) return;
    double weight = frequencies_.of(top);
    if (weight > x.weight + y.weight + kEachCopy) return;
    uint32_t position = ranges_.end_position(top);
    if (interference_.is_read_after(x.web, position, x.value)) return;
    // The value must be there already.
    Operand source = function_.operands(x.inst)[0];
    const Definition& definition = ranges_.definition(source.reg());
    if (!dominators_.dominates(definition.block, top)) return;
    if (!is_kept(top, position, x)) return;
    std::vector<Segment> for_x = segments_;
    if (!is_kept(top, position, y)) return;
    keep(y);
    segments_.swap(for_x);
    keep(x);
    Reg result = function_.inst(x.inst).results[0];
    InstId copy = copies_.make(source, function_.type(result), Guard(), result);
    copies_.at_end(top, copy);
    kept_.push_back({x.web, x.value, position});
    drop(x);
    drop(y);
    x.is_gone = false;
    x.inst = copy;
    x.block = top;
    x.position = position;
    x.order = dominators_.pre_number(top);
    x.weight = weight;
  }

  struct Kept {
    Reg web;
    uint64_t value;
    uint32_t position;
  };

  Function& function_;
  const Dominators& dominators_;
  const Frequencies& frequencies_;
  WebInterference& interference_;
  const LiveRanges& ranges_;
  const Webs& webs_;
  Copies& copies_;
  std::vector<Left> left_;
  std::vector<Kept> kept_;
  std::vector<Segment> segments_;
};

}  // namespace

void share_copies(Function& function, Analyses& analyses, WebInterference& interference, const Webs& webs,
                  Copies& copies) {
  CopySharing(function, analyses, interference, webs, copies).run();
}

}  // namespace psi::destruct

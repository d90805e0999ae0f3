// Briggs, Cooper, Harvey, Simpson: "Practical improvements to the construction and destruction of static
// single assignment form", 1998, its second half.
//
//     @loop: x = phi [@entry: a], [@loop: b]          @entry: x = a
//            b = add x, 1                      ==>    @loop:  t = x            x would be lost at @exit
//            br p, @loop, @exit                               b = add t, 1
//     @exit: ret x                                            x = b
//                                                             br p, @loop, @exit
//                                                     @exit:  ret t
//
// Every argument is copied to the phi's result at the end of its predecessor; the copies of one block happen
// at once, so that results may swap (the order, with one temporary for each cycle, comes with the last step
// of all methods). A result that is still live when it is overwritten is first saved in a temporary, just
// below the phi.
//
// Here the reverse: the register of the arguments gets a new name, and the result, now the temporary, keeps
// its own. So all reads see the temporary. The paper renames those in blocks that the overwriting one
// dominates, by name stacks on a walk of the dominator tree; this saves no copy, and misses reads behind a
// join below such a block. Copies are above the terminators, so the terminators' operands are also live
// there. A result that psis join with others is live where these are.
//
// Time: copies, and the segments where results are live. Leaves copies to the register allocator.
#include <algorithm>
#include <utility>

#include "destruct/coalesce.h"
#include "destruct/finish.h"
#include "destruct/isolate.h"
#include "destruct/methods.h"
#include "destruct/phis.h"
#include "psi/analysis/dominators.h"

namespace psi::destruct {

using namespace live;
namespace {

class Briggs {
 public:
  explicit Briggs(Translation& t) : t_(t), function_(t.function) {}

  void run() {
    isolate_phis(function_, t_.analyses, PhiCopies::Arguments, t_.copies);
    t_.copies.apply();
    t_.analyses.drop(Keeps::ControlFlow);
    unite_ties(function_, t_.analyses.get<Dominators>(), t_.webs, Ties::AllButPhis);
    // Copies of arguments are never guarded, so conditions do not matter.
    RangeConditions conditions(function_, t_.analyses, false);
    std::vector<uint8_t> wanted = registers_in_webs(function_, t_.webs, {});
    mark_registers_of_phis(function_, wanted);
    LiveRanges ranges(function_, t_.analyses, t_.copies.parallel(), conditions, std::move(wanted));
    for (BlockId b : t_.analyses.get<Dominators>().preorder()) {
      for_each_phi(function_, b, [&](InstId phi) {
        if (is_overwritten(phi, ranges)) save(b, phi);
        Reg result = function_.inst(phi).results[0];
        for_each_argument(function_, phi, [&](Reg r) { t_.webs.unite(result, r); });
      });
    }
    t_.copies.apply();
    t_.analyses.drop(Keeps::ControlFlow);
    t_.counters.add("liveness and interference bytes",
                    ranges.peak_memory() + overwritten_.capacity() * sizeof(uint32_t));
  }

 private:
  // Is a member of the result's web still live where the argument of some predecessor is copied? The member
  // may be the argument of another phi.
  bool is_overwritten(InstId phi, const LiveRanges& ranges) {
    overwritten_.clear();
    for_each_argument(function_, phi, [&](Reg r) { overwritten_.push_back(ranges.definition(r).position); });
    std::sort(overwritten_.begin(), overwritten_.end());
    bool found = false;
    t_.webs.for_each_member(function_.inst(phi).results[0], [&](Reg member) {
      for (const LiveRange& range : ranges.of(member)) {
        for (const Segment& segment : ranges.segments(range)) {
          auto at = std::lower_bound(overwritten_.begin(), overwritten_.end(), segment.start);
          found = found || (at != overwritten_.end() && segment.is_live_after(*at));
        }
      }
    });
    return found;
  }

  void save(BlockId b, InstId phi) {
    Reg result = function_.inst(phi).results[0];
    Type type = function_.type(result);
    Reg inner = function_.add_reg(type);
    t_.copies.at_head(b, t_.copies.make(Operand::reg(inner), type, Guard(), result));
    function_.inst(phi).results[0] = inner;
    t_.webs.grow(function_.num_regs());
  }

  Translation& t_;
  Function& function_;
  std::vector<uint32_t> overwritten_;  // where the phi looked at has its arguments copied, sorted
};

}  // namespace

void translate_briggs(Translation& t) {
  StepClock clock(t.times);
  Briggs(t).run();
  clock.end("copies");
}

}  // namespace psi::destruct

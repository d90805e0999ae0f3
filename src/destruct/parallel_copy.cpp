// Sequentialises parallel copies.
//
//   a = b            c = a                p ? a = b            q ? c = a
//   b = a      ==>   a = b                p ? b = a      ==>   t = a
//   c = a            b = c                q ? c = a            p ? a = b
//                                                              p ? b = t
//
// A copy can be made once no other waiting copy reads its target, as source or as guard. Where all wait, some
// form a cycle. The cycle is broken where one of them finds its source in the target of a copy that was made;
// otherwise one of the registers is saved in a temporary.
//
// Briggs et al. 1998, figure 14, and Boissinot et al. 2009, algorithm 1, with two differences. Copies have
// guards, so a copy waits for two registers, a register may have several writers, and the target of a guarded
// copy holds the value only for those under the same guard. And sources are read from their original
// registers as long as possible, so that copies have no unnecessary dependences.
#include "psi/destruct/parallel_copy.h"

#include <algorithm>
#include <memory_resource>
#include <optional>

#include "support/scratch.h"

namespace psi {
namespace {

constexpr uint32_t kNoCopy = UINT32_MAX;

class Sequence {
 public:
  Sequence(std::span<const Copy> parallel, const std::function<Reg(Reg)>& make_temporary)
      : parallel_(parallel), make_temporary_(make_temporary) {}

  std::vector<Copy> run() {
    find_writers();
    find_readers();
    find_ready();
    result_.reserve(num_waiting_);
    while (true) {
      while (!ready_.empty()) make_one();
      if (num_waiting_ == 0) break;
      break_cycle();
    }
    return std::move(result_);
  }

 private:
  // A copy that is not made yet. Its sources change when they move to other registers.
  struct Waiting {
    Copy copy;
    uint32_t target = kNoCopy;
    // What it reads of the registers that are overwritten.
    uint32_t source = kNoCopy;
    uint32_t guard = kNoCopy;
    uint32_t place_on_path = kNoCopy;
    bool waits = false;

    bool reads(uint32_t overwritten) const { return source == overwritten || guard == overwritten; }
  };
  // A register that copies write.
  struct Overwritten {
    Reg reg;
    uint32_t first_writer = 0;
    uint32_t first_reader = 0;
    uint32_t num_readers = 0;  // that wait
  };
  using Indices = std::pmr::vector<uint32_t>;

  // Drops redundant copies.
  void find_writers() {
    copies_.resize(parallel_.size());
    for (uint32_t i = 0; i < parallel_.size(); ++i) {
      const Copy& copy = parallel_[i];
      if (copy.source.is_undef() || copy.source == Operand::reg(copy.target)) continue;
      copies_[i].copy = copy;
      copies_[i].waits = true;
      writers_.push_back(i);
    }
    num_waiting_ = writers_.size();
    std::sort(writers_.begin(), writers_.end(), [&](uint32_t a, uint32_t b) {
      return std::pair(copies_[a].copy.target, a) < std::pair(copies_[b].copy.target, b);
    });
    for (uint32_t i = 0; i < writers_.size(); ++i) {
      Waiting& writer = copies_[writers_[i]];
      if (registers_.empty() || registers_.back().reg != writer.copy.target) {
        registers_.push_back({.reg = writer.copy.target, .first_writer = i});
      }
      writer.target = static_cast<uint32_t>(registers_.size()) - 1;
    }
    registers_.push_back({.reg = Reg(), .first_writer = static_cast<uint32_t>(writers_.size())});
  }

  void find_readers() {
    for (Waiting& waiting : copies_) {
      if (!waiting.waits) continue;
      if (waiting.copy.source.is_reg()) waiting.source = find(waiting.copy.source.reg());
      if (waiting.copy.guard) waiting.guard = find(waiting.copy.guard.reg());
      for_each_read(waiting, [&](uint32_t r) { ++registers_[r].num_readers; });
    }
    uint32_t end = 0;
    for (Overwritten& r : registers_) r.first_reader = end += r.num_readers;
    readers_.resize(end);
    for (uint32_t i = static_cast<uint32_t>(copies_.size()); i-- > 0;) {
      for_each_read(copies_[i], [&](uint32_t r) { readers_[--registers_[r].first_reader] = i; });
    }
  }

  void find_ready() {
    for (uint32_t i = static_cast<uint32_t>(copies_.size()); i-- > 0;) {
      if (copies_[i].waits && is_ready(copies_[i])) ready_.push_back(i);
    }
  }

  uint32_t find(Reg reg) const {
    auto end = registers_.end() - 1;
    auto at = std::lower_bound(registers_.begin(), end, reg,
                               [](const Overwritten& r, Reg sought) { return r.reg < sought; });
    return at != end && at->reg == reg ? static_cast<uint32_t>(at - registers_.begin()) : kNoCopy;
  }

  template <class Visit>
  static void for_each_read(const Waiting& waiting, Visit visit) {
    if (waiting.source != kNoCopy) visit(waiting.source);
    if (waiting.guard != kNoCopy && waiting.guard != waiting.source) visit(waiting.guard);
  }
  std::span<const uint32_t> writers(uint32_t r) const {
    return std::span(writers_).subspan(registers_[r].first_writer,
                                       registers_[r + 1].first_writer - registers_[r].first_writer);
  }
  std::span<const uint32_t> readers(uint32_t r) const {
    return std::span(readers_).subspan(registers_[r].first_reader,
                                       registers_[r + 1].first_reader - registers_[r].first_reader);
  }

  // It may read its own target, as a guard.
  bool is_ready(const Waiting& waiting) const {
    return registers_[waiting.target].num_readers == (waiting.reads(waiting.target) ? 1 : 0);
  }

  void make_one() {
    Waiting& made = copies_[ready_.back()];
    ready_.pop_back();
    result_.push_back(made.copy);
    made.waits = false;
    --num_waiting_;
    for_each_read(made, [&](uint32_t r) { drop_reader(r); });
  }

  void drop_reader(uint32_t r) {
    if (--registers_[r].num_readers > 1) return;
    for (uint32_t writer : writers(r)) {
      if (copies_[writer].waits && is_ready(copies_[writer])) ready_.push_back(writer);
    }
  }

  // Walks from copy to copy, each reading the register that the previous one overwrites, until one repeats.
  void break_cycle() {
    while (!copies_[first_waiting_].waits) ++first_waiting_;
    path_.clear();
    uint32_t at = first_waiting_;
    for (; copies_[at].place_on_path == kNoCopy; at = a_reader_after(at)) {
      copies_[at].place_on_path = static_cast<uint32_t>(path_.size());
      path_.push_back(at);
    }
    std::span<const uint32_t> cycle = std::span(path_).subspan(copies_[at].place_on_path);
    for (uint32_t i : path_) copies_[i].place_on_path = kNoCopy;

    uint32_t busiest = copies_[cycle[0]].target;
    uint64_t most_paths = 0;
    for (size_t i = 0; i < cycle.size(); ++i) {
      uint32_t overwritten = copies_[cycle[i]].target;
      if (find_elsewhere(cycle[(i + 1) % cycle.size()], overwritten)) return;
      uint64_t paths = paths_through(overwritten);
      if (paths <= most_paths) continue;
      most_paths = paths;
      busiest = overwritten;
    }
    save(busiest);
  }

  uint32_t a_reader_after(uint32_t writer) const {
    uint32_t r = copies_[writer].target;
    for (uint32_t reader : readers(r)) {
      if (reader != writer && copies_[reader].waits && copies_[reader].reads(r)) return reader;
    }
    return kNoCopy;  // the writer would have been ready
  }

  // On how many paths do copies wait for others because of this register? All end when it is saved.
  uint64_t paths_through(uint32_t r) const {
    uint64_t num_reads = 0;
    for (uint32_t writer : writers(r)) {
      if (!copies_[writer].waits) continue;
      for_each_read(copies_[writer], [&](uint32_t read) { num_reads += read != r; });
    }
    return num_reads * registers_[r].num_readers;
  }

  // Redirects a copy to another register with the same value, if there is one.
  bool find_elsewhere(uint32_t index, uint32_t overwritten) {
    Waiting& reader = copies_[index];
    std::optional<Reg> for_source, for_guard;
    for (uint32_t i : readers(overwritten)) {
      const Copy& made = parallel_[i];
      if (copies_[i].waits || made.source != Operand::reg(registers_[overwritten].reg)) continue;
      if (made.guard.is_always()) {
        for_source = for_guard = made.target;
      } else if (made.guard == parallel_[index].guard) {
        for_source = made.target;
      }
    }
    if ((reader.source == overwritten && !for_source) || (reader.guard == overwritten && !for_guard)) {
      return false;
    }
    redirect(reader, overwritten, for_source.value_or(Reg()), for_guard.value_or(Reg()));
    drop_reader(overwritten);
    return true;
  }

  void save(uint32_t overwritten) {
    Reg saved = registers_[overwritten].reg;
    Reg temporary = make_temporary_(saved);
    result_.push_back({temporary, Operand::reg(saved), Guard()});
    for (uint32_t i : readers(overwritten)) {
      if (copies_[i].waits) redirect(copies_[i], overwritten, temporary, temporary);
    }
    registers_[overwritten].num_readers = 1;
    drop_reader(overwritten);
  }

  static void redirect(Waiting& reader, uint32_t overwritten, Reg for_source, Reg for_guard) {
    if (reader.source == overwritten) {
      reader.copy.source = Operand::reg(for_source);
      reader.source = kNoCopy;
    }
    if (reader.guard == overwritten) {
      reader.copy.guard = Guard(for_guard, reader.copy.guard.is_negated());
      reader.guard = kNoCopy;
    }
  }

  std::span<const Copy> parallel_;
  const std::function<Reg(Reg)>& make_temporary_;
  Scratch scratch_;
  std::pmr::vector<Waiting> copies_{&scratch_};         // as in parallel_
  std::pmr::vector<Overwritten> registers_{&scratch_};  // in the order of their numbers, and one more
  Indices writers_{&scratch_};                          // copies, by the register
  Indices readers_{&scratch_};                          // likewise, those that were redirected too
  Indices ready_{&scratch_};
  Indices path_{&scratch_};
  uint32_t first_waiting_ = 0;  // none before it
  size_t num_waiting_ = 0;
  std::vector<Copy> result_;
};

}  // namespace

std::vector<Copy> sequentialise(std::span<const Copy> parallel,
                                const std::function<Reg(Reg saved)>& make_temporary) {
  return Sequence(parallel, make_temporary).run();
}

}  // namespace psi

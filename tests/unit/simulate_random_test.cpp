// Random packets, executed by the simulator and by a model that does what docs/simulation.md says in the
// plainest way: every write is remembered with its cycle, and every read searches them.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "simulate_testing.h"

namespace psi::simulate_random_test {
namespace {

using Role = MachineTiming::Role;

constexpr int kPredicate = 100;  // registers from here on are predicates
constexpr int kCounter = 8, kAddress = 9, kZero = 10, kNumRegs = 11, kNumPredicates = 2;

std::string name_of(int reg) {
  return reg >= kPredicate ? fmt::format("%p{}", reg - kPredicate) : fmt::format("%r{}", reg);
}

struct Op {
  std::string name;  // of the form
  uint32_t cls = kAlu;
  int dest = -1;
  std::vector<int> reads;
  int64_t literal = 0;
  bool has_literal = false;
  int guard = -1;
  bool negated = false;
  int target = -1;  // block
  bool is_jump() const { return target >= 0; }
};

using Packet = std::vector<Op>;

struct Code {
  std::vector<std::vector<Packet>> blocks;  // the last one returns
};

struct Shape {
  bool one_by_one = false;  // packets of one
  bool has_guards = true;
};

class Maker {
 public:
  Maker(uint64_t seed, Shape shape) : random_(seed), shape_(shape) {}

  Code make() {
    Code code;
    int blocks = 3 + pick(3);
    for (int b = 0; b < blocks; ++b) {
      std::vector<Packet>& block = code.blocks.emplace_back();
      if (b == 0) {
        for (int p = 0; p < kNumPredicates; ++p) block.push_back({compare(kPredicate + p)});
        for (int i = 0; i < 6; ++i) block.push_back({nop()});
      }
      int count = 1 + pick(5);
      for (int i = 0; i < count; ++i) block.push_back(packet());
      if (b + 1 == blocks) break;
      Op exit = jump(b + 1 + pick(blocks - b - 1));
      exit.guard = predicate();
      exit.negated = pick(2) != 0;
      if (b > 0 && pick(2) == 0) {
        // A loop, as often as the counter says.
        Op down = {"sub", kAlu, kCounter, {kCounter}, 1, true};
        block.push_back({down});
        exit = {"blt", kJump, -1, {kZero, kCounter}};
        exit.target = 1 + pick(b);
      }
      Packet last;
      if (!shape_.one_by_one && pick(2) == 0) last.push_back(operation(false));
      last.push_back(exit);
      block.push_back(last);
      last.clear();
      last.push_back(jump(pick(3) == 0 ? b + 1 + pick(blocks - b - 1) : b + 1));
      block.push_back(last);
    }
    return code;
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<uint64_t>(below)); }
  int predicate() { return kPredicate + pick(kNumPredicates); }

  static Op nop() { return {"nop", kAlu, -1, {}}; }
  static Op jump(int target) {
    Op op = {"jump", kJump, -1, {}};
    op.target = target;
    return op;
  }

  Op compare(int dest) { return {"clt", kAlu, dest, {pick(8), pick(8)}}; }

  Op operation(bool may_be_memory) {
    Op op;
    switch (pick(may_be_memory ? 9 : 6)) {
      case 0:
        op = compare(predicate());
        break;
      case 1:
        op = {"copy", kAlu, pick(8), {pick(8)}};
        break;
      case 2:
        op = {"mul", kMul, pick(8), {pick(8), pick(8)}};
        break;
      case 3:
        op = {"mul", kMul, pick(8), {pick(8)}, pick(100), true};
        break;
      case 4:
        op = {"sub", kAlu, pick(8), {pick(8), pick(8)}};
        break;
      case 5:
        op = {"add", kAlu, pick(8), {pick(8)}, pick(100) - 50, true};
        break;
      case 6:
        op = {"load", kMem, pick(8), {kAddress}};
        break;
      default:
        op = {"store", kMem, -1, {pick(8), kAddress}};
        break;
    }
    if (shape_.has_guards && pick(3) == 0) {
      op.guard = predicate();
      op.negated = pick(2) != 0;
    }
    return op;
  }

  Packet packet() {
    Packet made = {operation(true)};
    if (shape_.one_by_one || pick(3) == 0) return made;
    Op other = operation(true);
    bool fits = !(made[0].cls == other.cls && other.cls != kAlu) && made[0].dest != other.dest;
    if (fits) made.push_back(other);
    return made;
  }

  std::mt19937_64 random_;
  Shape shape_;
};

std::string text_of(const Op& op) {
  std::string text = "  ";
  if (op.guard >= 0) text += fmt::format("{}{} ? ", op.negated ? "!" : "", name_of(op.guard));
  if (op.dest >= 0) text += name_of(op.dest) + " = ";
  text += "mini." + op.name;
  std::string operands;
  auto add = [&](const std::string& operand) { operands += (operands.empty() ? " " : ", ") + operand; };
  for (int reg : op.reads) add(name_of(reg));
  if (op.has_literal) add(fmt::format("{}", op.literal));
  if (op.is_jump()) add(fmt::format("@b{}", op.target));
  return text + operands;
}

// In packets, or without marks one by one.
std::string text_of(const Code& code, bool in_packets) {
  std::string text = "global $g align 8 { i64 77 }\n\nfunc $f(";
  for (int r = 0; r < kNumRegs; ++r) text += fmt::format("{}%r{}: i64", r == 0 ? "" : ", ", r);
  text += fmt::format(") -> i64 {} target mini {{\n", in_packets ? "allocated" : "plain");
  std::string_view stop = in_packets ? " ;;\n" : "\n";
  for (size_t b = 0; b < code.blocks.size(); ++b) {
    text += fmt::format("@b{}:\n", b);
    for (const Packet& packet : code.blocks[b]) {
      for (size_t i = 0; i < packet.size(); ++i) {
        text += text_of(packet[i]) + (i + 1 == packet.size() ? std::string(stop) : "\n");
      }
    }
  }
  for (int i = 0; i < 20; ++i) text += fmt::format("  mini.nop{}", stop);
  for (int r = 1; r < 8; ++r) {
    text += fmt::format("  %r0 = mini.xor %r0, %r{}{}", r, stop);
    for (int i = 0; i < 8; ++i) text += fmt::format("  mini.nop{}", stop);
  }
  return text + fmt::format("  mini.ret %r0{}}}\n", stop);
}

// The model.
class Model {
 public:
  Model(const Code& code, const MachineTiming& timing, std::vector<int64_t> arguments)
      : code_(code), timing_(timing) {
    for (int r = 0; r < kNumRegs; ++r)
      write(r, kAlu, static_cast<uint64_t>(arguments[static_cast<size_t>(r)]), -1000);
  }

  uint64_t cycle = 0, packets = 0, stalls = 0, taken = 0, operations = 0, nullified = 0, slot_stalls = 0;
  bool finished = false;

  uint64_t run() {
    size_t block = 0, index = 0;
    for (int steps = 0; steps < 3000; ++steps) {
      if (index == code_.blocks[block].size()) {
        finished = true;
        for (int i = 0; i < 20; ++i) issue_plain();
        uint64_t result = last(0);
        for (int r = 1; r < 8; ++r) result ^= last(r);
        return result;
      }
      Packet packet = code_.blocks[block][index++];
      // A jump to the next block is not there.
      if (!packet.empty() && packet.back().name == "jump" && packet.back().guard < 0 &&
          packet.back().target == static_cast<int>(block) + 1) {
        int next = packet.back().target;
        packet.pop_back();
        if (!packet.empty()) issue(packet);
        block = static_cast<size_t>(next);
        index = 0;
        continue;
      }
      int target = issue(packet);
      if (target < 0) continue;
      if (target != static_cast<int>(block) + 1 || is_followed(block, index)) {
        ++taken;
        cycle += timing_.taken_cost;
      }
      block = static_cast<size_t>(target);
      index = 0;
    }
    return 0;
  }

 private:
  struct Write {
    int reg;
    uint32_t cls;
    uint64_t value;
    int64_t issued;
  };

  // Does a packet follow in the block, over which a branch jumps?
  bool is_followed(size_t block, size_t index) const {
    if (index == code_.blocks[block].size()) return false;
    const Op& first = code_.blocks[block][index].front();
    return first.name != "jump" || first.guard >= 0 || first.target != static_cast<int>(block) + 1;
  }

  void issue_plain() { ++cycle; }

  void write(int reg, uint32_t cls, uint64_t value, int64_t issued) {
    writes_.push_back({reg, cls, value, issued});
  }

  uint64_t last(int reg) const {
    for (size_t i = writes_.size(); i-- > 0;) {
      if (writes_[i].reg == reg) return landed(reg, kAlu, Role::Any, "");
    }
    return 0;
  }

  int64_t lands(const Write& write, uint32_t reader, Role role, std::string_view operand) const {
    if (write.issued < 0) return -1;
    return write.issued + timing_.latency(write.cls, reader, role, operand);
  }

  // What a reader sees at this cycle: on an interlocked machine it has waited for the last write.
  uint64_t landed(int reg, uint32_t reader, Role role, std::string_view operand) const {
    const Write* best = nullptr;
    int64_t best_at = 0;
    for (const Write& each : writes_) {
      if (each.reg != reg) continue;
      bool is_there = lands(each, reader, role, operand) <= static_cast<int64_t>(cycle);
      if (!is_there && !timing_.interlocked) continue;
      // When a write is seen depends on the reader, which one stays does not.
      int64_t at = each.issued < 0 ? -1 : each.issued + timing_.classes[each.cls].latency;
      if (!best || timing_.interlocked || at >= best_at) best = &each, best_at = at;
    }
    return best ? best->value : 0;
  }

  struct Read {
    int reg;
    Role role;
    std::string operand;
  };

  std::vector<Read> reads_of(const Op& op) const {
    std::vector<Read> reads;
    for (size_t i = 0; i < op.reads.size(); ++i) {
      bool is_address = (op.name == "load" && i == 0) || (op.name == "store" && i == 1);
      bool is_value = op.name == "store" && i == 0;
      std::string name = is_address ? "m.b" : is_value ? "v" : i == 0 ? "a" : "b";
      reads.push_back({op.reads[i], is_address ? Role::Address : is_value ? Role::Value : Role::Any, name});
    }
    return reads;
  }

  bool is_forwarded_guard(const Packet& packet, size_t reader) const {
    bool any = false;
    for (size_t i = 0; i < reader; ++i) {
      if (packet[i].dest != packet[reader].guard || packet[reader].guard < 0) continue;
      any = std::any_of(timing_.forwards.begin(), timing_.forwards.end(), [&](const auto& rule) {
        auto has = [](const std::vector<uint32_t>& all, uint32_t each) {
          return std::find(all.begin(), all.end(), each) != all.end();
        };
        return rule.guard && has(rule.from, packet[i].cls) &&
               (rule.to.empty() || has(rule.to, packet[reader].cls));
      });
    }
    return any;
  }

  void wait(const Packet& packet) {
    if (!timing_.interlocked) return;
    int64_t until = static_cast<int64_t>(cycle);
    auto wait_for = [&](int reg, uint32_t reader, Role role, std::string_view operand) {
      for (size_t i = writes_.size(); i-- > 0;) {
        if (writes_[i].reg != reg) continue;
        until = std::max(until, lands(writes_[i], reader, role, operand));
        return;
      }
    };
    for (size_t i = 0; i < packet.size(); ++i) {
      for (const Read& read : reads_of(packet[i])) wait_for(read.reg, packet[i].cls, read.role, read.operand);
      if (packet[i].guard >= 0 && !is_forwarded_guard(packet, i)) {
        wait_for(packet[i].guard, packet[i].cls, Role::Guard, "");
      }
    }
    stalls += static_cast<uint64_t>(until) - cycle;
    cycle = static_cast<uint64_t>(until);
  }

  void wait_for_slots(const Packet& packet) {
    // Only multiplications keep a slot, 0; alu has another one, unless two of them are in the packet.
    if (timing_.classes[kMul].busy <= 1) return;
    bool has_mul = false, needs_1 = false;
    int alu = 0;
    for (const Op& op : packet) {
      has_mul |= op.cls == kMul;
      needs_1 |= op.cls == kMem || op.cls == kJump;
      alu += op.cls == kAlu;
    }
    bool needs_0 = has_mul || alu == 2 || (alu == 1 && needs_1);
    if (needs_0 && busy_until_ > cycle) {
      slot_stalls += busy_until_ - cycle;
      cycle = busy_until_;
    }
    if (has_mul) busy_until_ = cycle + timing_.classes[kMul].busy;
  }

  // The block that the packet jumps to; -1: none.
  int issue(const Packet& packet) {
    wait(packet);
    wait_for_slots(packet);
    ++packets;
    operations += packet.size();
    int target = -1;
    std::vector<Write> made;
    uint64_t stored = memory_;
    for (size_t i = 0; i < packet.size(); ++i) {
      const Op& op = packet[i];
      std::vector<uint64_t> v;
      for (const Read& read : reads_of(op)) v.push_back(landed(read.reg, op.cls, read.role, read.operand));
      if (op.has_literal) v.push_back(static_cast<uint64_t>(op.literal));
      if (op.guard >= 0) {
        uint64_t guard = landed(op.guard, op.cls, Role::Guard, "");
        if (is_forwarded_guard(packet, i)) {
          // Of a nullified writer what any reader sees.
          guard = landed(op.guard, kAlu, Role::Any, "?");
          for (const Write& each : made) {
            if (each.reg == op.guard) guard = each.value;
          }
        }
        if ((guard != 0) == op.negated) {
          ++nullified;
          // The machine does not know yet that nothing comes.
          if (op.dest >= 0 && timing_.interlocked) {
            uint64_t old = landed(op.dest, op.cls, Role::Any, "");
            made.push_back({op.dest, op.cls, old, static_cast<int64_t>(cycle)});
          }
          continue;
        }
      }
      uint64_t result = 0;
      if (op.name == "add") result = v[0] + v[1];
      if (op.name == "sub") result = v[0] - v[1];
      if (op.name == "mul") result = v[0] * v[1];
      if (op.name == "copy") result = v[0];
      if (op.name == "clt") result = static_cast<int64_t>(v[0]) < static_cast<int64_t>(v[1]);
      if (op.name == "load") result = memory_;
      if (op.name == "store") stored = v[0];
      if (op.dest >= 0) made.push_back({op.dest, op.cls, result, static_cast<int64_t>(cycle)});
      bool jumps =
          op.name == "jump" || (op.name == "blt" && static_cast<int64_t>(v[0]) < static_cast<int64_t>(v[1]));
      if (jumps && target < 0) target = op.target;
    }
    memory_ = stored;
    writes_.insert(writes_.end(), made.begin(), made.end());
    ++cycle;
    return target;
  }

  const Code& code_;
  const MachineTiming& timing_;
  std::vector<Write> writes_;
  uint64_t memory_ = 77;
  uint64_t busy_until_ = 0;
};

std::vector<int64_t> arguments_of(std::mt19937_64& random) {
  std::vector<int64_t> arguments;
  for (int r = 0; r < 8; ++r) arguments.push_back(static_cast<int64_t>(random() % 2000) - 1000);
  arguments.push_back(static_cast<int64_t>(random() % 6));  // the counter
  Result<Module> asks = parse(
      "global $g align 8 { i64 77 }\n\nfunc $a() -> i64 {\n@entry:\n  %r = ptrtoint.ptr.i64 $g\n  ret "
      "%r\n}\n");
  arguments.push_back(static_cast<int64_t>(interpret(*asks, "a", {}).result.bits));
  arguments.push_back(0);
  return arguments;
}

MachineTiming random_timing(std::mt19937_64& random) {
  MachineTiming timing = mini_timing();
  auto pick = [&](uint64_t from, uint64_t to) {
    return static_cast<uint32_t>(from + random() % (to - from + 1));
  };
  timing.taken_cost = pick(0, 3);
  timing.classes[kAlu].latency = pick(1, 2);
  timing.classes[kMul].latency = pick(1, 5);
  timing.classes[kMem].latency = pick(1, 4);
  timing.latencies.clear();
  for (int i = pick(0, 4); i > 0; --i) {
    MachineTiming::Latency rule;
    rule.from = pick(kAlu, kMem);
    if (pick(0, 1)) rule.to = pick(kAlu, kJump);
    switch (pick(0, 3)) {
      case 0:
        rule.role = Role::Guard;
        break;
      case 1:
        rule.role = Role::Value;
        break;
      case 2:
        if (rule.to != MachineTiming::kAny) rule.operand = "b";
        break;
      default:
        break;
    }
    rule.cycles = pick(1, 5);
    timing.latencies.push_back(rule);
  }
  if (pick(0, 1)) timing.forwards.push_back({true, "", {kAlu}, {}});
  return timing;
}

Simulation run_code(const Module& module, const std::vector<int64_t>& arguments, const MachineTiming& timing,
                    uint64_t trace = 0) {
  std::vector<Value> values;
  for (int64_t number : arguments) values.push_back({static_cast<uint64_t>(number), false});
  SimulateOptions options;
  options.run.record = true;
  options.run.fuel = 20000;
  options.trace = trace;
  return simulate(module, *module.find_symbol("f"), values, timing, options);
}

void compare_with_model(uint64_t seed, bool interlocked, bool busy, int& compared) {
  std::mt19937_64 random(seed);
  MachineTiming timing = random_timing(random);
  timing.interlocked = interlocked;
  if (busy) timing.classes[kMul].busy = 1 + static_cast<uint32_t>(random() % 6);
  Code code = Maker(random(), Shape()).make();
  std::vector<int64_t> arguments = arguments_of(random);
  Model model(code, timing, arguments);
  uint64_t expected = model.run();
  if (!model.finished) return;
  std::string text = text_of(code, true);
  Module module = parse_mini(text);
  // Traced, packets are looked at one by one.
  for (uint64_t trace : {uint64_t{0}, uint64_t{1} << 40}) {
    Simulation made = run_code(module, arguments, timing, trace);
    ASSERT_TRUE(made.outcome.returned()) << made.outcome.message << "\nseed " << seed << "\n" << text;
    ASSERT_EQ(made.outcome.result.bits, expected) << "seed " << seed << "\n" << text;
    uint64_t tail = 20 + 7 * 9 + 1;
    EXPECT_EQ(made.total.packets, model.packets + tail) << "seed " << seed << "\n" << text;
    EXPECT_EQ(made.total.operations, model.operations + tail) << "seed " << seed;
    EXPECT_EQ(made.total.nullified, model.nullified) << "seed " << seed;
    EXPECT_EQ(made.total.stalls() - made.total.slot_stalls, model.stalls) << "seed " << seed << "\n" << text;
    EXPECT_EQ(made.total.slot_stalls, model.slot_stalls) << "seed " << seed << "\n" << text;
    EXPECT_EQ(made.total.taken, model.taken) << "seed " << seed << "\n" << text;
    if (::testing::Test::HasFailure()) return;
  }
  ++compared;
}

TEST(SimulateRandom, InterlockedMachinesWaitAsTheModelDoes) {
  int compared = 0;
  for (uint64_t seed = 0; seed < 1500 && !HasFailure(); ++seed)
    compare_with_model(seed, true, false, compared);
  EXPECT_GT(compared, 1000);
}

TEST(SimulateRandom, ExposedMachinesReadWhatTheModelReads) {
  int compared = 0;
  for (uint64_t seed = 0; seed < 1500 && !HasFailure(); ++seed)
    compare_with_model(seed, false, false, compared);
  EXPECT_GT(compared, 1000);
}

TEST(SimulateRandom, BusySlotsAreWaitedForAsInTheModel) {
  int compared = 0;
  for (uint64_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    compare_with_model(seed, seed % 2 == 0, true, compared);
  }
  EXPECT_GT(compared, 600);
}

// Instructions that do not depend on each other may share packets, on any machine that waits.
TEST(SimulateRandom, PacketsOfIndependentInstructionsAreTheSequence) {
  int packed = 0;
  for (uint64_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    MachineTiming timing = random_timing(random);
    timing.forwards.clear();
    Code code = Maker(random(), Shape{.one_by_one = true}).make();
    std::vector<int64_t> arguments = arguments_of(random);
    Module sequence = parse_mini(text_of(code, false));
    std::vector<Value> values;
    for (int64_t number : arguments) values.push_back({static_cast<uint64_t>(number), false});
    InterpretOptions options;
    options.record = true;
    options.fuel = 20000;
    Outcome expected = interpret(sequence, *sequence.find_symbol("f"), values, options);
    Simulation one_by_one = run_code(sequence, arguments, timing);
    EXPECT_TRUE(refines(expected, one_by_one.outcome)) << refines(expected, one_by_one.outcome).message();

    for (std::vector<Packet>& block : code.blocks) {
      std::vector<Packet> merged;
      for (Packet& packet : block) {
        auto depends = [&](const Op& a, const Op& b) {
          auto reads = [](const Op& op, int reg) {
            return op.guard == reg || std::find(op.reads.begin(), op.reads.end(), reg) != op.reads.end();
          };
          return a.dest >= 0 && (a.dest == b.dest || reads(b, a.dest));
        };
        const Op& op = packet[0];
        bool fits = !merged.empty() && merged.back().size() == 1;
        if (fits) {
          const Op& before = merged.back()[0];
          // What is read before it is written may be together with the writer.
          auto slot = [](const Op& each) { return each.cls == kAlu ? -1 : each.cls == kMul ? 0 : 1; };
          fits = !depends(before, op) && !before.is_jump() && (slot(before) < 0 || slot(before) != slot(op));
        }
        if (fits) {
          merged.back().push_back(op);
          ++packed;
        } else {
          merged.push_back({op});
        }
      }
      block = merged;
    }
    Simulation together = run_code(parse_mini(text_of(code, true)), arguments, timing);
    Result<void> same = refines(expected, together.outcome);
    EXPECT_TRUE(same) << same.message() << "\nseed " << seed << "\n" << text_of(code, true);
    if (expected.returned()) {
      EXPECT_LE(together.total.packets, one_by_one.total.packets);
    }
  }
  EXPECT_GT(packed, 500);
}

}  // namespace
}  // namespace psi::simulate_random_test

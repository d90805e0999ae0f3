#include "target/machines.h"

#include <initializer_list>

namespace psi::target {
namespace {

constexpr OffsetRange kAny = {{INT64_MIN, INT64_MAX}, false, false};

Target machine(std::string name, std::string summary, uint32_t width, std::array<uint32_t, kNumUnits> units,
               std::array<uint32_t, kNumOpGroups> latencies, uint32_t taken, uint32_t missed,
               std::array<uint32_t, 3> registers, AddressingModes addressing) {
  Target target;
  target.name = std::move(name);
  target.summary = std::move(summary);
  target.issue_width = width;
  target.units = units;
  target.latencies = latencies;
  target.branch_cost = taken;
  target.misprediction = missed;
  target.registers = {RegisterClass{"r", registers[0]}, RegisterClass{"p", registers[1]},
                      RegisterClass{"f", registers[2]}};
  target.addressing = std::move(addressing);
  return target;
}

void guard(Target& target, std::initializer_list<Opcode> ops) {
  for (Opcode op : ops) target.guarded.set(static_cast<size_t>(op));
}

void full(Target& target) {
  target.guarded.set();
  target.has_select = false;
  target.actions.set();
}

}  // namespace

TargetTable builtin_machines() {
  TargetTable table;
  AddressingModes everything{
      .index = true, .index_with_offset = true, .any_scale = true, .address_of = true, .offsets = {kAny}};
  OffsetRange extended{{INT32_MIN, INT32_MAX}, false, true};
  // integer move multiply divide compare select load store float fdivide branch call
  Target t =
      machine("generic", "no machine in particular; every instruction and address there is", 4,
              {4, 4, 4, 4, 4}, {1, 1, 3, 20, 1, 1, 3, 1, 4, 20, 1, 5}, 1, 10, {64, 64, 64}, everything);
  full(t);
  t.has_select = true;
  t.free_complement = true;
  table.add(t);
  t = machine("playdoh", "HPL PlayDoh with four units: every instruction guarded, every cmpp", 4,
              {4, 4, 4, 4, 4}, {1, 1, 3, 8, 1, 0, 2, 1, 3, 8, 1, 4}, 1, 5, {64, 64, 64}, {});
  full(t);
  table.add(t);
  t = machine("ia64", "Intel Itanium 2: two bundles of three, every instruction guarded", 6, {6, 2, 4, 3, 2},
              {1, 1, 15, 40, 1, 0, 1, 1, 4, 30, 1, 6}, 1, 6, {128, 64, 128}, {});
  full(t);
  table.add(t);
  t = machine("hexagon", "Qualcomm Hexagon V60: VLIW of four, most instructions guarded", 4, {4, 2, 2, 2, 2},
              {1, 1, 3, 0, 1, 1, 3, 1, 4, 0, 1, 6}, 2, 6, {32, 4, 0},
              {.index = true, .max_scale = 8, .offsets = {{{-1024, 1023}, true, false}, extended}});
  t.has_select = t.free_complement = true;
  guard(t, {Opcode::Add, Opcode::Sub, Opcode::And, Opcode::Or, Opcode::Xor, Opcode::Mov, Opcode::Trunc,
            Opcode::Sext, Opcode::Zext, Opcode::PtrAdd, Opcode::Load, Opcode::Store, Opcode::Call, Opcode::Br,
            Opcode::Ret});
  table.add(t);
  t = machine("st231p", "ST231 with guarded loads and stores: VLIW of four with selects", 4, {4, 2, 1, 1, 0},
              {1, 1, 3, 0, 1, 1, 3, 1, 0, 0, 1, 6}, 2, 0, {64, 8, 0},
              {.offsets = {{{-256, 255}, false, false}, extended}});
  t.has_select = true;
  guard(t, {Opcode::Load, Opcode::Store});
  table.add(t);
  t.name = "st200";
  t.summary = "STMicroelectronics ST231: VLIW of four with selects";
  t.guarded.reset();
  table.add(t);
  t = machine("select", "what x86-64 and AArch64 share: selects", 4, {4, 1, 2, 1, 2},
              {1, 1, 3, 20, 1, 1, 4, 1, 4, 12, 1, 5}, 1, 15, {16, 0, 16},
              {.index = true, .scale_by_size = true, .offsets = {{{-256, 255}, false, false}}});
  t.has_select = t.free_complement = true;
  table.add(t);
  t = machine("x86-64", "x86-64, as Skylake: conditional moves, rich addresses", 4, {4, 1, 2, 2, 2},
              {1, 1, 3, 26, 1, 1, 5, 1, 4, 14, 1, 5}, 1, 16, {16, 0, 16},
              {.index = true,
               .index_with_offset = true,
               .max_scale = 8,
               .address_of = true,
               .offsets = {{{INT32_MIN, INT32_MAX}, false, false}}});
  t.has_select = t.free_complement = true;
  table.add(t);
  t = machine("aarch64", "AArch64, as Cortex-A72: conditional selects", 3, {2, 1, 2, 1, 2},
              {1, 1, 3, 12, 1, 1, 4, 1, 4, 17, 1, 5}, 1, 15, {31, 0, 32},
              {.index = true,
               .scale_by_size = true,
               .offsets = {{{0, 4095}, true, false}, {{-256, 255}, false, false}}});
  t.has_select = t.free_complement = true;
  table.add(t);
  t = machine("none", "branches alone", 1, {1, 1, 1, 1, 1}, {1, 1, 3, 20, 1, 0, 2, 1, 4, 20, 1, 4}, 1, 3,
              {32, 0, 32}, {.offsets = {{{-2048, 2047}, false, false}}});
  table.add(t);
  t = machine("riscv", "RISC-V RV64GC, as SiFive U74: branches alone", 2, {2, 1, 1, 1, 1},
              {1, 1, 3, 20, 1, 0, 3, 1, 7, 25, 1, 5}, 1, 4, {31, 0, 32},
              {.offsets = {{{-2048, 2047}, false, false}}});
  table.add(t);
  return table;
}

}  // namespace psi::target

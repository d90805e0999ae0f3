// Programs with pointers of 32 bits: their objects lie in one space of 4 GiB.
#include <fmt/format.h>

#include <set>

#include "interp/flat_space.h"
#include "interp_test_util.h"
#include "psi/ir/builder.h"

namespace psi::interp_test {
namespace {

using interp::FlatSpace;

constexpr std::string_view kFlatWorld =
    "pointer 32\n"
    "global $g align 4 { i32 1, i32 2 }\n"
    "extern func $malloc(i32) -> ptr\nextern func $free(ptr)\nextern func $use(ptr) -> i32\n";

Outcome flat_outcome(const std::string& text, const InterpretOptions& options = {}) {
  return run(std::string(kFlatWorld) + text, {}, options);
}

TEST(FlatSpace, ObjectsAreApartAndAligned) {
  FlatSpace space;
  auto alive = [](uint32_t) { return true; };
  uint64_t last_end = 0;
  for (uint32_t id = 0; id < 2000; ++id) {
    uint64_t size = uint64_t{id} * id % 9001, align = uint64_t{1} << id % 14;
    uint32_t start = space.place(FlatSpace::Range::Heap, size, align, id, alive);
    ASSERT_NE(start, 0u);
    EXPECT_EQ(start % std::max<uint64_t>(align, FlatSpace::kGranule), 0u);
    EXPECT_GE(start, last_end + (id ? FlatSpace::kGranule : 0));
    last_end = start + size;
    for (uint64_t address : {uint64_t{start}, start + size / 2, start + size}) {
      EXPECT_EQ(space.owner_of(static_cast<uint32_t>(address)).id, id);
      EXPECT_EQ(space.owner_of(static_cast<uint32_t>(address)).start, start);
    }
  }
}

// Addresses come again when the range is exhausted, but not those of what is alive.
TEST(FlatSpace, AliveObjectsKeepTheirPlaces) {
  constexpr uint64_t kSize = 10 << 20;
  FlatSpace space;
  std::set<uint32_t> kept;
  auto alive = [&](uint32_t id) { return id % 7 == 0 && id < 300; };
  std::vector<uint32_t> starts;
  for (uint32_t id = 0; id < 600; ++id) {
    uint32_t start = space.place(FlatSpace::Range::Slots, kSize, 1, id, alive);
    ASSERT_NE(start, 0u) << id;
    for (uint32_t other = 0; other < id && other < 300; ++other) {
      if (!alive(other)) continue;
      ASSERT_TRUE(start >= starts[other] + kSize || start + kSize <= starts[other]) << id << " " << other;
    }
    starts.push_back(start);
  }
}

TEST(FlatSpace, EndsWhereAllIsAlive) {
  FlatSpace space;
  uint32_t id = 0;
  auto alive = [](uint32_t) { return true; };
  while (space.place(FlatSpace::Range::Heap, 100 << 20, 1, id, alive)) ++id;
  EXPECT_EQ(id, 15u);
  EXPECT_EQ(space.place(FlatSpace::Range::Heap, 100 << 20, 1, id, alive), 0u);
  EXPECT_NE(space.place(FlatSpace::Range::Heap, 1 << 20, 1, id, alive), 0u);
}

TEST(InterpFlat, SlotsAndBlocksReuseAddressesAndStayApart) {
  Outcome outcome = flat_outcome(R"(
func $fill() {
@e:
  %s = slot 20000000, align 8
  %h = call.ptr $malloc(20000000)
  store.i32 1, %s
  store.i32 2, %h
  %s1 = ptradd %s, 19999996
  %h1 = ptradd %h, 19999996
  store.i32 3, %s1
  store.i32 4, %h1
  call $free(%h)
  ret
}
func $f() -> i32 {
@e:
  %s = slot 4, align 4
  %h = call.ptr $malloc(4)
  store.i32 40, %s
  store.i32 2, %h
  br @l
@l:
  %i = mov.i32 0
  br @b
@b:
  call $fill()
  %i = add.i32 %i, 1
  %c = cmp.lt.i32 %i, 150
  br %c, @b, @x
@x:
  %x = load.i32 %s
  %y = load.i32 %h
  %z = add.i32 %x, %y
  ret %z
}
)");
  EXPECT_TRUE(returns(outcome, 42)) << outcome.message;
}

TEST(InterpFlat, AddressesAreNumbersOf32Bits) {
  EXPECT_TRUE(returns(flat_outcome(R"(
func $f() -> i32 {
@e:
  %h = call.ptr $malloc(8)
  %s = slot 4
  %below = cmp.ult.ptr %h, %s
  %negative = cmp.lt.ptr %s, %h
  %p = ptradd $g, -4
  %q = ptradd %p, 8
  %x = load.i32 %q
  %a = zext.i1.i32 %below
  %b = zext.i1.i32 %negative
  %y = shl.i32 %a, 4
  %z = shl.i32 %b, 5
  %v = add.i32 %x, %y
  %w = add.i32 %v, %z
  ret %w
}
)"),
                      2 + 16 + 32));
}

TEST(InterpFlat, NoRoomGivesNull) {
  EXPECT_TRUE(returns(flat_outcome("func $f() -> i32 {\n@e:\n  %h = call.ptr $malloc(-1)\n"
                                   "  %c = cmp.eq.ptr %h, null\n  %x = zext.i1.i32 %c\n  ret %x\n}\n"),
                      1));
}

// The difference of two runs; empty if the second refines the first.
std::string flat_difference(const std::string& before, const std::string& after) {
  InterpretOptions options;
  options.record = true;
  options.stub_externals = true;
  auto of = [&](const std::string& body) {
    return flat_outcome("func $f() -> i32 {\n@e:\n" + body + "  ret 0\n}\n", options);
  };
  return refines(of(before), of(after)).message();
}

TEST(InterpFlat, SlotsThatAreRemovedDoNotMatter) {
  std::string unused = "  %u = slot 4\n", slot = "  %s = slot 8\n",
              use = "  store.ptr %s, $g\n  call $use(%s)\n";
  EXPECT_EQ(flat_difference(unused + slot + use, slot + use), "");
  EXPECT_EQ(flat_difference(slot + use, unused + slot + use), "");
  EXPECT_NE(
      flat_difference(slot + "  store.ptr %s, $g\n", slot + "  %t = ptradd %s, 4\n  store.ptr %t, $g\n"), "");
  EXPECT_NE(flat_difference(slot + "  store.ptr %s, $g\n", slot + "  store.ptr $g, $g\n"), "");
  // A number that looks like the address of a slot where there is one.
  std::string number = fmt::format("  store.i32 {}, $g\n", int64_t{FlatSpace::kSlotBase});
  EXPECT_EQ(flat_difference(slot + number, number), "");
  EXPECT_NE(flat_difference(slot + number, slot + "  store.i32 7, $g\n"), "");
}

TEST(InterpFlat, VariadicArgumentsOfTheOutermostFunction) {
  Outcome outcome = run(
      "pointer 32\nfunc $f(...) -> i32 {\n@e:\n  %l = slot 4, align 4\n  va_start %l\n  %a = va_arg.i32 %l\n"
      "  %b = va_arg.i32 %l\n  %x = sub.i32 %a, %b\n  ret %x\n}\n",
      {{7}, {3}});
  EXPECT_TRUE(returns(outcome, 4)) << outcome.message;
}

TEST(PointerBits, BelongToTheModule) {
  Module module;
  module.set_pointer_bits(32);
  Function& f = module.add_function("f", Type::i32, {{Type::ptr, "p"}, {Type::i32, "i"}}, Form::Ssa);
  EXPECT_EQ(f.pointer_bits, 32u);
  EXPECT_EQ(f.address_type(), Type::i32);
  EXPECT_EQ(f.byte_size(Type::ptr), 4u);
  EXPECT_EQ(f.byte_size(Type::i64), 8u);
  EXPECT_EQ(f.value_mask(Type::ptr), 0xffff'ffffu);
  Builder builder(module, f);
  builder.start_block("entry");
  Reg slot = builder.slot(16, 8);
  Reg q = builder.ptrindex(slot, builder.param(1), 4, -4);
  builder.store(Type::i32, 5, builder.ptradd(q, 8));
  builder.store(Type::ptr, slot, slot);
  builder.ret(builder.load(Type::i32, builder.ptradd(slot, 8)));
  Result<void> finished = builder.finish();
  ASSERT_TRUE(finished) << finished.message();
  ASSERT_TRUE(verifies(module));
  EXPECT_EQ(interpret(module, "f", {0, 1}).number(), 5);
  std::string text = print(module);
  EXPECT_TRUE(text.starts_with("pointer 32\n")) << text;
  Result<Module> again = parse(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(print(*again), text);
}

TEST(PointerBits, AreSetBeforeDeclarations) {
  Module late;
  late.intern_symbol("f");
  late.add_function("f", Type::none, {});
  late.set_pointer_bits(32);
  EXPECT_EQ(late.pointer_bits(), 64u);
  EXPECT_FALSE(verifies(late));
  Module wrong;
  wrong.set_pointer_bits(16);
  EXPECT_FALSE(verifies(wrong));
}

}  // namespace
}  // namespace psi::interp_test

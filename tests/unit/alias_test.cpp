#include "psi/analysis/alias.h"

#include <gtest/gtest.h>

#include "parsing.h"

namespace psi {
namespace {

using testing::parse_or_die;

// The only function of a module, and what is known of its addresses.
class AliasTest : public ::testing::Test {
 protected:
  void parse(std::string_view body) {
    module_ = parse_or_die(
        "global $g align 8 { zero 64 }\nglobal $h align 8 { zero 64 }\n"
        "const $c align 8 { zero 64 }\nextern func $any(ptr)\n" +
        std::string(body));
    function_ = module_.find_function("f");
    analyses_.emplace(*function_);
    alias_.emplace(module_, *function_, analyses_->get<Uses>(), analyses_->get<Order>());
  }

  // The bytes of the access with this number among the loads and stores.
  Bytes access(size_t number) {
    for (BlockId b : function_->layout()) {
      for (InstId id : function_->insts(b)) {
        Opcode op = function_->inst(id).op;
        if (op != Opcode::Load && op != Opcode::Store && op != Opcode::Memset) continue;
        if (number-- == 0) return op == Opcode::Load ? alias_->read(id) : alias_->written(id);
      }
    }
    return {};
  }
  bool overlap(size_t a, size_t b) {
    EXPECT_EQ(alias_->may_overlap(access(a), access(b)), alias_->may_overlap(access(b), access(a)));
    return alias_->may_overlap(access(a), access(b));
  }

  Module module_;
  Function* function_ = nullptr;
  std::optional<Analyses> analyses_;
  std::optional<Alias> alias_;
};

TEST_F(AliasTest, OffsetsAreAdded) {
  parse(R"(func $f(%p: ptr, %i: i64) ssa {
@entry:
  %a = ptradd %p, 8
  %b = ptrindex %a, %i, 4, 2
  %c = ptradd %b, -10
  store.i8 1, %c
  ret
})");
  Address address = access(0).address;
  EXPECT_EQ(address.base, Operand::reg(function_->params[0]));
  EXPECT_EQ(address.index, Operand::reg(function_->params[1]));
  EXPECT_EQ(address.scale, 4);
  EXPECT_EQ(address.offset, 0);
}

TEST_F(AliasTest, BytesOfOneObject) {
  parse(R"(func $f(%p: ptr) ssa {
@entry:
  %a = ptradd %p, 4
  %b = ptradd %p, 6
  store.i32 1, %p
  store.i32 1, %a
  store.i32 1, %b, align 2
  memset %p, 0, 5
  ret
})");
  EXPECT_FALSE(overlap(0, 1));
  EXPECT_TRUE(overlap(1, 2));
  EXPECT_FALSE(overlap(0, 2));
  EXPECT_TRUE(overlap(3, 1));
  EXPECT_FALSE(overlap(3, 2));
}

TEST_F(AliasTest, MultiplesOfAPowerOfTwo) {
  parse(R"(func $f(%p: ptr, %i: i64, %j: i64) ssa {
@entry:
  %a = ptrindex %p, %i, 8, 0
  %b = ptrindex %p, %j, 8, 4
  %c = ptrindex %p, %j, 12, 4
  store.i32 1, %a
  store.i32 1, %b
  store.i32 1, %c
  ret
})");
  EXPECT_FALSE(overlap(0, 1));
  // Twelve times something can be any multiple of four.
  EXPECT_TRUE(overlap(0, 2));
}

TEST_F(AliasTest, Objects) {
  parse(R"(func $f(%p: ptr, %i: i64) ssa {
@entry:
  %s = slot 8, align 8
  %t = slot 8, align 8
  call $any(%t)
  %q = load.ptr %p
  store.i32 1, %s
  store.i32 1, %t
  store.i32 1, $g
  store.i32 1, $h
  store.i32 1, %q
  store.i32 1, %p
  ret
})");
  EXPECT_FALSE(overlap(1, 2));
  EXPECT_FALSE(overlap(3, 4));
  EXPECT_FALSE(overlap(1, 5)) << "nobody else knows the slot";
  EXPECT_TRUE(overlap(2, 5)) << "the call may have stored the address";
  EXPECT_FALSE(overlap(2, 6)) << "the argument is older than the slot";
  EXPECT_TRUE(overlap(3, 6));
  EXPECT_TRUE(alias_->is_private(access(1).address.object));
  EXPECT_FALSE(alias_->is_private(access(2).address.object));
}

TEST_F(AliasTest, AddressesOfASlotEscapeThroughWhatIsComputedFromThem) {
  parse(R"(func $f(%p: ptr, %i: i64) ssa {
@entry:
  %s = slot 8, align 8
  %t = slot 8, align 8
  %a = ptradd %s, 4
  %b = ptradd %t, 4
  store.ptr %a, %p
  store.i32 1, %a
  store.i32 1, %b
  ret
})");
  EXPECT_FALSE(alias_->is_private(access(1).address.object));
  EXPECT_TRUE(alias_->is_private(access(2).address.object));
}

TEST_F(AliasTest, ASecondVariablePartIsStillInTheObject) {
  parse(R"(func $f(%i: i64, %j: i64) ssa {
@entry:
  %s = slot 64, align 8
  %a = ptrindex %s, %i, 4, 0
  %b = ptrindex %a, %j, 4, 0
  store.i32 1, %s
  store.i32 1, %b
  ret
})");
  EXPECT_TRUE(overlap(0, 1));
}

TEST_F(AliasTest, ConstantsAreNotWritten) {
  parse(R"(func $f() ssa {
@entry:
  %a = ptradd $c, 4
  %x = load.i32 %a
  %y = load.i32 $g
  ret
})");
  EXPECT_TRUE(alias_->is_constant(access(0).address.object));
  EXPECT_FALSE(alias_->is_constant(access(1).address.object));
}

}  // namespace
}  // namespace psi

// Integers of 65 to 128 bits: bit-fields that cross a boundary, and the arithmetic that comes with them.
// LLVM's APInt is the judge.

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/ArrayRef.h>

#include <array>

#include "importing.h"

namespace psi {
namespace {

// Two numbers of the width, whose halves are parameters, and the result in two halves, of which $f returns
// the one that %upper chooses.
std::string program(unsigned width, std::string_view body) {
  std::string type = "i" + std::to_string(width);
  std::string text = "define i64 @f(i64 %al, i64 %ah, i64 %bl, i64 %bh, i1 %upper) {\n";
  for (std::string name : {"a", "b"}) {
    text += "  %" + name + "0 = zext i64 %" + name + "l to i128\n  %" + name + "1 = zext i64 %" + name +
            "h to i128\n  %" + name + "2 = shl i128 %" + name + "1, 64\n  %" + name + "3 = or i128 %" + name +
            "0, %" + name + "2\n";
    text += "  %" + name + " = " +
            (width == 128 ? "freeze i128 %" + name + "3" : "trunc i128 %" + name + "3 to " + type) + "\n";
  }
  text += std::string(body);
  text += width == 128 ? "  %w = freeze i128 %r\n" : "  %w = zext " + type + " %r to i128\n";
  return text +
         "  %low = trunc i128 %w to i64\n  %shifted = lshr i128 %w, 64\n  %high = trunc i128 %shifted to "
         "i64\n"
         "  %half = select i1 %upper, i64 %high, i64 %low\n  ret i64 %half\n}\n";
}

llvm::APInt number(unsigned width, uint64_t low, uint64_t high) {
  std::array<uint64_t, 2> halves = {low, high};
  return llvm::APInt(128, llvm::ArrayRef<uint64_t>(halves)).trunc(width);
}

using WideOperation = llvm::APInt (*)(const llvm::APInt&, const llvm::APInt&);

void expect_same(unsigned width, const std::string& body, WideOperation operation) {
  Module modules[] = {import_text(program(width, body), ImportMode::Ssa),
                      import_text(program(width, body), ImportMode::Plain)};
  constexpr std::array<uint64_t, 5> kHalves = {0, 1, 0x8000'0000'0000'0000, 0x0123'4567'89ab'cdef,
                                               UINT64_MAX};
  for (uint64_t al : kHalves) {
    for (uint64_t ah : kHalves) {
      for (uint64_t bl : kHalves) {
        for (uint64_t bh : {kHalves[0], kHalves[3], kHalves[4]}) {
          llvm::APInt expected = operation(number(width, al, ah), number(width, bl, bh)).zext(128);
          for (unsigned half : {0u, 1u}) {
            for (const Module& module : modules) {
              Outcome outcome = run(module, "f", {al, ah, bl, bh, half});
              ASSERT_EQ(outcome.status, Outcome::Status::Returned) << outcome.message << body;
              ASSERT_EQ(outcome.result, (Value{expected.extractBitsAsZExtValue(64, half * 64), false}))
                  << body << " of i" << width << ": " << std::hex << al << " " << ah << ", " << bl << " "
                  << bh;
            }
          }
        }
      }
    }
  }
}

constexpr std::array kWidths = {65u, 72u, 100u, 127u, 128u};

TEST(ImportWide, Arithmetic) {
  for (unsigned width : kWidths) {
    std::string type = "i" + std::to_string(width);
    auto binary = [&](const char* op) { return std::string("  %r = ") + op + " " + type + " %a, %b\n"; };
    expect_same(width, binary("and"), [](auto& a, auto& b) { return a & b; });
    expect_same(width, binary("or"), [](auto& a, auto& b) { return a | b; });
    expect_same(width, binary("xor"), [](auto& a, auto& b) { return a ^ b; });
    expect_same(width, binary("add"), [](auto& a, auto& b) { return a + b; });
    expect_same(width, binary("sub"), [](auto& a, auto& b) { return a - b; });
  }
}

TEST(ImportWide, Shifts) {
  for (unsigned width : kWidths) {
    std::string type = "i" + std::to_string(width);
    auto shift = [&](const char* op, const char* by) {
      return std::string("  %r = ") + op + " " + type + " %a, " + by + "\n";
    };
    expect_same(width, shift("shl", "0"), [](auto& a, auto&) { return a; });
    expect_same(width, shift("shl", "7"), [](auto& a, auto&) { return a.shl(7); });
    expect_same(width, shift("shl", "64"), [](auto& a, auto&) { return a.shl(64); });
    expect_same(width, shift("lshr", "63"), [](auto& a, auto&) { return a.lshr(63); });
    expect_same(width, shift("lshr", "64"), [](auto& a, auto&) { return a.lshr(64); });
    expect_same(width, shift("ashr", "5"), [](auto& a, auto&) { return a.ashr(5); });
    expect_same(width, shift("ashr", "64"), [](auto& a, auto&) { return a.ashr(64); });
    if (width <= 70) continue;
    expect_same(width, shift("shl", "71"), [](auto& a, auto&) { return a.shl(71); });
    expect_same(width, shift("lshr", "71"), [](auto& a, auto&) { return a.lshr(71); });
    expect_same(width, shift("ashr", "71"), [](auto& a, auto&) { return a.ashr(71); });
  }
}

TEST(ImportWide, ComparisonsAndSelect) {
  for (unsigned width : kWidths) {
    std::string type = "i" + std::to_string(width);
    auto choose = [&](const char* cond) {
      return std::string("  %c = icmp ") + cond + " " + type + " %a, %b\n  %r = select i1 %c, " + type +
             " %a, " + type + " %b\n";
    };
    expect_same(width, choose("eq"), [](auto& a, auto& b) { return a == b ? a : b; });
    expect_same(width, choose("ult"), [](auto& a, auto& b) { return a.ult(b) ? a : b; });
    expect_same(width, choose("uge"), [](auto& a, auto& b) { return a.uge(b) ? a : b; });
    expect_same(width, choose("slt"), [](auto& a, auto& b) { return a.slt(b) ? a : b; });
    expect_same(width, choose("sle"), [](auto& a, auto& b) { return a.sle(b) ? a : b; });
    expect_same(width, choose("sgt"), [](auto& a, auto& b) { return a.sgt(b) ? a : b; });
  }
}

TEST(ImportWide, Conversions) {
  for (unsigned width : kWidths) {
    std::string type = "i" + std::to_string(width);
    auto from = [&](const char* op, const char* narrow) {
      return "  %n = trunc " + type + " %a to " + narrow + "\n  %r = " + op + " " + narrow + " %n to " +
             type + "\n";
    };
    expect_same(width, from("sext", "i64"), [](auto& a, auto&) { return a.trunc(64).sext(a.getBitWidth()); });
    expect_same(width, from("sext", "i9"), [](auto& a, auto&) { return a.trunc(9).sext(a.getBitWidth()); });
    expect_same(width, from("zext", "i8"), [](auto& a, auto&) { return a.trunc(8).zext(a.getBitWidth()); });
    expect_same(width, from("sext", "i1"), [](auto& a, auto&) { return a.trunc(1).sext(a.getBitWidth()); });
  }
  expect_same(90, "  %n = trunc i90 %a to i70\n  %r = sext i70 %n to i90\n",
              [](auto& a, auto&) { return a.trunc(70).sext(90); });
}

TEST(ImportWide, Memory) {
  for (unsigned width : {65u, 72u, 88u, 96u, 104u, 120u, 128u}) {
    std::string type = "i" + std::to_string(width);
    // A byte beyond what is stored must stay.
    std::string bytes = std::to_string((width + 7) / 8);
    expect_same(width,
                "  %m = alloca [32 x i8], align 1\n  %end = getelementptr i8, ptr %m, i64 " + bytes +
                    "\n  store i8 77, ptr %end\n  store " + type + " %a, ptr %m, align 1\n  %l = load " +
                    type + ", ptr %m, align 1\n  %g = load i8, ptr %end\n  %guard = zext i8 %g to " + type +
                    "\n  %r = add " + type + " %l, %guard\n",
                [](auto& a, auto&) { return a + 77; });
  }
  expect_same(72, "  %r = or i72 %a, 18446744073709551616\n",
              [](auto& a, auto&) { return a | llvm::APInt(72, 1).shl(64); });
}

TEST(ImportWide, Unsupported) {
  EXPECT_EQ(reason_for("define i64 @f(ptr %p, i128 %n) {\n  ret i64 0\n}\n"),
            "uses an integer wider than 64 bits");
  EXPECT_EQ(reason_for("define i64 @f(i64 %x) {\n  %w = zext i64 %x to i128\n  %s = shl i128 %w, %w\n"
                       "  %t = trunc i128 %s to i64\n  ret i64 %t\n}\n"),
            "shifts an integer wider than 64 bits by a variable amount");
  EXPECT_EQ(
      reason_for("declare i128 @g()\ndefine i64 @f() {\n  %w = call i128 @g()\n  %t = trunc i128 %w to i64\n"
                 "  ret i64 %t\n}\n"),
      "uses an integer wider than 64 bits");
}

}  // namespace
}  // namespace psi

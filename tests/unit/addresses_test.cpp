#include "psi/optimise/addresses.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "parsing.h"
#include "psi/interp/interpret.h"
#include "psi/verify/verify.h"

namespace psi {
namespace {

using testing::num_instructions;
using testing::parse_or_die;

// Sums and products of an index and literals, added to the address of a table step by step, some of it under
// a guard. What each sum comes to is known, so that accesses stay within the table.
class RandomAddresses {
 public:
  explicit RandomAddresses(uint32_t seed) : random_(seed) {}

  std::string text() {
    text_ =
        "extern func $see(i32) nounwind\nglobal $table { zero 1000, i64 1234567890123, zero 6000 }\n"
        "func $main(%i: i64, %g: i1) -> i32 ssa {\n@entry:\n  %q0 = mov.ptr $table\n  %x0 = mov.i64 %i\n";
    addresses_ = {{0, 0, false}};
    integers_ = {{1, 0, false}};
    for (int n = 0; n < 24; ++n) {
      if (pick(2) == 0) {
        add_integer();
      } else {
        add_address();
      }
      if (pick(2) == 0) access();
    }
    return text_ + "  ret 0\n}\n";
  }

 private:
  // factor * i + offset, and whether it is there only where the guard is true.
  struct Sum {
    int64_t factor;
    int64_t offset;
    bool guarded;
  };

  uint32_t pick(uint32_t count) { return random_() % count; }
  int64_t literal() {
    constexpr std::array<int64_t, 8> kLiterals = {0, 1, 4, -8, 12, 260, -2500, 100000};
    return kLiterals[pick(8)];
  }
  template <class... Args>
  void line(bool guarded, fmt::format_string<Args...> format, Args&&... args) {
    text_ += guarded ? "  %g ? " : "  ";
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  void add_integer() {
    uint32_t from = pick(static_cast<uint32_t>(integers_.size()));
    Sum sum = integers_[from];
    sum.guarded |= pick(5) == 0;
    size_t r = integers_.size();
    int64_t by = pick(3) == 0 ? literal() : static_cast<int64_t>(pick(4));
    switch (pick(4)) {
      case 0:
        line(sum.guarded, "%x{} = add.i64 {}, %x{}", r, by, from);
        sum.offset += by;
        break;
      case 1:
        line(sum.guarded, "%x{} = sub.i64 {}, %x{}", r, by, from);
        sum = {-sum.factor, by - sum.offset, sum.guarded};
        break;
      case 2:
        by = pick(4);
        line(sum.guarded, "%x{} = shl.i64 %x{}, {}", r, from, by);
        sum = {sum.factor << by, sum.offset << by, sum.guarded};
        break;
      default:
        by = pick(5);
        line(sum.guarded, "%x{} = mul.i64 %x{}, {}", r, from, by);
        sum = {sum.factor * by, sum.offset * by, sum.guarded};
        break;
    }
    integers_.push_back(sum);
  }

  void add_address() {
    uint32_t from = pick(static_cast<uint32_t>(addresses_.size()));
    uint32_t index = pick(static_cast<uint32_t>(integers_.size()));
    Sum sum = addresses_[from];
    sum.guarded |= pick(5) == 0;
    size_t r = addresses_.size();
    int64_t by = literal();
    if (pick(2) == 0) {
      line(sum.guarded, "%q{} = ptradd %q{}, {}", r, from, by);
      sum.offset += by;
    } else {
      const Sum& x = integers_[index];
      int64_t scale = 1 << pick(4);
      sum.guarded |= x.guarded;
      line(sum.guarded, "%q{} = ptrindex %q{}, %x{}, {}, {}", r, from, index, scale, by);
      sum.factor += x.factor * scale;
      sum.offset += x.offset * scale + by;
    }
    addresses_.push_back(sum);
  }

  // Of an address that is moved into the table.
  void access() {
    uint32_t from = pick(static_cast<uint32_t>(addresses_.size()));
    Sum sum = addresses_[from];
    if (std::abs(sum.factor) > 100) return;
    size_t r = addresses_.size();
    line(sum.guarded, "%q{} = ptradd %q{}, {}", r, from, 1000 - sum.offset);
    addresses_.push_back({sum.factor, 1000, sum.guarded});
    line(sum.guarded, "%v{} = load.i32 %q{}, align 1", r, r);
    line(sum.guarded, "call $see(%v{})", r);
  }

  std::mt19937 random_;
  std::string text_;
  std::vector<Sum> addresses_;
  std::vector<Sum> integers_;
};

TEST(Addresses, RefineRandomSumsOnAllTargets) {
  Counters counters;
  uint64_t returned = 0;
  for (uint32_t seed = 0; seed < 700; ++seed) {
    const Target& target = targets()[seed % targets().size()];
    std::string text = RandomAddresses(seed).text();
    Module before = parse_or_die(text), after = before;
    SymbolId main = before.declarations().back();
    auto rewrite = [&] {
      Function& function = after.function(main);
      Analyses analyses(function);
      addresses(function, analyses, target, counters);
      Result<void> verified = verifies(after);
      ASSERT_TRUE(verified) << render(verified, "result", {}) << print(after);
    };
    rewrite();
    ASSERT_LE(num_instructions(after.function(main)), num_instructions(before.function(main)));
    for (uint64_t i : {0, 3}) {
      for (uint64_t g : {0, 1}) {
        std::array arguments = {Value{.bits = i}, Value{.bits = g}};
        InterpretOptions options;
        options.stub_externals = options.record = true;
        Outcome first = interpret(before, main, arguments, options);
        returned += first.status == Outcome::Status::Returned;
        Result<void> refined = refines(first, interpret(after, main, arguments, options));
        ASSERT_TRUE(refined) << refined.message() << "\n" << target.name << "\n" << text << print(after);
      }
    }
    std::string once = print(after);
    rewrite();
    ASSERT_EQ(print(after), once) << target.name << "\n" << text;
  }
  EXPECT_EQ(returned, 700u * 4);
  for (std::string_view name : {"addresses folded", "offsets folded", "bases shared"}) {
    EXPECT_GT(counters[name], 50u) << name;
  }
}

}  // namespace
}  // namespace psi

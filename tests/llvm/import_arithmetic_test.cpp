// Arithmetic of all widths, compared with its definition on all small operands and on random large ones.

#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <random>

#include "importing.h"

namespace psi {
namespace {

__extension__ typedef __int128 Wide;

// Integers of `width` bits as LLVM defines them. Nothing where the result is poison or undefined behaviour.
struct Width {
  unsigned width;

  uint64_t mask() const { return width == 64 ? UINT64_MAX : (uint64_t{1} << width) - 1; }
  int64_t sign(uint64_t bits) const { return static_cast<int64_t>(bits << (64 - width)) >> (64 - width); }
  Wide low() const { return -(Wide{1} << (width - 1)); }
  Wide high() const { return (Wide{1} << (width - 1)) - 1; }
  uint64_t cut(Wide value) const { return static_cast<uint64_t>(value) & mask(); }
  uint64_t clamp_signed(Wide value) const {
    return cut(value < low() ? low() : value > high() ? high() : value);
  }
  uint64_t clamp_unsigned(Wide value) const {
    return cut(value < 0 ? Wide{0} : value > Wide{mask()} ? Wide{mask()} : value);
  }
  bool overflows_signed(Wide value) const { return value < low() || value > high(); }
  bool overflows_unsigned(Wide value) const { return value < 0 || value > Wide{mask()}; }
  uint64_t reverse(uint64_t bits) const {
    uint64_t result = 0;
    for (unsigned i = 0; i < width; ++i) result |= (bits >> i & 1) << (width - 1 - i);
    return result;
  }
  uint64_t swap(uint64_t bits) const {
    uint64_t result = 0;
    for (unsigned i = 0; i < width; i += 8) result |= (bits >> i & 255) << (width - 8 - i);
    return result;
  }
  unsigned leading(uint64_t bits) const {
    return static_cast<unsigned>(std::countl_zero(bits)) - (64 - width);
  }
  unsigned trailing(uint64_t bits) const {
    return bits == 0 ? width : static_cast<unsigned>(std::countr_zero(bits));
  }
};

using Answer = std::optional<uint64_t>;
using Definition = std::function<Answer(const Width&, uint64_t, uint64_t)>;

struct Operation {
  std::string name;
  std::string body;  // computes %r: iN or i1 from %a and %b; N stands for the width
  bool is_bit = false;
  Definition definition;
  unsigned multiple = 1;  // widths must be a multiple of this
};

std::string with_width(std::string text, unsigned width) {
  for (size_t at = text.find("iN"); at != std::string::npos; at = text.find("iN", at)) {
    text.replace(at, 2, "i" + std::to_string(width));
  }
  return text;
}

std::string overflow_body(const std::string& op, int part) {
  return "  %p = call {iN, i1} @llvm." + op +
         ".with.overflow.iN(iN %a, iN %b)\n  %r = extractvalue {iN, i1} %p, " + std::to_string(part) + "\n";
}

std::string two(const std::string& op) { return "  %r = call iN @llvm." + op + ".iN(iN %a, iN %b)\n"; }
std::string one(const std::string& op) { return "  %r = call iN @llvm." + op + ".iN(iN %a)\n"; }
std::string flagged(const std::string& op) { return "  %r = call iN @llvm." + op + ".iN(iN %a, i1 false)\n"; }

std::vector<Operation> operations() {
  std::vector<Operation> all;
  auto add = [&](std::string name, std::string body, Definition definition, bool is_bit = false,
                 unsigned multiple = 1) {
    all.push_back({std::move(name), std::move(body), is_bit, std::move(definition), multiple});
  };
  auto binary = [&](const std::string& name, Definition definition) {
    add(name, "  %r = " + name + " iN %a, %b\n", std::move(definition));
  };
  auto compare = [&](const std::string& name, Definition definition) {
    add("icmp " + name, "  %r = icmp " + name + " iN %a, %b\n", std::move(definition), true);
  };
  binary("add", [](const Width& w, uint64_t a, uint64_t b) { return w.cut(Wide{a} + b); });
  binary("sub", [](const Width& w, uint64_t a, uint64_t b) { return w.cut(Wide{a} - b); });
  binary("mul", [](const Width& w, uint64_t a, uint64_t b) { return w.cut(Wide{a * b}); });
  binary("and", [](const Width&, uint64_t a, uint64_t b) { return a & b; });
  binary("or", [](const Width&, uint64_t a, uint64_t b) { return a | b; });
  binary("xor", [](const Width&, uint64_t a, uint64_t b) { return a ^ b; });
  binary("udiv", [](const Width&, uint64_t a, uint64_t b) { return b ? Answer(a / b) : Answer(); });
  binary("urem", [](const Width&, uint64_t a, uint64_t b) { return b ? Answer(a % b) : Answer(); });
  auto defined = [](const Width& w, uint64_t a, uint64_t b) {
    return b != 0 && !(Wide{w.sign(a)} == w.low() && w.sign(b) == -1);
  };
  binary("sdiv", [=](const Width& w, uint64_t a, uint64_t b) {
    return defined(w, a, b) ? Answer(w.cut(w.sign(a) / w.sign(b))) : Answer();
  });
  binary("srem", [=](const Width& w, uint64_t a, uint64_t b) {
    return defined(w, a, b) ? Answer(w.cut(w.sign(a) % w.sign(b))) : Answer();
  });
  binary("shl", [](const Width& w, uint64_t a, uint64_t b) {
    return b < w.width ? Answer(w.cut(Wide{a} << b)) : Answer();
  });
  binary("lshr",
         [](const Width& w, uint64_t a, uint64_t b) { return b < w.width ? Answer(a >> b) : Answer(); });
  binary("ashr", [](const Width& w, uint64_t a, uint64_t b) {
    return b < w.width ? Answer(w.cut(w.sign(a) >> b)) : Answer();
  });
  compare("eq", [](const Width&, uint64_t a, uint64_t b) { return a == b; });
  compare("slt", [](const Width& w, uint64_t a, uint64_t b) { return w.sign(a) < w.sign(b); });
  compare("sge", [](const Width& w, uint64_t a, uint64_t b) { return w.sign(a) >= w.sign(b); });
  compare("ult", [](const Width&, uint64_t a, uint64_t b) { return a < b; });
  compare("uge", [](const Width&, uint64_t a, uint64_t b) { return a >= b; });
  add("smin", two("smin"),
      [](const Width& w, uint64_t a, uint64_t b) { return w.sign(a) < w.sign(b) ? a : b; });
  add("smax", two("smax"),
      [](const Width& w, uint64_t a, uint64_t b) { return w.sign(a) > w.sign(b) ? a : b; });
  add("umin", two("umin"), [](const Width&, uint64_t a, uint64_t b) { return std::min(a, b); });
  add("umax", two("umax"), [](const Width&, uint64_t a, uint64_t b) { return std::max(a, b); });
  add("sadd.sat", two("sadd.sat"),
      [](const Width& w, uint64_t a, uint64_t b) { return w.clamp_signed(Wide{w.sign(a)} + w.sign(b)); });
  add("ssub.sat", two("ssub.sat"),
      [](const Width& w, uint64_t a, uint64_t b) { return w.clamp_signed(Wide{w.sign(a)} - w.sign(b)); });
  add("uadd.sat", two("uadd.sat"),
      [](const Width& w, uint64_t a, uint64_t b) { return w.clamp_unsigned(Wide{a} + b); });
  add("usub.sat", two("usub.sat"),
      [](const Width& w, uint64_t a, uint64_t b) { return w.clamp_unsigned(Wide{a} - b); });
  add("ctpop", one("ctpop"),
      [](const Width&, uint64_t a, uint64_t) { return static_cast<uint64_t>(std::popcount(a)); });
  add("bitreverse", one("bitreverse"), [](const Width& w, uint64_t a, uint64_t) { return w.reverse(a); });
  add("bswap", one("bswap"), [](const Width& w, uint64_t a, uint64_t) { return w.swap(a); }, false, 16);
  add("ctlz", flagged("ctlz"), [](const Width& w, uint64_t a, uint64_t) { return w.cut(w.leading(a)); });
  add("cttz", flagged("cttz"), [](const Width& w, uint64_t a, uint64_t) { return w.cut(w.trailing(a)); });
  add("abs", flagged("abs"),
      [](const Width& w, uint64_t a, uint64_t) { return w.cut(w.sign(a) < 0 ? -Wide{w.sign(a)} : Wide{a}); });
  add("fshl", "  %r = call iN @llvm.fshl.iN(iN %a, iN 5, iN %b)\n",
      [](const Width& w, uint64_t a, uint64_t b) {
        unsigned c = static_cast<unsigned>(b % w.width);
        return w.cut(Wide{a} << c | (c ? uint64_t{5} >> std::min(w.width - c, 63u) : 0));
      });
  add("fshr", "  %r = call iN @llvm.fshr.iN(iN 5, iN %a, iN %b)\n",
      [](const Width& w, uint64_t a, uint64_t b) {
        unsigned c = static_cast<unsigned>(b % w.width);
        return w.cut(a >> c | (c ? Wide{5} << (w.width - c) : 0));
      });
  for (bool is_signed : {false, true}) {
    for (std::string op : {"add", "sub", "mul"}) {
      std::string name = (is_signed ? "s" : "u") + op;
      auto exact = [op, is_signed](const Width& w, uint64_t a, uint64_t b) -> Wide {
        Wide x = is_signed ? Wide{w.sign(a)} : Wide{a}, y = is_signed ? Wide{w.sign(b)} : Wide{b};
        // An unsigned product of 64 bits may not fit the signed 128; its low half is right all the same.
        return op == "add" ? x + y : op == "sub" ? x - y : is_signed ? x * y : Wide{a * b};
      };
      add(name + ".overflow 0", overflow_body(name, 0),
          [exact](const Width& w, uint64_t a, uint64_t b) { return w.cut(exact(w, a, b)); });
      add(
          name + ".overflow 1", overflow_body(name, 1),
          [=](const Width& w, uint64_t a, uint64_t b) -> Answer {
            if (!is_signed && op == "mul") return b != 0 && a > w.mask() / b;
            return is_signed ? w.overflows_signed(exact(w, a, b)) : w.overflows_unsigned(exact(w, a, b));
          },
          true);
    }
  }
  // Through every other type and back.
  add("sext", "  %s = sext iN %a to i64\n  %t = ashr i64 %s, 1\n  %r = trunc i64 %t to iN\n",
      [](const Width& w, uint64_t a, uint64_t) { return w.cut(w.sign(a) >> 1); });
  add("zext", "  %s = zext iN %a to i64\n  %t = lshr i64 %s, 1\n  %r = trunc i64 %t to iN\n",
      [](const Width&, uint64_t a, uint64_t) { return a >> 1; });
  add("memory", "  %m = alloca iN\n  store volatile iN %a, ptr %m\n  %r = load iN, ptr %m\n",
      [](const Width&, uint64_t a, uint64_t) { return a; });
  add("select", "  %c = icmp slt iN %a, %b\n  %r = select i1 %c, iN %b, iN -1\n",
      [](const Width& w, uint64_t a, uint64_t b) { return w.sign(a) < w.sign(b) ? b : w.mask(); });
  add("switch",
      "  switch iN %a, label %other [iN -1, label %there]\nthere:\n  br label %other\nother:\n  %r = phi iN "
      "[3, %entry], [%b, %there]\n",
      [](const Width& w, uint64_t a, uint64_t b) { return a == w.mask() ? b : 3; });
  return all;
}

std::vector<std::pair<uint64_t, uint64_t>> operand_pairs(const Width& w) {
  std::vector<std::pair<uint64_t, uint64_t>> pairs;
  if (w.width <= 5) {
    for (uint64_t a = 0; a <= w.mask(); ++a) {
      for (uint64_t b = 0; b <= w.mask(); ++b) pairs.emplace_back(a, b);
    }
    return pairs;
  }
  std::mt19937_64 random(w.width);
  std::vector<uint64_t> edges = {0,          1, 2, w.mask(), w.mask() - 1, w.mask() >> 1, (w.mask() >> 1) + 1,
                                 w.width - 1};
  for (uint64_t a : edges) {
    for (uint64_t b : edges) pairs.emplace_back(a, b);
  }
  for (int i = 0; i < 100; ++i) {
    uint64_t b = random() & w.mask();
    pairs.emplace_back(random() & w.mask(), i % 2 ? b : b % w.width);
  }
  return pairs;
}

class ImportArithmetic : public testing::TestWithParam<unsigned> {};

TEST_P(ImportArithmetic, MeansWhatLlvmSays) {
  Width width{GetParam()};
  for (const Operation& operation : operations()) {
    if (width.width % operation.multiple != 0) continue;
    if (width.width == 64 && operation.name.ends_with("ext")) continue;  // nothing to extend to
    std::string type = operation.is_bit ? "i1" : "iN";
    std::string text = with_width(
        "define " + type + " @f(iN %a, iN %b) {\nentry:\n" + operation.body + "  ret " + type + " %r\n}\n",
        width.width);
    for (ImportMode mode : {ImportMode::Ssa, ImportMode::Plain}) {
      Module module = import_text(text, mode);
      ASSERT_FALSE(testing::Test::HasFailure()) << text;
      for (auto [a, b] : operand_pairs(width)) {
        Answer expected = operation.definition(width, a, b);
        if (!expected) continue;
        Outcome outcome = run(module, "f", {a, b});
        ASSERT_EQ(outcome.status, Outcome::Status::Returned) << outcome.message << text;
        ASSERT_EQ(outcome.result, (Value{*expected, false}))
            << operation.name << " of " << a << " and " << b << "\n"
            << print(module);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, ImportArithmetic,
                         testing::Values(3, 5, 7, 8, 13, 16, 17, 24, 31, 32, 40, 48, 63, 64));

double as_double(uint64_t bits) { return std::bit_cast<double>(bits); }
uint64_t bits_of(double value) { return std::bit_cast<uint64_t>(value); }

TEST(ImportFloats, OperationsAndIntrinsics) {
  auto result = [](const std::string& body, double a, double b) {
    return as_double(run_both("define double @f(double %a, double %b) {\n" + body + "  ret double %r\n}\n",
                              {bits_of(a), bits_of(b)}));
  };
  EXPECT_EQ(result("  %r = fadd double %a, %b\n", 1.5, 2), 3.5);
  EXPECT_EQ(result("  %r = fsub double %a, %b\n", 1.5, 2), -0.5);
  EXPECT_EQ(result("  %r = fmul double %a, %b\n", 1.5, 2), 3);
  EXPECT_EQ(result("  %r = fdiv double %a, %b\n", 1.5, 2), 0.75);
  EXPECT_EQ(result("  %r = frem double %a, %b\n", 7.5, 2), 1.5);
  EXPECT_EQ(result("  %r = fneg double %a\n", 7.5, 2), -7.5);
  EXPECT_EQ(result("  %r = call double @llvm.fmuladd.f64(double %a, double %b, double 1.0)\n", 7.5, 2), 16);
  EXPECT_EQ(result("  %r = call double @llvm.fma.f64(double %a, double %b, double -1.0)\n", 0x1.0000001p0,
                   0x1.ffffffep-1),
            std::fma(0x1.0000001p0, 0x1.ffffffep-1, -1.0));
  const std::vector<std::pair<std::string, std::function<double(double)>>> unary = {
      {"sqrt", [](double x) { return std::sqrt(std::fabs(x)); }},
      {"floor", [](double x) { return std::floor(x); }},
      {"ceil", [](double x) { return std::ceil(x); }},
      {"trunc", [](double x) { return std::trunc(x); }},
      {"rint", [](double x) { return std::nearbyint(x); }},
      {"nearbyint", [](double x) { return std::nearbyint(x); }},
      {"roundeven", [](double x) { return std::nearbyint(x); }},
      {"round", [](double x) { return std::round(x); }},
      {"fabs", [](double x) { return std::fabs(x); }},
  };
  for (const auto& [name, function] : unary) {
    for (double x : {2.5, 3.5, -2.5, 0.49, 16.0, -0.5}) {
      if (name == "sqrt" && x < 0) continue;
      EXPECT_EQ(result("  %r = call double @llvm." + name + ".f64(double %a)\n", x, 0), function(x))
          << name << x;
    }
  }
  EXPECT_EQ(result("  %r = call double @llvm.copysign.f64(double %a, double %b)\n", 3, -1), -3);
  EXPECT_EQ(result("  %r = call double @llvm.minnum.f64(double %a, double %b)\n", 3, -1), -1);
  EXPECT_EQ(result("  %r = call double @llvm.maxnum.f64(double %a, double %b)\n", 3, std::nan("")), 3);
  EXPECT_EQ(result("  %s = fptrunc double %a to float\n  %r = fpext float %s to double\n", 0.1, 0),
            static_cast<double>(0.1f));
}

TEST(ImportFloats, ConversionsAndComparisons) {
  EXPECT_EQ(run_both("define i13 @f(double %a) {\n %r = fptosi double %a to i13\n ret i13 %r\n}\n",
                     {bits_of(-3.7)}),
            0x1ffdu);
  EXPECT_EQ(run_both("define i40 @f(double %a) {\n %r = fptoui double %a to i40\n ret i40 %r\n}\n",
                     {bits_of(1e12)}),
            1000000000000u);
  EXPECT_EQ(as_double(run_both(
                "define double @f(i13 %a) {\n %r = sitofp i13 %a to double\n ret double %r\n}\n", {0x1ffd})),
            -3);
  EXPECT_EQ(as_double(run_both(
                "define double @f(i13 %a) {\n %r = uitofp i13 %a to double\n ret double %r\n}\n", {0x1ffd})),
            0x1ffd);
  EXPECT_EQ(run_both("define i64 @f(double %a) {\n %r = bitcast double %a to i64\n ret i64 %r\n}\n",
                     {bits_of(2.5)}),
            bits_of(2.5));
  const std::vector<std::tuple<std::string, bool, bool, bool, bool>> rows = {
      // less, equal, greater, unordered
      {"false", false, false, false, false}, {"oeq", false, true, false, false},
      {"ogt", false, false, true, false},    {"oge", false, true, true, false},
      {"olt", true, false, false, false},    {"ole", true, true, false, false},
      {"one", true, false, true, false},     {"ord", true, true, true, false},
      {"ueq", false, true, false, true},     {"ugt", false, false, true, true},
      {"uge", false, true, true, true},      {"ult", true, false, false, true},
      {"ule", true, true, false, true},      {"une", true, false, true, true},
      {"uno", false, false, false, true},    {"true", true, true, true, true},
  };
  for (const auto& [name, less, equal, greater, unordered] : rows) {
    std::string text =
        "define i1 @f(double %a, double %b) {\n %r = fcmp " + name + " double %a, %b\n ret i1 %r\n}\n";
    EXPECT_EQ(run_both(text, {bits_of(1), bits_of(2)}), less) << name;
    EXPECT_EQ(run_both(text, {bits_of(2), bits_of(2)}), equal) << name;
    EXPECT_EQ(run_both(text, {bits_of(3), bits_of(2)}), greater) << name;
    EXPECT_EQ(run_both(text, {bits_of(3), bits_of(std::nan(""))}), unordered) << name;
  }
}

TEST(ImportFloats, FastOnlyWithAllFlags) {
  Module module = import_text(
      "define double @f(double %a) {\n %r = fadd fast double %a, 1.0\n %s = fadd nnan double %r, 1.0\n ret "
      "double %s\n}\n",
      ImportMode::Ssa);
  const Function& f = *module.find_function("f");
  std::span<const InstId> insts = f.insts(f.entry());
  EXPECT_TRUE(f.inst(insts[0]).has_flag(Inst::kFast));
  EXPECT_FALSE(f.inst(insts[1]).has_flag(Inst::kFast));
}

}  // namespace
}  // namespace psi

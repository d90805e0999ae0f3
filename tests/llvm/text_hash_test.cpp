// The hash by which export knows what passes have changed: it sees every change, and nothing else.

#include "importing.h"
#include "llvm/bridge/bridge.h"
#include "psi/ir/builder.h"

namespace psi {
namespace {

constexpr std::string_view kText = R"(
define i64 @f(i64 %a, i1 %c) {
entry:
  %x = add i64 %a, 1000000000000
  br i1 %c, label %then, label %exit, !prof !0
then:
  %y = call i64 @f(i64 %x, i1 false)
  br label %exit
exit:
  %r = phi i64 [%x, %entry], [%y, %then]
  ret i64 %r
}
!0 = !{!"branch_weights", i32 3, i32 4}
)";

uint64_t hash(const Module& module) { return llvm_bridge::text_hash(*module.find_function("f")); }

// The hash after a change to the function.
template <class Change>
uint64_t changed(Change change) {
  Module module = import_text(kText, ImportMode::Ssa);
  change(*module.find_function("f"));
  return hash(module);
}

TEST(Fingerprint, SameForTheSame) {
  uint64_t original = hash(import_text(kText, ImportMode::Ssa));
  EXPECT_EQ(changed([](Function&) {}), original);
  EXPECT_EQ(changed([](Function& f) { f.compact(); }), original);
  EXPECT_EQ(changed([](Function& f) { f.literal(Type::i64, uint64_t{1} << 60); }), original);
  EXPECT_EQ(changed([](Function& f) { f.add_inst(f.inst(InstId(0)), {}); }), original);  // in no block
}

TEST(Fingerprint, SeesEveryChange) {
  std::vector<uint64_t> hashes = {
      hash(import_text(kText, ImportMode::Ssa)),
      hash(import_text(kText, ImportMode::Plain)),
      changed([](Function& f) { f.strip_names(); }),
      changed([](Function& f) { f.set_name(Reg(2), "z"); }),
      changed([](Function& f) { f.set_name(f.entry(), "z"); }),
      changed([](Function& f) { f.set_line(InstId(0), 3); }),
      changed([](Function& f) { f.set_count(f.entry(), 3); }),
      changed([](Function& f) { f.set_edge_counts(InstId(1), std::vector<uint64_t>{3, 5}); }),
      changed([](Function& f) { f.attributes.nounwind = true; }),
      changed([](Function& f) { f.form = Form::Conventional; }),
      changed([](Function& f) { f.inst(InstId(0)).op = Opcode::Sub; }),
      changed([](Function& f) { f.inst(InstId(0)).guard = Guard(f.params[1], false); }),
      changed([](Function& f) { f.inst(InstId(0)).guard = Guard(f.params[1], true); }),
      changed([](Function& f) { f.operands(InstId(0))[1] = f.literal(Type::i64, uint64_t{1000000000001}); }),
      changed([](Function& f) { f.operands(InstId(0))[1] = f.literal(Type::i64, uint64_t{1}); }),
      changed([](Function& f) { std::swap(f.operands(InstId(4))[1], f.operands(InstId(4))[3]); }),
      changed([](Function& f) { f.add_reg(Type::i8); }),
      changed([](Function& f) { f.set_layout({f.layout()[0], f.layout()[2], f.layout()[1]}); }),
      changed([](Function& f) {
        Inst inst;
        inst.op = Opcode::Unreachable;
        f.append(f.layout()[2], f.add_inst(inst, {}));
      }),
  };
  for (size_t i = 0; i < hashes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(hashes[i], hashes[j]) << i << " and " << j;
  }
}

}  // namespace
}  // namespace psi

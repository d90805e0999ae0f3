// Checks that a module is well formed. The table lists the rules in groups; a group depends on those above it
// and is skipped where they are broken (see check_function).

#include "psi/verify/verify.h"

#include <fmt/format.h>

#include <array>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "verify/checks.h"

namespace psi {
namespace verify {
namespace {

struct RuleEntry {
  Rule rule;
  VerifyRule text;
};

constexpr std::array<RuleEntry, kNumRules> kTable = {{
    // Building: nothing else is looked at where it went wrong
    {Rule::Misuse,
     {"misuse",
      "no call that built the module or the function made no sense: a symbol declared twice, an instruction "
      "that the builder had to leave out"}},

    // Globals
    {Rule::GlobalAlign,
     {"global-align", "the alignment of a global is a power of two, at most 2 to the power of 31"}},
    {Rule::GlobalSize, {"global-size", "the size of a global is that of its contents together"}},
    {Rule::GlobalExtern, {"global-extern", "an external global has no contents"}},
    {Rule::InitialiserValue, {"initialiser-value", "a value in an initialiser fits its type"}},
    {Rule::InitialiserSymbol, {"initialiser-symbol", "an address in an initialiser is of a declared symbol"}},

    // Functions: all other checks depend on these
    {Rule::KnownForm, {"known-form", "the form of a function is one of the four"}},
    {Rule::PointerBits,
     {"pointer-bits", "pointers of a function have the width of the module's, 32 or 64 bits"}},
    {Rule::FunctionSymbol, {"function-symbol", "the symbol of a function is declared as a function"}},
    {Rule::SignatureTypes, {"signature-types", "every parameter has a type; the result has one or is none"}},
    {Rule::LayoutRange, {"layout-range", "the layout lists blocks that exist"}},
    {Rule::LayoutUnique, {"layout-unique", "the layout lists a block once"}},
    {Rule::RegisterType, {"register-type", "a register that is mentioned has a type"}},
    {Rule::ParamCount,
     {"param-count", "a function has one parameter register for each type of its signature"}},
    {Rule::ParamType, {"param-type", "a parameter register has the type that the signature says"}},
    {Rule::ParamUnique, {"param-unique", "a register is a parameter once"}},

    // Records: the fields of an instruction can be read
    {Rule::InstructionRange, {"instruction-range", "a block lists instructions that exist"}},
    {Rule::InstructionUnique, {"instruction-unique", "an instruction is listed once, in one block"}},
    {Rule::KnownOpcode, {"known-opcode", "the opcode is in the table"}},
    {Rule::KnownType, {"known-type", "the types of an instruction exist"}},
    {Rule::KnownCondition, {"known-condition", "the condition of a comparison exists"}},
    {Rule::KnownAction, {"known-action", "cmpp has one or two actions, which exist"}},
    {Rule::AlignRange,
     {"align-range", "the alignment of a memory access or slot is at most 2 to the power of 31"}},
    {Rule::OperandStorage, {"operand-storage", "operand lists and literals lie inside the function's pools"}},
    {Rule::OperandCount, {"operand-count", "an instruction has as many operands as its format asks for"}},
    {Rule::OperandKind,
     {"operand-kind",
      "an operand is of the kind of its place: value, predicate (a register, its complement, or always), "
      "block or literal"}},
    {Rule::LiteralFits, {"literal-fits", "a literal is kept sign-extended from the width of its type"}},
    {Rule::RegisterRange,
     {"register-range", "operands, guards, results and parameters are registers that exist"}},
    {Rule::BlockTarget, {"block-target", "a block that is referred to is in the layout"}},
    {Rule::SymbolDeclared, {"symbol-declared", "a symbol that is referred to is declared"}},
    {Rule::InstructionSet,
     {"instruction-set", "a machine instruction is one of the target that its function names"}},

    // Types: one instruction at a time. In allocated form registers need only be of the right class:
    // predicate (i1), float (f32, f64) or general (all others)
    {Rule::SuffixType, {"suffix-type", "the type suffix is one that the opcode computes in"}},
    {Rule::OperandType, {"operand-type", "an operand has the type that its place asks for"}},
    {Rule::ResultCount,
     {"result-count",
      "an instruction has a result if its format says so, a call if it has a type, cmpp one for each "
      "action"}},
    {Rule::ResultType, {"result-type", "a result register has the type of the result"}},
    {Rule::ResultUnique, {"result-unique", "the two results of cmpp are two registers"}},
    {Rule::GuardType, {"guard-type", "a guard, and the input of cmpp, is an i1 register"}},
    {Rule::GuardPlace, {"guard-place", "phi and psi carry no guard"}},
    {Rule::FlagPlace,
     {"flag-place",
      "only loads, stores and block copies are volatile, only loads deref, and only float arithmetic, "
      "comparisons, select, phi and psi fast"}},
    {Rule::Conversion,
     {"conversion",
      "trunc narrows and zext and sext widen integers, fptrunc makes f32 of f64 and fpext f64 of f32, fptosi "
      "and fptoui integers of floats, sitofp and uitofp floats of integers, bitcast an integer of a float of "
      "its width or the other way, ptrtoint an integer of a pointer, inttoptr a pointer of an integer"}},
    {Rule::ConditionType, {"condition-type", "floats are compared with float conditions, all else without"}},
    {Rule::BswapWidth, {"bswap-width", "bswap takes i16, i32 or i64"}},
    {Rule::CmppOlds,
     {"cmpp-olds", "in ssa forms cmpp reads one old value for each partial target, in the others none"}},
    {Rule::SwitchCases, {"switch-cases", "the cases of a switch are distinct"}},
    {Rule::ReturnValue, {"return-value", "ret has a value if the function has a result"}},
    {Rule::CallArguments,
     {"call-arguments",
      "a direct call has the arguments that its callee takes, and more only if it is variadic"}},
    {Rule::CallResult, {"call-result", "a direct call has the result type of its callee, or no result"}},
    {Rule::VaStart, {"va-start", "va_start stands in a variadic function"}},
    {Rule::EdgeCounts,
     {"edge-counts",
      "a terminator with counts has one for each target, a select one for each value; its misprediction rate "
      "is a "
      "percentage"}},
    {Rule::FormOperands,
     {"form-operands",
      "a machine instruction has the operands, results and guard that its form takes, literals within "
      "range"}},

    // Blocks
    {Rule::BlockEmpty, {"block-empty", "a block has an instruction"}},
    {Rule::BlockTerminator, {"block-terminator", "a block ends in a terminator without a guard"}},
    {Rule::TerminatorGroup,
     {"terminator-group",
      "after the first terminator of a block come only terminators; all but the last have guards"}},
    // In every form: parameters are defined there, a phi there would have no edge for the call, and code that
    // runs once has a place.
    {Rule::EntryPredecessors, {"entry-predecessors", "nothing branches to the entry block"}},
    {Rule::EntryPhi, {"entry-phi", "the entry block has no phi"}},
    {Rule::MergeForm, {"merge-form", "phi and psi stand only in ssa forms"}},
    {Rule::PhiFirst, {"phi-first", "phis come before all other instructions of their block"}},
    {Rule::PhiPredecessors,
     {"phi-predecessors", "a phi has one entry for each distinct predecessor, and no other"}},

    // Definitions and uses
    {Rule::UseDefined, {"use-defined", "a register that is read is a parameter or is defined somewhere"}},
    {Rule::SingleDefinition,
     {"single-definition", "in ssa forms a register has one definition, parameters included"}},
    // A phi reads its values at the end of the predecessor. Uses in unreachable code are free.
    {Rule::Dominance, {"dominance", "in ssa forms a definition dominates its uses, guards included"}},
    {Rule::PsiDomain,
     {"psi-domain",
      "the guard of a psi argument but the first lies within the domain of its value (an error only where "
      "the predicate oracle shows that it does not)"}},

    // Conventional form: the web of a phi or psi is what it joins, directly or through others
    {Rule::WebArgument, {"web-argument", "in conventional form phi and psi take registers or undef"}},
    {Rule::WebInterference,
     {"web-interference",
      "in conventional form no member of a web is written where another one of a different value is still to "
      "be read (an error only where the guards show that it matters)"}},

    // Allocated form
    {Rule::StopForm, {"stop-form", "packets end only in allocated form"}},
    {Rule::PacketWrites,
     {"packet-writes",
      "instructions of one packet write different registers, unless both are parallel or, both parallel and, "
      "or their guards may be disjoint"}},
}};

constexpr bool in_order() {
  for (int i = 0; i < kNumRules; ++i) {
    if (static_cast<int>(kTable[i].rule) != i) return false;
  }
  return true;
}
static_assert(in_order(), "kTable must have the order of Rule");

constexpr auto kRules = [] {
  std::array<VerifyRule, kNumRules> rules{};
  for (int i = 0; i < kNumRules; ++i) rules[i] = kTable[i].text;
  return rules;
}();

void check_function(Context& context) {
  const Function& function = context.function;
  for (const Diagnostic& misuse : function.misuses().all()) context.misuse(misuse);
  if (!context.ok()) return;
  std::vector<uint8_t> in_layout = check_skeleton(context);
  if (!context.ok() || function.is_declaration()) return;

  // Block by block, so that a large function passes through the cache once. Type errors do not prevent the
  // checks of the graph.
  Definitions definitions(context);
  bool readable = true, sound = true;
  for (BlockId b : function.layout()) {
    bool readable_block = check_records(context, b, in_layout);
    readable &= readable_block;
    if (readable_block) {
      check_types(context, b);
      sound &= check_block(context, b);
      definitions.add(b);
    }
    if (context.full()) return;
  }
  if (!readable) return;
  definitions.check_reads();
  if (!sound || !definitions.ok()) return;

  size_t errors = context.num_errors();
  Cfg cfg(function);
  check_edges(context, cfg);
  if (context.num_errors() != errors) return;
  if (function.form == Form::Allocated) check_packets(context);
  if (!is_ssa(function.form)) return;

  Dominators dominators(cfg);
  check_dominance(context, dominators, definitions);
  if (!context.ok()) return;
  Domains domains(context, dominators, definitions);
  check_psi_domains(context, dominators, definitions, domains);
  if (!context.ok() || function.form != Form::Conventional) return;
  check_webs(context, cfg, dominators, domains);
}

}  // namespace

std::string_view rule_name(Rule rule) { return kRules[static_cast<size_t>(rule)].name; }

}  // namespace verify

std::span<const VerifyRule> verify_rules() { return verify::kRules; }

Answer PredicateOracle::implies(const Function&, Guard inner, Guard outer) const {
  if (outer.is_always() || inner == outer) return Answer::Yes;
  return inner.is_always() || inner.reg() == outer.reg() ? Answer::No : Answer::Unknown;
}

Answer PredicateOracle::disjoint(const Function&, Guard a, Guard b) const {
  if (a.is_always() || b.is_always() || a == b) return Answer::No;
  return a.reg() == b.reg() ? Answer::Yes : Answer::Unknown;
}

Answer PredicateOracle::within(const Function& function, BlockId, Guard inner,
                               std::span<const Guard> outer) const {
  bool all_apart = true;
  for (Guard guard : outer) {
    Answer answer = implies(function, inner, guard);
    if (answer == Answer::Yes || (answer == Answer::No && outer.size() == 1)) return answer;
    all_apart = all_apart && disjoint(function, inner, guard) == Answer::Yes;
  }
  return all_apart ? Answer::No : Answer::Unknown;
}

Result<void> verifies(const Module& module, const Function& function, const VerifyOptions& options) {
  Diagnostics diagnostics;
  verify::Context context(module, function, diagnostics, options);
  verify::check_function(context);
  return diagnostics;
}

Result<void> verifies(const Module& module, const VerifyOptions& options) {
  Diagnostics diagnostics;
  for (const Diagnostic& misuse : module.misuses().all()) {
    diagnostics.error({}, fmt::format("{} [{}]", misuse.message, verify::rule_name(verify::Rule::Misuse)),
                      misuse.context);
  }
  for (SymbolId symbol : module.declarations()) {
    if (diagnostics.is_full()) break;
    if (module.kind(symbol) == SymbolKind::Function) {
      verify::Context context(module, module.function(symbol), diagnostics, options);
      verify::check_function(context);
    } else if (module.kind(symbol) == SymbolKind::Global) {
      verify::check_global(module, module.global(symbol), diagnostics, options);
    }
  }
  return diagnostics;
}

}  // namespace psi

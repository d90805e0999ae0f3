// The verifier's rules by name. The table in verify.cpp defines each one.
#pragma once

#include <cstdint>
#include <string_view>

namespace psi::verify {

enum class Rule : uint8_t {
  // Module
  Misuse,
  GlobalAlign,
  GlobalSize,
  GlobalExtern,
  InitialiserValue,
  InitialiserSymbol,
  // Function
  KnownForm,
  PointerBits,
  FunctionSymbol,
  SignatureTypes,
  LayoutRange,
  LayoutUnique,
  RegisterType,
  ParamCount,
  ParamType,
  ParamUnique,
  // Records
  InstructionRange,
  InstructionUnique,
  KnownOpcode,
  KnownType,
  KnownCondition,
  KnownAction,
  AlignRange,
  OperandStorage,
  OperandCount,
  OperandKind,
  LiteralFits,
  RegisterRange,
  BlockTarget,
  SymbolDeclared,
  InstructionSet,
  // Types
  SuffixType,
  OperandType,
  ResultCount,
  ResultType,
  ResultUnique,
  GuardType,
  GuardPlace,
  FlagPlace,
  Conversion,
  ConditionType,
  BswapWidth,
  CmppOlds,
  SwitchCases,
  ReturnValue,
  CallArguments,
  CallResult,
  VaStart,
  EdgeCounts,
  FormOperands,
  // Structure
  BlockEmpty,
  BlockTerminator,
  TerminatorGroup,
  EntryPredecessors,
  EntryPhi,
  MergeForm,
  PhiFirst,
  PhiPredecessors,
  // Definitions and uses
  UseDefined,
  SingleDefinition,
  Dominance,
  PsiDomain,
  // Conventional form
  WebArgument,
  WebInterference,
  // Allocated form
  StopForm,
  PacketWrites,
};

inline constexpr int kNumRules = static_cast<int>(Rule::PacketWrites) + 1;

std::string_view rule_name(Rule rule);

}  // namespace psi::verify

// The parser: one pass over the tokens, building the module as it goes. Names may be used before they are
// defined, so anything that depends on a later line is noted and resolved at the end of the function or
// module.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/name_scope.h"
#include "psi/ir/instruction_set.h"
#include "psi/ir/module.h"
#include "psi/support/diagnostic.h"
#include "psi/text/text.h"
#include "text/lexer.h"

namespace psi {

class Parser {
 public:
  Parser(std::string_view text, Diagnostics& diagnostics, SourceMap* map,
         const InstructionSets* sets = nullptr);
  std::optional<Module> run();
  // A literal and nothing else.
  std::optional<uint64_t> run_literal(Type type);

 private:
  // A literal whose type a later line determines.
  struct PendingLiteral {
    InstId inst;
    uint32_t operand;
    Token token;
    bool negative;
    SymbolId function;  // the call's function and callee, for arguments
    SymbolId callee;
  };

  // A machine instruction, until the types of all registers are known.
  struct MachineInst {
    InstId inst;
    Token opcode;
    uint32_t first_literal;  // in machine_literals_
    uint32_t num_literals;
  };

  // --- Tokens (parse_module.cpp) ---
  void advance() {
    previous_ = token_.where;
    lexer_.next(token_);
  }
  bool at(TokenKind kind) const { return token_.kind == kind; }
  bool at_word(std::string_view word) const { return at(TokenKind::Word) && token_.text == word; }
  bool accept(TokenKind kind) {
    if (!at(kind)) return false;
    advance();
    return true;
  }
  bool accept_word(std::string_view word);
  bool expect(TokenKind kind, std::string_view what);
  // Reports an error at the token, and returns false.
  bool fail(const Token& token, std::string message);
  bool fail_expected(std::string_view what);
  std::string describe(const Token& token) const;
  bool take_name(std::string_view& name);
  bool take_symbol(SymbolId& symbol);
  bool take_number(uint64_t& value, std::string_view what);
  bool take_align(uint64_t& align);
  bool take_type(Type& type, std::string_view what);

  // --- Module level (parse_module.cpp) ---
  void parse_pointer_bits();
  void parse_declaration();
  bool parse_global(bool constant, bool external);
  bool parse_initialiser(Global& global);
  bool parse_function(bool external);
  bool parse_params(Function& function, bool external);
  bool parse_target(Function& function);
  bool parse_attributes(Function& function);
  bool declare(SymbolId symbol, const Token& name);
  void skip_declaration();
  void finish_module();

  // --- Function bodies (parse_function.cpp) ---
  bool parse_body(Function& function);
  void start_function(Function& function, bool external);
  bool parse_label();
  void finish_function();
  void infer_types();
  void check_defined();
  void renumber();
  Reg take_reg_name(const Token& token);
  BlockId take_block_name(const Token& token);
  std::string_view resolve_name(const Token& token);
  bool define(Reg reg, Type type, const Token& token);
  size_t bytes_to_brace();

  // --- Instructions (parse_inst.cpp) ---
  bool parse_inst();
  bool parse_prefix();
  bool parse_operands();
  bool parse_values(std::initializer_list<Type> types);
  bool parse_cmpp_tail();
  bool parse_phi();
  bool parse_psi();
  bool parse_call();
  bool parse_branch();
  bool parse_switch();
  bool parse_suffixes();
  bool parse_block_operand();
  bool at_suffix() const;
  void add_inst(Location where);

  // --- Machine instructions (parse_machine.cpp) ---
  bool at_machine_word() const;
  bool resolve_machine_word(const Token& token, Inst& inst);
  std::string_view form_name(const Token& opcode) const;
  bool take_result_type(Type& type);
  bool define_machine_results();
  bool parse_machine_operands();
  void choose_forms();
  bool choose_form(const MachineInst& pending);
  std::optional<Operand> quiet_literal(const PendingLiteral& literal, Type type);

  // --- Values (parse_value.cpp) ---
  bool parse_value(Type type);
  bool parse_predicate();
  bool parse_literal(Type type, Operand& operand);
  Location with_sign(Location number) const;
  bool literal_operand(const Token& token, bool negative, Type type, Operand& operand);
  bool literal_bits(const Token& token, bool negative, Type type, uint64_t& bits);
  bool parse_typed_bits(Type type, uint64_t& bits);
  bool integer_bits(const Token& token, bool negative, Type type, uint64_t& bits);
  bool float_bits(const Token& token, bool negative, Type type, uint64_t& bits);

  // --- Opcode words (opcode_word.cpp) ---
  bool resolve_opcode(const Token& token, Inst& inst);

  Lexer lexer_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  SourceMap* map_;
  const InstructionSets* sets_;
  Token token_;
  Location previous_{1, 1, 0};  // of the token before it
  Location start_;  // of the line's first token: the start of the current declaration or instruction

  Module module_;
  std::vector<Location> symbol_mentions_;  // by SymbolId: first mention
  std::vector<Location> symbol_places_;    // by SymbolId: declaration
  std::vector<PendingLiteral> pending_arguments_;
  std::deque<std::string> unescaped_;  // names that were written with escapes

  size_t brace_at_ = 0;  // see bytes_to_brace

  // The function being parsed.
  Function* function_ = nullptr;
  NameScope regs_;
  NameScope blocks_;
  std::vector<Location> block_places_;  // by BlockId: label, line 0 if none yet
  std::vector<uint32_t> block_order_;   // blocks in the order of their labels
  std::vector<InstId> untyped_;         // instructions whose suffix was left out
  std::vector<PendingLiteral> pending_;
  BlockId block_;
  std::vector<MachineInst> machine_insts_;
  std::vector<PendingLiteral> machine_literals_;

  // The instruction being parsed.
  Inst inst_;
  std::vector<Operand> operands_;
  std::array<Token, 2> result_tokens_;
  std::array<Type, 2> result_types_;  // written behind a result of a machine instruction
  std::vector<PendingLiteral> inst_pending_;
  std::vector<uint64_t> counts_;
  bool counts_given_ = false;
  uint32_t line_ = 0;
  Token opcode_token_;

  // Recent opcode words with their records. Copied, since their text is no longer in the processor's cache.
  struct CachedWord {
    std::array<char, 28> text;
    uint32_t size = 0;
    Inst inst;
  };
  std::array<CachedWord, 128> words_;
};

}  // namespace psi

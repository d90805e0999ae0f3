// Predicates as text: terms by registers and conditions, partition graphs as tables and drawings, answers
// with their reasons.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "psi/predicate/algebra.h"
#include "psi/predicate/explanation.h"
#include "psi/predicate/partition_graph.h"
#include "psi/predicate/predicates.h"
#include "psi/text/text.h"

namespace psi {

// The names of the predicates of a function, or of one of its blocks.
class PredicateText {
 public:
  // `block`: the one that the predicates are of, in plain and allocated form. There a register that the block
  // defines several times, or reads before it defines it, is written `%x@N` after its Nth definition, `%x@0`
  // before the first. Refers to its arguments.
  PredicateText(const Module& module, const Function& function, Predicates& predicates, BlockId block = {})
      : PredicateText(module, function, predicates, block, DisplayNames(function)) {}
  // The same where the names are known already, which takes time in large functions.
  PredicateText(const Module& module, const Function& function, Predicates& predicates, BlockId block,
                DisplayNames names);

  struct Named {
    std::string name;
    Term term;
  };
  // Registers in the order of the text, then added names.
  std::span<const Named> named() const { return named_; }
  // Adds the name of a term that is no register: `@block`.
  void add(std::string name, Term term);
  // Removes all but the first names.
  void forget(size_t first);
  // By name; `%x` alone is the register's value at the end of the block.
  std::optional<Term> find(std::string_view name) const;

  // By name if it has one, otherwise by its structure: `%p`, `!%p`, `%p & %a < 3`.
  std::string term(Term term) const;
  // By its structure. Parts are written as `part` says, where that is not empty.
  using Part = std::function<std::string(Term)>;
  std::string structure(Term term, const Part& part) const { return write(term, part, 0); }
  // `%p | %q`.
  std::string expression(const PredicateExpr& expression, const PartitionGraph& graph) const;
  // `%a = 3, %b = -1`.
  std::string witness(const Witness& witness) const;
  const Module& module() const { return module_; }
  const Function& function() const { return function_; }

 private:
  void name_registers();
  void name_block(BlockId block);
  void name_definitions(InstId id);
  std::string name(Reg r, uint32_t version) const;
  std::string value(ValueNumber number) const;
  std::string literal_of(ValueNumber number, Type type, uint64_t bits) const;
  std::string condition(Term term) const;
  std::string pair(const Condition& condition, bool negated) const;
  std::string range(const Condition& condition, bool negated) const;
  std::string known_name(Term term) const;
  std::string write(Term term, const Part& part, uint32_t depth) const;

  const Module& module_;
  const Function& function_;
  Predicates& predicates_;
  DisplayNames names_;
  std::unordered_map<Reg, uint32_t> definitions_;  // plain form: how many the block has
  std::vector<Named> named_;
  std::unordered_map<uint32_t, uint32_t> by_term_;     // by Term::raw(): the first in named_
  std::unordered_map<std::string, uint32_t> by_name_;  // the last in named_
};

// The symbols with their structure and names, then the partitions, in the order in which they were made. The
// root has number 1.
std::string print_table(const PredicateText& text, const PartitionGraph& graph);
// The same as an object of JSON.
std::string print_table_as_json(const PredicateText& text, const PartitionGraph& graph,
                                std::string_view title);
// The graph as a tree: below each symbol its partitions; the subtree of a repeated symbol is left out.
std::string print_graph(const PredicateText& text, const PartitionGraph& graph);
// For Graphviz: the edges of one partition start at one dot.
std::string draw_graph(const PredicateText& text, const PartitionGraph& graph, std::string_view title);
// A step of a proof: what it shows, and why; `from` are the earlier steps that it uses, from 0.
struct ProofLine {
  std::string statement;
  std::string reason;  // may be empty
  std::vector<uint32_t> from;
};
std::vector<ProofLine> proof_lines(const PredicateText& text, const PredicateExplanation& explanation);
// The engine that answered, and the steps of the proof or the values that refute.
std::string print_explanation(const PredicateText& text, const PredicateExplanation& explanation);

}  // namespace psi

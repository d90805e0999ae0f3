// A parser by recursive descent for the texts of rules, which are short.
#include "optimise/algebra/rules_parser.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <optional>

namespace psi::optimise {
namespace {

using Step = RuleStep::Kind;

class RuleParser {
 public:
  RuleParser(Rule& rule, std::string& error) : rule_(rule), error_(error) {}

  uint8_t pattern(std::string_view text) {
    begin(text);
    uint8_t root = parse_pattern();
    end();
    return root;
  }
  uint8_t replacement(std::string_view text) {
    begin(text);
    uint8_t root = parse_replacement();
    end();
    return root;
  }
  void condition(std::string_view text, std::vector<RuleStep>& steps) {
    if (text.empty()) return;
    begin(text);
    parse_expression(0, steps);
    end();
  }

 private:
  // --- Characters -----------------------------------------------------------------------------------
  void begin(std::string_view text) { text_ = text; }
  void end() {
    skip_spaces();
    if (!text_.empty()) fail("more than was expected");
  }
  void fail(std::string_view what) {
    if (error_.empty()) error_ = fmt::format("{}, before '{}'", what, text_);
    text_ = {};
  }
  void skip_spaces() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }
  bool accept(std::string_view token) {
    skip_spaces();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("'{}' is missing", token));
  }
  std::string_view word() {
    skip_spaces();
    size_t size = 0;
    while (size < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[size])) || text_[size] == '_')) {
      ++size;
    }
    std::string_view found = text_.substr(0, size);
    text_.remove_prefix(size);
    return found;
  }
  std::string_view peek_word() {
    std::string_view here = text_;
    std::string_view found = word();
    text_ = here;
    return found;
  }
  bool at_number() {
    skip_spaces();
    size_t sign = !text_.empty() && text_.front() == '-' ? 1 : 0;
    return text_.size() > sign && std::isdigit(static_cast<unsigned char>(text_[sign]));
  }
  int64_t number() {
    bool negative = accept("-");
    int64_t value = 0;
    auto [rest, problem] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    text_.remove_prefix(static_cast<size_t>(rest - text_.data()));
    return negative ? -value : value;
  }

  // --- Nodes ----------------------------------------------------------------------------------------
  uint8_t add(RuleNode node) {
    rule_.nodes.push_back(std::move(node));
    return static_cast<uint8_t>(rule_.nodes.size() - 1);
  }
  uint8_t variable(std::string_view name, bool may_be_new) {
    for (size_t i = 0; i < rule_.variables.size(); ++i) {
      if (rule_.variables[i] == name) return static_cast<uint8_t>(i);
    }
    if (!may_be_new || rule_.variables.size() == Rule::kMaxVariables) fail("a name too many");
    rule_.variables.emplace_back(name);
    return static_cast<uint8_t>(rule_.variables.size() - 1);
  }

  static bool is_literal_name(std::string_view name) {
    return !name.empty() && std::isupper(static_cast<unsigned char>(name.front()));
  }

  // `cmp.` was read, or the name of an instruction.
  void parse_cond(RuleNode& node) {
    expect(".");
    for (;;) {
      if (accept("!")) {
        node.negated = true;
      } else if (accept("~")) {
        node.swapped = true;
      } else if (accept("+")) {
        node.as_unsigned = true;
      } else {
        break;
      }
    }
    std::string_view name = word();
    if (name == "c") {
      node.cond_class = CondClass::Any;
    } else if (name == "i") {
      node.cond_class = CondClass::Int;
    } else if (name == "e") {
      node.cond_class = CondClass::Equality;
    } else if (name == "s") {
      node.cond_class = CondClass::Signed;
    } else if (name == "u") {
      node.cond_class = CondClass::Unsigned;
    } else if (name == "f") {
      node.cond_class = CondClass::Float;
    } else if (std::optional<Cond> cond = cond_from_name(name, Type::i32)) {
      node.cond = *cond;
    } else {
      fail("no such condition");
    }
  }

  // An instruction whose operands are read by `parse`; nothing if none begins here.
  template <class Parse>
  std::optional<uint8_t> parse_inst(Parse parse) {
    std::string_view name = peek_word();
    RuleNode node;
    node.kind = RuleNode::Kind::Inst;
    if (name == "zresize" || name == "sresize") {
      node.kind = RuleNode::Kind::Resize;
      node.op = name == "zresize" ? Opcode::Zext : Opcode::Sext;
    } else if (std::optional<Opcode> op = opcode_from_name(name)) {
      node.op = *op;
    } else {
      return std::nullopt;
    }
    word();
    if (node.op == Opcode::Cmp) parse_cond(node);
    expect("(");
    do {
      uint8_t child = parse();
      if (node.num_children == node.children.size()) fail("too many operands");
      if (!error_.empty()) break;
      node.children[node.num_children++] = child;
    } while (accept(","));
    expect(")");
    return add(node);
  }

  uint8_t parse_pattern() {
    if (at_number()) return add({.kind = RuleNode::Kind::Number, .number = number(), .steps = {}});
    if (auto inst = parse_inst([&] { return parse_pattern(); })) return *inst;
    std::string_view name = word();
    if (name.empty()) fail("an operand is missing");
    if (accept("=")) {
      auto inst = parse_inst([&] { return parse_pattern(); });
      if (!inst) {
        fail("an instruction is missing");
        return 0;
      }
      rule_.nodes[*inst].variable = variable(name, true);
      return *inst;
    }
    auto kind = is_literal_name(name) ? RuleNode::Kind::Literal : RuleNode::Kind::Operand;
    return add({.kind = kind, .variable = variable(name, true), .steps = {}});
  }

  uint8_t parse_replacement() {
    if (auto inst = parse_inst([&] { return parse_replacement(); })) return *inst;
    skip_spaces();
    std::string_view name = peek_word();
    bool is_function = text_.size() > name.size() && text_[name.size()] == '(';
    if (!name.empty() && !is_function && std::islower(static_cast<unsigned char>(name.front())) &&
        name != "w") {
      word();
      return add({.kind = RuleNode::Kind::Operand, .variable = variable(name, false), .steps = {}});
    }
    RuleNode node;
    node.kind = RuleNode::Kind::Computed;
    parse_expression(0, node.steps);
    return add(std::move(node));
  }

  // --- Computations ---------------------------------------------------------------------------------
  struct Infix {
    std::string_view token;
    int level;
    Step step;
  };
  // Longer tokens before those that they begin with.
  static constexpr std::array<Infix, 16> kInfix = {{{"||", 0, Step::Either},
                                                    {"&&", 1, Step::Both},
                                                    {"==", 2, Step::Eq},
                                                    {"!=", 2, Step::Ne},
                                                    {"<<", 6, Step::Shl},
                                                    {">>", 6, Step::Shr},
                                                    {"<=", 2, Step::Le},
                                                    {">=", 2, Step::Ge},
                                                    {"<", 2, Step::Lt},
                                                    {">", 2, Step::Gt},
                                                    {"|", 3, Step::Or},
                                                    {"^", 4, Step::Xor},
                                                    {"&", 5, Step::And},
                                                    {"+", 7, Step::Add},
                                                    {"-", 7, Step::Sub},
                                                    {"*", 8, Step::Mul}}};

  void parse_expression(int level, std::vector<RuleStep>& steps) {
    parse_primary(steps);
    for (bool found = true; found && error_.empty();) {
      found = false;
      skip_spaces();
      for (const Infix& infix : kInfix) {
        if (!text_.starts_with(infix.token)) continue;
        if (infix.level < level) return;
        accept(infix.token);
        parse_expression(infix.level + 1, steps);
        steps.push_back({infix.step});
        found = true;
        break;
      }
    }
  }

  void parse_primary(std::vector<RuleStep>& steps) {
    if (accept("(")) {
      parse_expression(0, steps);
      expect(")");
    } else if (at_number()) {
      steps.push_back({Step::Number, 0, number()});
    } else if (accept("-")) {
      parse_expression(9, steps);
      steps.push_back({Step::Negate});
    } else if (accept("~")) {
      parse_expression(9, steps);
      steps.push_back({Step::Complement});
    } else if (accept("!")) {
      parse_expression(9, steps);
      steps.push_back({Step::Not});
    } else {
      parse_name(steps);
    }
  }

  void parse_name(std::vector<RuleStep>& steps) {
    std::string_view name = word();
    if (name == "w") {
      steps.push_back({Step::Width});
    } else if (is_literal_name(name)) {
      steps.push_back({Step::Literal, variable(name, false)});
    } else if (!accept("(")) {
      fail("not a literal");
    } else if (!parse_of_variable(name, steps)) {
      parse_expression(0, steps);
      if (name == "slt") {
        expect(",");
        parse_expression(0, steps);
        steps.push_back({Step::SignedLt});
      } else if (name == "log2" || name == "pow2") {
        steps.push_back({name == "log2" ? Step::Log2 : Step::Pow2});
      } else {
        fail("no such function");
      }
      expect(")");
    }
  }

  bool parse_of_variable(std::string_view name, std::vector<RuleStep>& steps) {
    struct Function {
      std::string_view name;
      Step step;
    };
    static constexpr std::array<Function, 10> kFunctions = {{{"s", Step::Signed},
                                                             {"width", Step::OperandWidth},
                                                             {"bits", Step::Bits},
                                                             {"zeros", Step::Zeros},
                                                             {"ones", Step::Ones},
                                                             {"uses", Step::Uses},
                                                             {"int", Step::IsInt},
                                                             {"canonical", Step::IsCanonical},
                                                             {"reciprocal", Step::Reciprocal},
                                                             {"exact_reciprocal", Step::ExactReciprocal}}};
    for (const Function& function : kFunctions) {
      if (function.name != name) continue;
      steps.push_back({function.step, variable(word(), false)});
      expect(")");
      return true;
    }
    return false;
  }

  Rule& rule_;
  std::string& error_;
  std::string_view text_;
};

}  // namespace

Rule parse_rule(std::string_view name, std::string_view pattern, std::string_view replacement,
                std::string_view condition, std::string& error) {
  Rule rule;
  rule.name = name;
  RuleParser parser(rule, error);
  rule.pattern = parser.pattern(pattern);
  rule.replacement = parser.replacement(replacement);
  parser.condition(condition, rule.condition);
  if (error.empty() && rule.nodes[rule.pattern].kind != RuleNode::Kind::Inst)
    error = "no instruction to match";
  return rule;
}

}  // namespace psi::optimise

#include "psi/predicate/query.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>

namespace psi {
namespace {

class QueryParser {
 public:
  QueryParser(std::string_view query, const PredicateText& text, PredicateTerms& terms,
              Diagnostics& diagnostics)
      : query_(query), text_(text), terms_(terms), diagnostics_(diagnostics) {
    advance();
  }

  std::optional<PredicateQuestion> parse() {
    PredicateQuestion question;
    if (word_ == "disjoint") {
      question.kind = PredicateQuestion::Kind::Disjoint;
    } else if (word_ == "subset") {
      question.kind = PredicateQuestion::Kind::Subset;
    } else {
      return fail("a question is disjoint(A, B) or subset(A, B)");
    }
    advance();
    if (!expect("(") || !sum(question.first) || !expect(",") || !sum(question.second) || !expect(")")) {
      return std::nullopt;
    }
    if (!word_.empty()) return fail("nothing may follow the question");
    return question;
  }

 private:
  static constexpr int kMaxDepth = 200;

  bool sum(Term& result) {
    if (!product(result)) return false;
    while (word_ == "|") {
      advance();
      Term next;
      if (!product(next)) return false;
      result = terms_.either(result, next);
    }
    return true;
  }

  bool product(Term& result) {
    if (!factor(result)) return false;
    while (word_ == "&") {
      advance();
      Term next;
      if (!factor(next)) return false;
      result = terms_.both(result, next);
    }
    return true;
  }

  bool factor(Term& result) {
    bool negated = false;
    for (; word_ == "!"; advance()) negated = !negated;
    if (word_ == "(") {
      if (++depth_ > kMaxDepth) return complain("parentheses are nested too deep");
      advance();
      if (!sum(result) || !expect(")")) return false;
      --depth_;
    } else if (word_ == "true" || word_ == "false") {
      result = word_ == "true" ? Term::always() : Term::never();
      advance();
    } else if (word_.starts_with('%') || word_.starts_with('@')) {
      std::optional<Term> term = text_.find(word_);
      if (!term) return complain(unknown_name());
      result = *term;
      advance();
    } else {
      return complain("a predicate is expected: %p, @block, true, false, !A, A & B, A | B");
    }
    if (negated) result = !result;
    return true;
  }

  std::string unknown_name() const {
    std::string_view reg = word_.starts_with('%') ? word_.substr(1, word_.find('@', 1) - 1) : "";
    Reg r = reg.empty() ? Reg() : find_reg(text_.function(), reg);
    if (word_.starts_with('@')) {
      bool exists = bool(find_block(text_.function(), word_.substr(1)));
      return exists ? fmt::format("{} is not in the region; --region chooses one", word_)
                    : fmt::format("there is no block {}", word_);
    }
    if (!r) return fmt::format("there is no register %{}", reg);
    if (text_.function().type(r) != Type::i1) return fmt::format("%{} is no predicate", reg);
    return fmt::format("%{} has no such version here", reg);
  }

  bool expect(std::string_view word) {
    if (word_ != word) return complain(fmt::format("'{}' is expected", word));
    advance();
    return true;
  }
  bool complain(std::string message) {
    uint32_t length = word_.empty() ? 1 : static_cast<uint32_t>(word_.size());
    diagnostics_.error({1, static_cast<uint32_t>(start_) + 1, length}, std::move(message));
    return false;
  }
  std::nullopt_t fail(std::string message) {
    complain(std::move(message));
    return std::nullopt;
  }

  // A word, a name with its sigil, or one other character; empty at the end.
  void advance() {
    size_t at = start_ + word_.size();
    while (at < query_.size() && std::isspace(static_cast<unsigned char>(query_[at]))) ++at;
    start_ = at;
    size_t end = at;
    auto is_name = [&](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    };
    auto skip_name = [&] {
      while (end < query_.size() && is_name(query_[end])) ++end;
    };
    if (end < query_.size() && (query_[end] == '%' || query_[end] == '@')) {
      ++end;
      if (end < query_.size() && query_[end] == '"') {
        end = std::min(query_.find('"', end + 1), query_.size() - 1) + 1;
      } else {
        skip_name();
      }
      if (query_[start_] == '%' && end < query_.size() && query_[end] == '@') {
        ++end;
        skip_name();
      }
    } else if (end < query_.size() && is_name(query_[end])) {
      skip_name();
    } else if (end < query_.size()) {
      ++end;
    }
    word_ = query_.substr(start_, end - start_);
  }

  std::string_view query_;
  const PredicateText& text_;
  PredicateTerms& terms_;
  Diagnostics& diagnostics_;
  size_t start_ = 0;
  std::string_view word_;
  int depth_ = 0;
};

}  // namespace

Result<PredicateQuestion> parse_query(std::string_view query, const PredicateText& text,
                                      PredicateTerms& terms) {
  Diagnostics diagnostics;
  std::optional<PredicateQuestion> question = QueryParser(query, text, terms, diagnostics).parse();
  if (!question) return diagnostics;
  return *question;
}

}  // namespace psi

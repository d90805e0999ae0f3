// Parses a list of passes: `a,b(option=value,option=value),fixpoint(c,d),O2`.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "psi/pipeline/pass_table.h"
#include "psi/support/suggestion.h"

namespace psi {
namespace {

template <class Items, class Name>
std::vector<std::string_view> names_of(const Items& items, Name name) {
  std::vector<std::string_view> names;
  for (const auto& item : items) names.push_back(std::invoke(name, item));
  return names;
}

class PassListParser {
 public:
  PassListParser(const PassTable& table, std::string_view text) : table_(table), text_(text) {}

  Result<PassList> run() {
    PassList list;
    skip_space();
    if (at_ == text_.size()) return list;
    if (!parse_items(list)) return error_;
    if (at_ != text_.size()) {
      fail(at_, 1, fmt::format("expected ',' or the end, found '{}'", text_[at_]));
      return error_;
    }
    if (!check_order(list)) return error_;
    return list;
  }

 private:
  bool fail(size_t offset, size_t length, std::string message) {
    std::string_view before = text_.substr(0, offset);
    auto line = static_cast<uint32_t>(std::ranges::count(before, '\n')) + 1;
    size_t start = line == 1 ? 0 : before.rfind('\n') + 1;
    error_.error({line, static_cast<uint32_t>(offset - start) + 1, static_cast<uint32_t>(length)},
                 std::move(message));
    return false;
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_space();
    return true;
  }

  std::string_view take_word() {
    skip_space();
    size_t start = at_;
    auto in_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
             c == '_' || c == '.';
    };
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  // To the next comma, parenthesis or space, or between quotes.
  std::string_view take_value() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '"') {
      size_t start = ++at_;
      size_t end = std::min(text_.find('"', start), text_.size());
      at_ = std::min(end + 1, text_.size());
      return text_.substr(start, end - start);
    }
    size_t start = at_;
    at_ = std::min(text_.find_first_of(",() \n\t", at_), text_.size());
    return text_.substr(start, at_ - start);
  }

  size_t offset_of(std::string_view word) const { return static_cast<size_t>(word.data() - text_.data()); }

  bool parse_items(PassList& list) {
    do {
      std::string_view name = take_word();
      call_start_ = offset_of(name);
      if (name.empty()) return fail(call_start_, 1, "expected the name of a pass");
      if (name == "fixpoint" ? !parse_group(list) : !parse_item(name, list)) return false;
    } while (accept(','));
    return true;
  }

  bool parse_item(std::string_view name, PassList& list) {
    size_t start = call_start_;
    const std::vector<PassOption>* options = table_.find_options(name);
    if (!options) {
      return fail(
          start, name.size(),
          fmt::format("there is no pass '{}'{}; 'psic passes' lists them", name, suggestion(name, names())));
    }
    PassArguments arguments(*options);
    if (!parse_options(name, *options, arguments)) return false;
    std::string_view text = text_.substr(start, at_ - start);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    const Pass* pass = table_.find(name);
    if (!pass && !expand(*table_.find_pipeline(name), arguments, list)) return false;
    if (pass) list.push_back({pass, std::move(arguments), std::string(text)});
    places_.resize(list.size(), {start, text.size()});
    return true;
  }

  // `fixpoint(a,b)`.
  bool parse_group(PassList& list) {
    size_t start = call_start_, first = list.size();
    if (in_group_) return fail(start, 8, "groups of passes do not nest");
    if (!accept('(')) return fail(at_, 1, "expected '(' and the passes to repeat");
    in_group_ = true;
    if (!parse_items(list)) return false;
    in_group_ = false;
    if (!accept(')')) return fail(at_, 1, "expected ',' or ')'");
    list[first].opens = list.back().closes = true;
    surround(list, first, "fixpoint");
    return true;
  }

  bool expand(const Pipeline& pipeline, const PassArguments& arguments, PassList& list) {
    size_t start = call_start_, first = list.size();
    Result<PassList> passes = parse_passes(table_, pipeline.passes(arguments));
    if (!passes) {
      return fail(start, pipeline.name.size(),
                  fmt::format("pipeline '{}': {}", pipeline.name, passes.diagnostics().first_error()));
    }
    for (PassCall& call : *passes) {
      if (in_group_ && call.opens) {
        return fail(start, pipeline.name.size(),
                    fmt::format("groups of passes do not nest, and '{}' has one", pipeline.name));
      }
      list.push_back(std::move(call));
    }
    surround(list, first, pipeline.name);
    return true;
  }

  // The calls from `first` on are of this group.
  void surround(PassList& list, size_t first, const std::string& name) {
    uint32_t number = ++num_groups_[name];
    for (PassCall& call : std::span(list).subspan(first)) {
      call.groups.insert(call.groups.begin(), PassGroup{name, number});
    }
  }

  // In parentheses, if there are any.
  bool parse_options(std::string_view name, const std::vector<PassOption>& options,
                     PassArguments& arguments) {
    if (!accept('(') || accept(')')) return true;
    do {
      if (!parse_option(name, options, arguments)) return false;
    } while (accept(','));
    return accept(')') || fail(at_, 1, "expected ',' or ')'");
  }

  bool parse_option(std::string_view of, const std::vector<PassOption>& options, PassArguments& arguments) {
    std::string_view name = take_word();
    if (name.empty()) return fail(at_, 1, "expected the name of an option");
    auto option = std::ranges::find(options, name, &PassOption::name);
    if (option == options.end()) {
      return fail(offset_of(name), name.size(),
                  fmt::format("{} '{}' has no option '{}'{}", table_.find(of) ? "pass" : "pipeline", of, name,
                              suggestion(name, names_of(options, &PassOption::name))));
    }
    if (!accept('=')) return fail(at_, 1, fmt::format("expected '=' and a value for '{}'", name));
    std::string_view value = take_value();
    if (arguments.set(*option, value)) return true;
    return fail(
        offset_of(value), std::max<size_t>(value.size(), 1),
        fmt::format("'{}' is not a value of '{}'{} ({})", value, name,
                    suggestion(value, names_of(option->values, std::identity())), option->describe_values()));
  }

  std::vector<std::string_view> names() const {
    std::vector<std::string_view> all = names_of(table_.all(), &Pass::name);
    for (const Pipeline& pipeline : table_.pipelines()) all.push_back(pipeline.name);
    all.push_back("fixpoint");
    return all;
  }

  bool check_order(const PassList& list) {
    std::optional<Misplaced> misplaced = find_misplaced(list);
    if (!misplaced) return true;
    auto [offset, length] = places_[misplaced->call];
    return fail(offset, length,
                fmt::format("'{}' must come before '{}': {}", misplaced->ordering->earlier,
                            list[misplaced->before].pass->name, misplaced->ordering->reason));
  }

  const PassTable& table_;
  std::string_view text_;
  Diagnostics error_;
  size_t at_ = 0;
  size_t call_start_ = 0;
  bool in_group_ = false;
  std::unordered_map<std::string, uint32_t> num_groups_;  // by name
  std::vector<std::pair<size_t, size_t>> places_;  // by call: the offset and the length of what stands for it
};

}  // namespace

Result<PassList> parse_passes(const PassTable& table, std::string_view text) {
  return PassListParser(table, text).run();
}

std::vector<std::string> targets_in_passes(std::string_view text) {
  constexpr std::string_view kOption = "target";
  std::vector<std::string> found;
  for (size_t at = 0; (at = text.find(kOption, at)) != std::string_view::npos;) {
    size_t before = text.find_last_not_of(" \n\t", at == 0 ? 0 : at - 1);
    bool is_option =
        at > 0 && before != std::string_view::npos && (text[before] == '(' || text[before] == ',');
    at = std::min(text.find_first_not_of(" \n\t", at + kOption.size()), text.size());
    if (!is_option || at == text.size() || text[at] != '=') continue;
    at = std::min(text.find_first_not_of(" \n\t", at + 1), text.size());
    bool is_quoted = at < text.size() && text[at] == '"';
    at += is_quoted;
    size_t end = std::min(text.find_first_of(is_quoted ? "\"" : ",() \n\t", at), text.size());
    if (end > at) found.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return found;
}

}  // namespace psi

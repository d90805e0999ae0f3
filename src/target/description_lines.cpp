#include "target/description_lines.h"

#include <algorithm>

#include "support/byte_order_mark.h"

namespace psi::target {

bool DescriptionLines::next() {
  words_.clear();
  if (line_ == 0) rest_ = without_mark(rest_);
  while (words_.empty() && !rest_.empty()) {
    size_t end = std::min(rest_.find('\n'), rest_.size());
    ++line_;
    split(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
  }
  return !words_.empty();
}

void DescriptionLines::split(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r\v\f";
  std::string_view content = line.substr(0, line.find('#'));
  size_t begin = content.find_first_not_of(kSpace);
  while (begin != std::string_view::npos) {
    size_t end = std::min(content.find_first_of(kSpace, begin), content.size());
    words_.push_back({content.substr(begin, end - begin),
                      {line_, static_cast<uint32_t>(begin) + 1, static_cast<uint32_t>(end - begin)}});
    begin = content.find_first_not_of(kSpace, end);
  }
}

Word DescriptionLines::from(size_t first) const {
  const Word& begin = words_[first];
  const Word& end = words_.back();
  Location where = begin.where;
  where.length = end.where.column + end.where.length - where.column;
  return {std::string_view(begin.text.data(), where.length), where};
}

}  // namespace psi::target

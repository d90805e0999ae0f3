#include "target/complete/read_description.h"

#include "target/complete/reader.h"

namespace psi::target {

bool is_complete_description(std::string_view text) {
  for (std::string_view word : {"[instructions]", "use "}) {
    for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
      if (at == 0 || text[at - 1] == '\n') return true;
    }
  }
  return false;
}

std::shared_ptr<TargetDescription> read_description(std::string_view text, Diagnostics& diagnostics) {
  Problems problems;
  std::shared_ptr<TargetDescription> description = DescriptionReader(problems).run(text);
  problems.report(diagnostics);
  return description;
}

}  // namespace psi::target

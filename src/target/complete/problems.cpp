#include "target/complete/problems.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace psi::target {

void Problems::add(Diagnostic::Severity severity, Location where, std::string message) {
  num_errors_ += severity == Diagnostic::Severity::Error;
  all_.push_back({{severity, where, std::move(message), {}}, {}});
}

void Problems::note(Location where, std::string message) {
  if (all_.empty()) return;
  all_.back().notes.push_back({Diagnostic::Severity::Note, where, std::move(message), {}});
}

// Problems without a place come last.
void Problems::report(Diagnostics& diagnostics) {
  std::vector<size_t> order(all_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) {
    const Location& where = all_[i].diagnostic.where;
    return std::tuple(where.line == 0, where.line, where.column, i);
  });
  const Diagnostic* last = nullptr;
  for (size_t i : order) {
    const Problem& problem = all_[i];
    const Diagnostic& now = problem.diagnostic;
    if (last && last->where == now.where && last->message == now.message) continue;
    last = &now;
    if (now.severity == Diagnostic::Severity::Error) {
      diagnostics.error(now.where, now.message);
    } else {
      diagnostics.warning(now.where, now.message);
    }
    for (const Diagnostic& note : problem.notes) diagnostics.note(note.where, note.message);
  }
}

}  // namespace psi::target

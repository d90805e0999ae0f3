// Errors and warnings of a description, collected in any order and reported in that of the file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "psi/support/diagnostic.h"

namespace psi::target {

class Problems {
 public:
  void error(Location where, std::string message) {
    add(Diagnostic::Severity::Error, where, std::move(message));
  }
  void warning(Location where, std::string message) {
    add(Diagnostic::Severity::Warning, where, std::move(message));
  }
  // Another place, for the last one.
  void note(Location where, std::string message);
  size_t num_errors() const { return num_errors_; }
  // Each once.
  void report(Diagnostics& diagnostics);

 private:
  struct Problem {
    Diagnostic diagnostic;
    std::vector<Diagnostic> notes;
  };
  void add(Diagnostic::Severity severity, Location where, std::string message);

  std::vector<Problem> all_;
  size_t num_errors_ = 0;
};

}  // namespace psi::target

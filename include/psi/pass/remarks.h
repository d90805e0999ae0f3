// Remarks: what passes did, what they refused, and why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "psi/ir/function.h"

namespace psi {

struct Remark {
  enum class Kind : uint8_t { Done, Refused };
  Kind kind = Kind::Done;
  std::string pass;
  std::string function;
  std::string subject;  // `%x`, or the opcode where there is no result
  uint32_t line = 0;    // in the source; 0: unknown
  uint32_t origin = 0;  // in what was imported (Function::origin); 0: unknown
  std::string message;  // lower case, no full stop
  InstId about = {};    // as it was numbered while the pass ran
};

// Text costs time, so passes first check that remarks are wanted: PassContext::remarks is null if not.
class Remarks {
 public:
  // The following remarks are of this pass about this function.
  void begin(std::string_view pass, std::string_view function);

  void done(const Function& function, InstId about, std::string message) {
    add(Remark::Kind::Done, function, about, std::move(message));
  }
  void refused(const Function& function, InstId about, std::string message) {
    add(Remark::Kind::Refused, function, about, std::move(message));
  }
  void add(Remarks other);
  const std::vector<Remark>& all() const { return all_; }

 private:
  void add(Remark::Kind kind, const Function& function, InstId about, std::string message);

  std::string pass_;
  std::string function_;
  std::vector<Remark> all_;
};

}  // namespace psi

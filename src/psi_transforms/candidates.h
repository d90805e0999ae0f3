// The definitions that could lose their guards.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/analysis/defined.h"
#include "psi/analysis/uses.h"
#include "psi/pass/analyses.h"
#include "psi/pass/remarks.h"

namespace psi::psi_transforms {

class Candidates {
 public:
  // Linear. `remarks` may be null.
  Candidates(const Function& function, Analyses& analyses, Remarks* remarks);

  bool operator[](InstId id) const { return is_candidate_[id.index()]; }
  // Guarded definitions that are no candidates.
  uint64_t num_refused() const { return refused_; }

 private:
  bool is_candidate(InstId id, const Inst& inst, const Defined& defined, Place place);
  bool is_safe(const Inst& inst, const Defined& defined, Place place) const;
  bool is_counted_on(const Inst& inst) const;
  bool refuse(InstId id, const char* why);

  const Function& function_;
  const Uses& uses_;
  Remarks* remarks_;
  std::vector<bool> is_candidate_;  // by InstId
  uint64_t refused_ = 0;
};

}  // namespace psi::psi_transforms

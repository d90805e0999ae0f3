#include "psi/psi_transforms/psi_transforms.h"

#include "psi_transforms/psi_context.h"

namespace psi {

struct PsiTransforms::Parts {
  Analyses& analyses;
  psi_transforms::PsiContext context;
};

PsiTransforms::PsiTransforms(const Module& module, Function& function, Analyses& analyses, Counters& counters,
                             Remarks* remarks, const PsiTransformOptions& options)
    : parts_(new Parts{analyses,
                       psi_transforms::PsiContext(module, function, analyses, counters, remarks, options)}) {}

PsiTransforms::~PsiTransforms() = default;

bool PsiTransforms::inline_argument(InstId psi, uint32_t i) {
  return psi_transforms::inline_argument(parts_->context, psi, i);
}
uint32_t PsiTransforms::reduce(InstId psi) { return psi_transforms::reduce(parts_->context, psi); }
std::optional<Operand> PsiTransforms::project(InstId psi, Guard guard) {
  return psi_transforms::project(parts_->context, psi, guard);
}
bool PsiTransforms::permute(InstId psi, uint32_t i) {
  return psi_transforms::permute(parts_->context, psi, i);
}
uint32_t PsiTransforms::sort(InstId psi) { return psi_transforms::sort(parts_->context, psi); }
bool PsiTransforms::promote(InstId psi, uint32_t i, Guard wider) {
  return psi_transforms::promote(parts_->context, psi, i, wider);
}

void PsiTransforms::finish() {
  parts_->context.apply();
  parts_->analyses.drop(Keeps::ControlFlow);
}

}  // namespace psi

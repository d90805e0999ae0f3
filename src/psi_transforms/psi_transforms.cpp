#include "psi/psi_transforms/psi_transforms.h"

#include "psi_transforms/scene.h"

namespace psi {

struct PsiTransforms::Parts {
  Analyses& analyses;
  psi_transforms::Scene scene;
};

PsiTransforms::PsiTransforms(const Module& module, Function& function, Analyses& analyses, Counters& counters,
                             Remarks* remarks, const PsiTransformOptions& options)
    : parts_(new Parts{analyses,
                       psi_transforms::Scene(module, function, analyses, counters, remarks, options)}) {}

PsiTransforms::~PsiTransforms() = default;

bool PsiTransforms::inline_argument(InstId psi, uint32_t i) {
  return psi_transforms::inline_argument(parts_->scene, psi, i);
}
uint32_t PsiTransforms::reduce(InstId psi) { return psi_transforms::reduce(parts_->scene, psi); }
std::optional<Operand> PsiTransforms::project(InstId psi, Guard guard) {
  return psi_transforms::project(parts_->scene, psi, guard);
}
bool PsiTransforms::permute(InstId psi, uint32_t i) { return psi_transforms::permute(parts_->scene, psi, i); }
uint32_t PsiTransforms::sort(InstId psi) { return psi_transforms::sort(parts_->scene, psi); }
bool PsiTransforms::promote(InstId psi, uint32_t i, Guard wider) {
  return psi_transforms::promote(parts_->scene, psi, i, wider);
}

void PsiTransforms::finish() {
  parts_->scene.apply();
  parts_->analyses.drop(Keeps::ControlFlow);
}

}  // namespace psi

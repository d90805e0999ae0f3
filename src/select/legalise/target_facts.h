#pragma once

#include "psi/target/description.h"
#include "select/legalise/facts.h"

namespace psi::select {

TargetFacts facts_of(const TargetDescription& description);

}  // namespace psi::select

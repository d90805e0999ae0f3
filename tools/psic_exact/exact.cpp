#include "psic_exact/exact.h"

#include "psi/exact_predicates.h"

extern "C" __attribute__((visibility("default"))) psic::MakeExact psic_make_exact_engine() {
  return psi::make_exact_engine;
}

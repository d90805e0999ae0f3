#include "psic_exact/exact.h"

#include "psi/exact/copies.h"
#include "psi/exact/predicates.h"

extern "C" __attribute__((visibility("default"))) psic::MakeExact psic_make_exact_engine() {
  return psi::make_exact_engine;
}

extern "C" __attribute__((visibility("default"))) psic::LeastCopies psic_least_copies() {
  return psi::least_copies;
}

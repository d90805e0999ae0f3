#include "psi/version.h"
extern "C" const char* psic_version() { return psi::kVersion.data(); }

#pragma once

#include <memory>
#include <string_view>

#include "psi/support/diagnostic.h"
#include "psi/target/description.h"

namespace psi::target {

// Does the text have a section `instructions`, or `use` a description that has one?
bool is_complete_description(std::string_view text);
// Null if there are errors. Warnings are reported, too.
std::shared_ptr<TargetDescription> read_description(std::string_view text, Diagnostics& diagnostics);

}  // namespace psi::target

// Man pages, from the tables that parse command lines.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace psic {

// `psic manual FOLDER`, which the build calls; the exit code.
int write_manual(const CLI::App& app, const std::string& folder);

}  // namespace psic

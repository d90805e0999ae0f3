// Raw profiles, as programs write them, must be merged before clang can read them.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "child_process.h"
#include "psicc/psicc.h"

namespace psicc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMerge = "llvm-profdata-19";

void run_merge(const Arguments& command) {
  child_process::Ended ended = child_process::run(command);
  if (ended.is_fine()) return;
  throw Mistake{ended.code == 127 ? std::string(kMerge) + " is not installed, which raw profiles need"
                                  : std::string(kMerge) + " could not merge the raw profiles"};
}

// Merges into the file, unless it is newer than all of them. Several compilers may do so at a time; each sees
// a whole file.
std::string merge(std::vector<fs::path> raw, const fs::path& merged) {
  std::ranges::sort(raw);
  std::error_code code;
  fs::file_time_type made = fs::last_write_time(merged, code);
  bool is_there = !code;
  auto is_older = [&](const fs::path& path) { return fs::last_write_time(path, code) < made; };
  if (is_there && std::ranges::all_of(raw, is_older)) return merged;
  fs::path partial = merged.string() + "." + std::to_string(getpid());
  Arguments command = {kMerge, "merge", "-o", partial.string()};
  for (const fs::path& path : raw) command.push_back(path.string());
  run_merge(command);
  fs::rename(partial, merged, code);
  if (code) throw Mistake{"cannot write '" + merged.string() + "': " + code.message()};
  return merged;
}

}  // namespace

std::string readable_profile(const std::string& path) {
  std::error_code code;
  if (fs::is_directory(path, code)) {
    std::vector<fs::path> raw;
    for (const fs::directory_entry& entry : fs::directory_iterator(path, code)) {
      if (entry.path().extension() == ".profraw") raw.push_back(entry.path());
    }
    fs::path merged = fs::path(path) / "default.profdata";
    if (!raw.empty()) return merge(std::move(raw), merged);
    if (!fs::exists(merged, code)) throw Mistake{"no profile in the folder '" + path + "'"};
    return merged;
  }
  if (!fs::exists(path, code)) throw Mistake{"there is no profile '" + path + "'"};
  if (fs::path(path).extension() != ".profraw") return path;
  return merge({path}, fs::path(path).replace_extension(".profdata"));
}

}  // namespace psicc

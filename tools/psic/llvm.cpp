// Reading and writing LLVM IR, and C through clang.
#include <dlfcn.h>
#include <fmt/format.h>


#include "child_process.h"
#include "psic/tool.h"
#include "psic_llvm/bridge.h"

namespace psic {
namespace {

// The bridge, loaded once; null, with an error message, if this psic has none.
const LlvmBridge* bridge() {
  static const LlvmBridge* const kBridge = []() -> const LlvmBridge* {
    void* module = load_module("psic_llvm", "the bridge to LLVM", "PSI_LLVM");
    if (!module) return nullptr;
    auto get = reinterpret_cast<GetLlvmBridge>(dlsym(module, kLlvmBridgeSymbol));
    return get ? get() : nullptr;
  }();
  return kBridge;
}

bool is_bitcode(std::string_view contents) { return contents.starts_with("BC\xC0\xDE"); }

// Quotes a word for the shell.
std::string shell_word(std::string_view word) {
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Compiles a C file to bitcode with clang, which prints errors.
std::optional<std::string> compile(const std::string& path, const std::string& flags) {
  std::string command = fmt::format(
      "clang-19 -O0 -Xclang -disable-O0-optnone -fno-strict-aliasing {} -emit-llvm -c -o - -x c {}", flags,
      shell_word(path));
  child_process::Output compiled = child_process::run_shell(command);
  if (compiled.ended.is_fine()) return std::move(compiled.text);
  if (compiled.ended.error != 0) {
    error("clang-19 cannot be started");
    return std::nullopt;
  }
  error(fmt::format("clang-19 could not compile {}", path));
  return std::nullopt;
}

void print_remarks(std::string_view what, const std::vector<psi::LlvmRemark>& remarks) {
  for (const psi::LlvmRemark& remark : remarks) {
    say("psic: remark: ${} {}: {}\n", remark.function, what, remark.reason);
  }
}

}  // namespace

bool is_llvm_path(std::string_view path) { return path.ends_with(".ll") || path.ends_with(".bc"); }

bool is_llvm_input(std::string_view path, std::string_view contents) {
  return is_llvm_path(path) || path.ends_with(".c") || is_bitcode(contents);
}

bool load_llvm(Loaded& loaded, const LoadOptions& options) {
  if (!bridge()) return false;
  std::string_view contents = loaded.text;
  std::optional<std::string> compiled;
  if (loaded.path.ends_with(".c")) {
    compiled = compile(loaded.path, options.clang_flags);
    if (!compiled) return false;
    contents = *compiled;
  }
  std::string message;
  {
    std::optional<CrashMessage> when_it_crashes;
    if (!compiled && is_bitcode(contents)) {
      when_it_crashes.emplace(
          fmt::format("{}: error: the bitcode is damaged: LLVM cannot read it\n", loaded.path));
    }
    loaded.llvm = bridge()->read(contents, loaded.path, message);
  }
  if (!loaded.llvm) {
    say("{}\n", message);
    return false;
  }
  std::vector<psi::LlvmRemark> remarks;
  psi::ImportMode mode = options.import == "plain" ? psi::ImportMode::Plain : psi::ImportMode::Ssa;
  loaded.module = bridge()->import(*loaded.llvm, mode, remarks);
  print_remarks("is left as it is", remarks);
  return true;
}

bool write_llvm(const Loaded& loaded, const std::string& path, bool export_all) {
  std::vector<psi::LlvmRemark> remarks;
  psi::WriteBack what = export_all ? psi::WriteBack::All : psi::WriteBack::Changed;
  bridge()->write_back(*loaded.llvm, loaded.module, remarks, what);
  print_remarks("keeps its old body", remarks);
  return write_file(path,
                    path.ends_with(".ll") ? bridge()->text(*loaded.llvm) : bridge()->bitcode(*loaded.llvm));
}

}  // namespace psic

// A program that embeds the bridge to LLVM: it reads LLVM IR, takes it into SSA form with psic's own passes,
// and prints the LLVM IR that comes of it.
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "psi/llvm/llvm.h"
#include "psi/pipeline/pass_table.h"
#include "psi/pipeline/pipeline.h"

namespace {

// As clang writes it at -O0: the result lives in memory.
constexpr const char* kLarger = R"(
define i32 @larger(i32 %a, i32 %b) {
entry:
  %result = alloca i32
  store i32 %a, ptr %result
  %less = icmp slt i32 %a, %b
  br i1 %less, label %then, label %end
then:
  store i32 %b, ptr %result
  br label %end
end:
  %value = load i32, ptr %result
  ret i32 %value
}
)";

}  // namespace

int main() {
  psi::Result<psi::LlvmModule> source = psi::LlvmModule::read(kLarger, "larger.ll");
  if (!source) {
    std::cerr << source.message() << '\n';
    return 1;
  }
  std::vector<psi::LlvmRemark> remarks;
  psi::Module module = source->import(psi::ImportMode::Plain, remarks);

  psi::Result<psi::PassList> passes = psi::parse_passes(psi::PassTable::builtin(), "construct");
  psi::PipelineResult result = psi::run_passes(module, *passes, {.verify_each = true});
  if (!result) {
    std::cerr << result.message() << '\n';
    return 1;
  }

  source->write_back(module, remarks);
  for (const psi::LlvmRemark& remark : remarks) {
    std::cerr << remark.function << ": " << remark.reason << '\n';
  }
  std::cout << source->text();
}

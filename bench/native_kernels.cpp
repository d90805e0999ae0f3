// Times the kernels of examples/kernels as several compilers made them:
//
//     native_kernels DATA LIBRARY...
//
// Each library holds all kernels by their names. DATA is `random`, where branches cannot be predicted, or
// `regular`, where most values are the same. Prints for each kernel and library the least nanoseconds of a
// call and the checksum of what it left; libraries take turns, so that what else the machine does is spread
// evenly.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "native_cases.h"

namespace {

constexpr int kTurns = 25;

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: native_kernels random|regular LIBRARY...\n");
    return 2;
  }
  std::vector<void*> libraries;
  for (int i = 2; i < argc; ++i) {
    void* library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      std::fprintf(stderr, "native_kernels: %s\n", dlerror());
      return 1;
    }
    libraries.push_back(library);
  }
  for (const Case& kernel : cases(std::strcmp(argv[1], "random") == 0)) {
    std::vector<double> least(libraries.size(), 1e30);
    std::vector<uint64_t> results(libraries.size());
    for (int turn = 0; turn < kTurns; ++turn) {
      for (size_t i = 0; i < libraries.size(); ++i) {
        void* function = dlsym(libraries[i], kernel.name.c_str());
        if (!function) {
          std::fprintf(stderr, "native_kernels: %s\n", dlerror());
          return 1;
        }
        kernel.prepare();
        auto start = std::chrono::steady_clock::now();
        uint64_t result = kernel.call(function);
        std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
        least[i] = std::min(least[i], time.count());
        results[i] = result * 31 + kernel.left();
      }
    }
    for (size_t i = 0; i < libraries.size(); ++i) {
      std::printf("%s %d %.0f %016lx\n", kernel.name.c_str(), static_cast<int>(i), least[i],
                  static_cast<unsigned long>(results[i]));
    }
  }
}

// Runs a libFuzzer target without libFuzzer: first on every corpus file, then for some seconds on inputs
// made from them by random edits. The same corpus gives the same sequence of inputs.
//
//   fuzz_NAME [--seconds=N] [--seed=N] [--dict=FILE] FILE-OR-FOLDER...
//
// An input that makes the target fail is written to crash-input in the current folder.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
// There in a build with sanitizers, which end the program without a signal.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

constexpr size_t kMaxInput = 1 << 16;
constexpr const char* kCrashFile = "crash-input";

std::string g_current;  // the input under test, for the crash handlers

void save_current_input() {
  int file = open(kCrashFile, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  if (write(file, g_current.data(), g_current.size()) >= 0) {
    constexpr std::string_view kMessage = "the input was written to crash-input\n";
    [[maybe_unused]] ssize_t written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
  }
  close(file);
}

void on_signal(int number) {
  save_current_input();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void watch_for_crashes() {
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(save_current_input);
  std::signal(SIGABRT, on_signal);
  if (__sanitizer_set_death_callback) return;  // the sanitizer reports the others itself
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(number, on_signal);
}

void test_one(std::string input) {
  g_current = std::move(input);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(g_current.data()), g_current.size());
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The named files, and the programs and machines in the named folders, in an order that does not depend on
// the disk's.
std::vector<std::string> read_corpus(const std::vector<std::string>& arguments) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& argument : arguments) {
    if (!std::filesystem::is_directory(argument)) {
      paths.emplace_back(argument);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argument)) {
      std::string extension = entry.path().extension();
      if (entry.is_regular_file() && (extension == ".psi" || extension == ".target")) {
        paths.push_back(entry.path());
      }
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> corpus;
  for (const auto& path : paths) corpus.push_back(read_file(path));
  return corpus;
}

// The words of a libFuzzer dictionary: what stands between the first and the last quote of a line.
std::vector<std::string> read_dictionary(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> words;
  for (std::string line; std::getline(in, line);) {
    size_t first = line.find('"');
    size_t last = line.rfind('"');
    if (line.starts_with('#') || first == std::string::npos || last == first) continue;
    std::string word;
    for (size_t i = first + 1; i < last; ++i) {
      if (line[i] == '\\' && i + 1 < last) ++i;
      word += line[i];
    }
    words.push_back(word);
  }
  return words;
}

class Mutator {
 public:
  Mutator(const std::vector<std::string>& corpus, const std::vector<std::string>& words, uint64_t seed)
      : corpus_(corpus), words_(words), random_(seed) {}

  std::string next() {
    std::string input = corpus_[below(corpus_.size())];
    for (size_t edits = 1 + below(8); edits > 0; --edits) edit(input);
    if (input.size() > kMaxInput) input.resize(kMaxInput);
    return input;
  }

 private:
  // Not uniform_int_distribution, whose results differ between standard libraries.
  size_t below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  void edit(std::string& input) {
    size_t at = below(input.size() + 1);
    size_t length = std::min(input.size() - at, 1 + below(below(8) == 0 ? 256 : 8));
    switch (below(7)) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(random_());
        break;
      case 1:
        input.erase(at, length);
        break;
      case 2:
        input.insert(at, input.substr(below(input.size() + 1), length));
        break;
      case 3: {
        const std::string& other = corpus_[below(corpus_.size())];
        input.insert(at, other.substr(below(other.size() + 1), length));
        break;
      }
      case 4:
        if (!words_.empty()) input.replace(at, length, words_[below(words_.size())]);
        break;
      case 5:
        if (!words_.empty()) input.insert(at, words_[below(words_.size())]);
        break;
      default:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
    }
  }

  const std::vector<std::string>& corpus_;
  const std::vector<std::string>& words_;
  std::mt19937_64 random_;
};

bool number_option(std::string_view argument, std::string_view name, uint64_t& value) {
  if (!argument.starts_with(name)) return false;
  argument.remove_prefix(name.size());
  auto [end, error] = std::from_chars(argument.data(), argument.data() + argument.size(), value);
  if (error != std::errc() || end != argument.data() + argument.size()) {
    std::fprintf(stderr, "not a number: %s%s\n", std::string(name).c_str(), std::string(argument).c_str());
    std::exit(2);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t seconds = 1;
  uint64_t seed = 1;
  std::vector<std::string> words;
  std::vector<std::string> paths;
  for (std::string_view argument : std::vector<std::string_view>(argv + 1, argv + argc)) {
    if (number_option(argument, "--seconds=", seconds) || number_option(argument, "--seed=", seed)) continue;
    if (argument.starts_with("--dict=")) {
      words = read_dictionary(std::string(argument.substr(7)));
    } else {
      paths.emplace_back(argument);
    }
  }

  std::vector<std::string> corpus = read_corpus(paths);
  watch_for_crashes();
  for (const std::string& input : corpus) test_one(input);
  size_t files = corpus.size();
  if (corpus.empty()) corpus.emplace_back();

  Mutator mutator(corpus, words, seed);
  uint64_t executions = 0;
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (std::chrono::steady_clock::now() < deadline) {
    test_one(mutator.next());
    ++executions;
  }
  std::printf("%zu corpus files and %llu mutated inputs without a finding\n", files,
              static_cast<unsigned long long>(executions));
}

// Standard output and standard error.
#include "psic/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "psic/tool.h"

namespace psic {
namespace {

// What errno said when a write first failed; 0: everything arrived.
struct Failures {
  int output = 0, messages = 0;
};
Failures failures;

void write_to(std::FILE* stream, std::string_view text, int& failure) {
  if (failure != 0 || text.empty()) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size()) failure = errno ? errno : EIO;
}

void flush(std::FILE* stream, int& failure) {
  errno = 0;
  if (failure == 0 && std::fflush(stream) != 0) failure = errno ? errno : EIO;
}

}  // namespace

void put(std::string_view text) { write_to(stdout, text, failures.output); }

void say(std::string_view text) {
  // In the order of writing where both go to one place.
  flush(stdout, failures.output);
  write_to(stderr, text, failures.messages);
}

std::string counted(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

bool output_arrives() {
  flush(stdout, failures.output);
  return failures.output == 0;
}

int finish_output(int code) {
  flush(stdout, failures.output);
  flush(stderr, failures.messages);
  if (failures.output != 0) {
    error(fmt::format("cannot write to standard output: {}", std::strerror(failures.output)));
  }
  bool is_lost = failures.output != 0 || failures.messages != 0;
  return is_lost && code == kFine ? int{kBadInput} : code;
}

}  // namespace psic

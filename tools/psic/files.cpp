#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "psic/tool.h"

namespace psic {
namespace {

bool write_all(int fd, std::string_view contents) {
  while (!contents.empty()) {
    ssize_t written = ::write(fd, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    contents.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool fail(std::string_view what, const std::string& path) {
  error(fmt::format("cannot {} '{}': {}", what, path, std::strerror(errno)));
  return false;
}

// A device or pipe has no old contents to protect, and must not be replaced.
bool write_in_place(const std::string& path, std::string_view contents) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return fail("write", path);
  bool ok = write_all(fd, contents);
  if (::close(fd) != 0) ok = false;
  return ok || fail("write", path);
}

}  // namespace

std::optional<std::string> read_file(const std::string& path) {
  int fd = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    fail("read", path);
    return std::nullopt;
  }
  std::string contents;
  struct stat status{};
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
    contents.reserve(static_cast<size_t>(status.st_size) + 1);
  ssize_t got;
  do {
    size_t size = contents.size();
    constexpr size_t kChunk = 1 << 16;
    contents.resize(std::max(size + kChunk, contents.capacity()));
    got = ::read(fd, contents.data() + size, contents.size() - size);
    contents.resize(size + static_cast<size_t>(std::max<ssize_t>(got, 0)));
  } while (got > 0 || (got < 0 && errno == EINTR));
  if (got < 0) fail("read", path);
  if (path != "-") ::close(fd);
  if (got < 0) return std::nullopt;
  return contents;
}

bool write_file(const std::string& path, std::string_view contents) {
  if (path == "-") {
    put(contents);
    return output_arrives();
  }
  struct stat status{};
  bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) {
      errno = EISDIR;
      return fail("write", path);
    }
    return write_in_place(path, contents);
  }
  TemporaryFile temporary(path);
  int fd = ::open(temporary.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return fail("write", path);
  bool ok = (!exists || ::fchmod(fd, status.st_mode & 07777) == 0) && write_all(fd, contents);
  if (::close(fd) != 0) ok = false;
  return (ok && temporary.keep()) || fail("write", path);
}

bool can_write(const std::string& path) {
  if (path == "-") return true;
  struct stat status{};
  bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return fail("write", path);
  }
  // A file is replaced by another one in its folder.
  std::filesystem::path written = path;
  std::error_code code;
  if (!exists || S_ISREG(status.st_mode)) {
    written = std::filesystem::weakly_canonical(written, code).parent_path();
    if (written.empty()) written = ".";
  }
  return ::access(written.c_str(), W_OK) == 0 || fail("write", path);
}

}  // namespace psic

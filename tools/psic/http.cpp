#include "psic/http.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>

#include "psic/output.h"

namespace psic {
namespace {

using Clock = std::chrono::steady_clock;

int left_until(Clock::time_point end) {
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::max<int64_t>(left, 0));
}

bool wait_for(int connection, short event, Clock::time_point end) {
  pollfd one{connection, event, 0};
  int count = ::poll(&one, 1, left_until(end));
  return count > 0;
}

// Appends what has come; false at the end, or if nothing comes in time.
bool receive(int connection, std::string& into, Clock::time_point end) {
  char buffer[16 * 1024];
  if (!wait_for(connection, POLLIN, end)) return false;
  ssize_t count = ::recv(connection, buffer, sizeof(buffer), 0);
  if (count <= 0) return false;
  into.append(buffer, static_cast<size_t>(count));
  return true;
}

void send_all(int connection, std::string_view text, Clock::time_point end) {
  while (!text.empty() && wait_for(connection, POLLOUT, end)) {
    ssize_t count = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EAGAIN && errno != EINTR) return;
    if (count > 0) text.remove_prefix(static_cast<size_t>(count));
  }
}

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Content";
    default:
      return "Internal Server Error";
  }
}

HttpResponse refusal(int status, std::string_view message) {
  return {status, "text/plain; charset=utf-8", std::string(message) + "\n"};
}

void send_response(int connection, const HttpResponse& response, int milliseconds) {
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: SAMEORIGIN\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: same-origin\r\n\r\n",
      response.status, reason(response.status), response.type, response.body.size());
  Clock::time_point end = Clock::now() + std::chrono::milliseconds(milliseconds);
  send_all(connection, head, end);
  send_all(connection, response.body, end);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// The request line and the headers; nothing if they are malformed, or one of them is there twice.
std::optional<HttpRequest> parse_head(std::string_view head) {
  HttpRequest request;
  size_t end = head.find("\r\n");
  std::string_view line = head.substr(0, end);
  size_t first = line.find(' '), second = line.rfind(' ');
  if (first == std::string_view::npos || second <= first) return std::nullopt;
  request.method = line.substr(0, first);
  request.path = line.substr(first + 1, second - first - 1);
  request.path = request.path.substr(0, request.path.find('?'));
  if (!line.substr(second + 1).starts_with("HTTP/1.") || !request.path.starts_with('/')) return std::nullopt;
  while (end != std::string_view::npos) {
    head.remove_prefix(end + 2);
    end = head.find("\r\n");
    std::string_view header = head.substr(0, end);
    if (header.empty()) break;
    size_t colon = header.find(':');
    if (colon == std::string_view::npos || colon == 0 || header.front() == ' ') return std::nullopt;
    std::string name = lower(header.substr(0, colon));
    if (!request.headers.emplace(name, trimmed(header.substr(colon + 1))).second) return std::nullopt;
  }
  return request;
}

std::optional<size_t> length_of(const HttpRequest& request) {
  std::string_view text = request.header("content-length");
  size_t length = 0;
  if (text.empty()) return length;
  constexpr size_t kMostDigits = 9;
  if (text.size() > kMostDigits) return SIZE_MAX;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    length = 10 * length + static_cast<size_t>(c - '0');
  }
  return length;
}

}  // namespace

LoopbackServer::~LoopbackServer() {
  if (socket_ >= 0) ::close(socket_);
}

bool LoopbackServer::open(uint16_t port) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return false;
  int yes = 1;
  ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  constexpr int kWaiting = 16;
  if (::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) < 0) return false;
  if (::listen(socket_, kWaiting) < 0) return false;
  socklen_t size = sizeof(address);
  if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) < 0) return false;
  port_ = ntohs(address.sin_port);
  return true;
}

void LoopbackServer::run(const Handler& handler, const HttpLimits& limits) {
  Interruptible interruptible;
  while (!is_interrupted()) {
    pollfd one{socket_, POLLIN, 0};
    if (::poll(&one, 1, 1000) <= 0) continue;
    int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    answer(connection, handler, limits);
    // What is still coming is read for a while: closing at once would take the answer back.
    ::shutdown(connection, SHUT_WR);
    Clock::time_point end = Clock::now() + std::chrono::milliseconds(500);
    std::string rest;
    while (rest.size() < 4 * limits.body && receive(connection, rest, end)) continue;
    ::close(connection);
  }
}

void LoopbackServer::answer(int connection, const Handler& handler, const HttpLimits& limits) const {
  Clock::time_point end = Clock::now() + std::chrono::milliseconds(limits.milliseconds);
  auto refuse = [&](int status, std::string_view message) {
    send_response(connection, refusal(status, message), limits.milliseconds);
  };
  std::string text;
  size_t head_end = std::string::npos;
  while ((head_end = text.find("\r\n\r\n")) == std::string::npos) {
    if (text.size() > limits.head) return refuse(413, "The head of the request is too large.");
    if (!receive(connection, text, end))
      return text.empty() ? void() : refuse(408, "The request is not complete.");
  }
  std::optional<HttpRequest> request = parse_head(text.substr(0, head_end + 2));
  if (!request) return refuse(400, "The request is malformed.");
  // Another name for this address would let a page of any site read what is here.
  std::string here = fmt::format("127.0.0.1:{}", port_), name = fmt::format("localhost:{}", port_);
  std::string_view host = request->header("host");
  if (host != here && host != name) return refuse(403, "This server answers for its own address only.");
  std::string_view origin = request->header("origin"), site = request->header("sec-fetch-site");
  bool is_own = origin.empty() || origin == fmt::format("http://{}", host);
  if (!is_own || !(site.empty() || site == "same-origin" || site == "none")) {
    return refuse(403, "Pages of other sites may not ask.");
  }
  if (!request->header("transfer-encoding").empty())
    return refuse(411, "The length of the body must be given.");
  std::optional<size_t> length = length_of(*request);
  if (!length) return refuse(400, "The length of the body is malformed.");
  if (*length > limits.body) return refuse(413, "The body of the request is too large.");
  request->body = text.substr(head_end + 4);
  while (request->body.size() < *length) {
    if (!receive(connection, request->body, end)) return refuse(408, "The request is not complete.");
  }
  request->body.resize(*length);
  send_response(connection, handler(*request), limits.milliseconds);
}

}  // namespace psic

// A small HTTP server for pages on this machine: one request at a time, on the loopback address alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace psic {

struct HttpRequest {
  std::string method;
  std::string path;                            // without what follows a `?`
  std::map<std::string, std::string> headers;  // by name in lower case
  std::string body;

  std::string_view header(const std::string& name) const {
    auto at = headers.find(name);
    return at == headers.end() ? std::string_view() : std::string_view(at->second);
  }
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
};

// What is read of a request, and for how long.
struct HttpLimits {
  size_t head = 16 * 1024;
  size_t body = 1024 * 1024;
  int milliseconds = 5000;  // to receive a request, and to send an answer
};

class LoopbackServer {
 public:
  LoopbackServer() = default;
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  // Listens; 0: any free port. False, with errno, if it cannot.
  bool open(uint16_t port);
  uint16_t port() const { return port_; }

  // Answers until psic is interrupted. Requests for another host than this, from pages of another one, or
  // that are too large or too slow are refused without asking the handler.
  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  void run(const Handler& handler, const HttpLimits& limits = {});

 private:
  void answer(int connection, const Handler& handler, const HttpLimits& limits) const;

  int socket_ = -1;
  uint16_t port_ = 0;
};

}  // namespace psic

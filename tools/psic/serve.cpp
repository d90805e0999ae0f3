// Each request is worked on by a process of its own, which has little time and memory and is ended if it
// takes more, so that no program can stop the server.
#include "psic/serve.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "child_process.h"
#include "psi/explore/explore.h"
#include "psic/c_includes.h"
#include "psic/explorer_page.h"
#include "psic/http.h"
#include "psic/tool.h"

namespace psic {
namespace {

namespace fs = std::filesystem;

constexpr int kSeconds = 20;                        // for one request
constexpr rlim_t kMemory = rlim_t{6} << 30;         // bytes
constexpr size_t kMostOutput = size_t{160} << 20;   // bytes
constexpr size_t kMostMessages = size_t{64} << 10;  // bytes
constexpr size_t kMostText = size_t{256} << 10;     // bytes of a program
constexpr const char* kStart =
    "int gcd(int a, int b) {\n  while (b != 0) {\n    int rest = a % b;\n    a = b;\n    b = rest;\n  }\n"
    "  return a;\n}\n";

// What a page asks.
struct Asked {
  std::string language = "c", text, passes;
  bool is_question = false;
  psi::ExploreQuestion question;
};

// A pipe whose ends are closed.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() { valid = ::pipe2(ends.data(), O_CLOEXEC) == 0; }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close(size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
  bool valid = false;
};

// --- In the process of a request --------------------------------------------------------------------------

void limit(int resource, rlim_t most) {
  rlimit both{most, most};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

// A folder that is removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "psic-explore-XXXXXX").string();
    if (::mkdtemp(pattern.data())) path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code code;
    if (!path_.empty()) fs::remove_all(path_, code);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const char* name) const { return path_ + "/" + name; }
  bool valid() const { return !path_.empty(); }

 private:
  std::string path_;
};

// Runs a compiler in the folder with the text as its input.
bool run_compiler(const std::vector<std::string>& command, const std::string& input,
                  const std::string& folder) {
  pid_t child = ::fork();
  if (child == 0) {
    int file = ::open(input.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 || ::dup2(file, STDIN_FILENO) < 0 || ::chdir(folder.c_str()) != 0) ::_exit(127);
    child_process::become(command);
    ::_exit(127);
  }
  return child > 0 && child_process::wait_for(child).is_fine();
}

// Assembly within C can read files where it is assembled, in ways that its text does not show.
bool has_assembly(std::string_view ir) {
  while (!ir.empty()) {
    size_t end = std::min(ir.find('\n'), ir.size());
    std::string_view line = ir.substr(0, end);
    ir.remove_prefix(std::min(end + 1, ir.size()));
    if (line.starts_with("module asm")) return true;
    bool is_call = !line.starts_with("@") && line.find("call") != std::string_view::npos;
    if (is_call && line.find(" asm ") != std::string_view::npos) return true;
  }
  return false;
}

// `.loc 1 12 5`: the lines that follow come from line 12.
std::string assembly_as_json(std::string_view text) {
  std::string out = "\"assembly\":[";
  uint32_t source = 0;
  bool is_first = true;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string_view word = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    if (word.starts_with(".loc\t") || word.starts_with(".loc ")) {
      source = 0;
      size_t at = word.find_first_of(" \t", 5);
      for (++at; at < word.size() && word[at] >= '0' && word[at] <= '9'; ++at) {
        source = 10 * source + static_cast<uint32_t>(word[at] - '0');
      }
      continue;
    }
    if (word.starts_with(".section\t.debug") || word.starts_with(".section .debug")) break;
    bool is_noise = word.empty() || word.starts_with(".cfi") || word.starts_with(".Ltmp") ||
                    word.starts_with(".Lfunc") || word.starts_with(".file") || word.starts_with('#');
    if (is_noise) continue;
    if (!word.starts_with('.') && line.find(':') != std::string_view::npos && line[0] != '\t') source = 0;
    out += fmt::format("{}{{\"text\":{},\"source\":{}}}", is_first ? "" : ",", psi::json_string(line),
                       source == 0 ? "null" : fmt::to_string(source));
    is_first = false;
  }
  return out + "]";
}

// A psicc beside psic makes the assembly; without it there is none.
std::string assembly_of(const std::string& input, const ScratchFolder& scratch, const std::string& folder) {
  std::error_code code;
  fs::path psicc = fs::read_symlink("/proc/self/exe", code).parent_path() / "psicc";
  std::string output = scratch.file("out.s");
  std::vector<std::string> command = {psicc, "-O2", "-g1", "-S", "-w", "-iquote",
                                      ".",   "-x",  "c",   "-",  "-o", output};
  if (!fs::exists(psicc, code) || !run_compiler(command, input, folder)) return {};
  std::optional<std::string> text = read_file(output);
  return text ? assembly_as_json(*text) : std::string();
}

// The program as a module; null, with messages, if it is wrong.
std::unique_ptr<Loaded> load_asked(const Asked& asked, const ScratchFolder& scratch,
                                   const std::string& folder, std::string& assembly) {
  std::string input = scratch.file(asked.language == "c"      ? "input.c"
                                   : asked.language == "llvm" ? "input.ll"
                                                              : "input.psi");
  if (!write_file(input, asked.text)) return nullptr;
  if (asked.language != "c") return load(input);
  std::string output = scratch.file("module.ll");
  std::vector<std::string> command = {"clang-19",
                                      "-O0",
                                      "-Xclang",
                                      "-disable-O0-optnone",
                                      "-fno-strict-aliasing",
                                      "-g1",
                                      "-fno-caret-diagnostics",
                                      "-fno-discard-value-names",
                                      "-iquote",
                                      ".",
                                      "-S",
                                      "-emit-llvm",
                                      "-x",
                                      "c",
                                      "-",
                                      "-o",
                                      output};
  if (!run_compiler(command, input, folder)) return nullptr;
  std::optional<std::string> ir = read_file(output);
  if (!ir) return nullptr;
  if (has_assembly(*ir)) {
    say("assembly within C is refused here\n");
    return nullptr;
  }
  if (!asked.is_question) assembly = assembly_of(input, scratch, folder);
  LoadOptions plain;
  plain.import = "plain";
  return load(output, plain);
}

std::optional<psi::PassList> passes_for(const Tables& tables, const std::string& list) {
  if (list.empty() || list == "codegen") {
    std::optional<psi::PassList> passes = load_passes(tables.passes, "codegen");
    if (passes) passes->front().only_from = psi::Form::Plain;
    return passes;
  }
  if (list.starts_with("-O")) return level_passes(tables.passes, list.substr(1));
  return load_passes(tables.passes, list);
}

int answer(const Asked& asked, const ScratchFolder& scratch, const std::string& folder,
           const std::string& name, const std::string& target) {
  Tables tables;
  if (int code = load_tables(target, {}, tables)) return code;
  std::optional<psi::PassList> passes = passes_for(tables, asked.passes);
  if (!passes) return kUsage;
  std::string assembly;
  std::unique_ptr<Loaded> loaded = load_asked(asked, scratch, folder, assembly);
  if (!loaded) return kBadInput;
  psi::ExploreOptions options;
  options.file = name;
  options.language = asked.language;
  options.source = asked.text;
  options.passes = asked.passes;
  options.extra = "\"serve\":true" + (assembly.empty() ? "" : "," + assembly);
  options.targets = &tables.targets;
  if (!asked.is_question) {
    put(psi::explore_as_json(loaded->module, *passes, options));
    return kFine;
  }
  psi::Result<std::string> said = psi::explore_answer(loaded->module, *passes, options, asked.question);
  if (!said) {
    say("{}\n", said.message());
    return kBadInput;
  }
  put(*said);
  return kFine;
}

// --- In the server ----------------------------------------------------------------------------------------

struct Done {
  int code = kBug;
  bool is_late = false, is_large = false;
  std::string output, messages;
};

// Reads both pipes to their ends, within the limits.
void collect(Pipe& output, Pipe& messages, Done& done) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kSeconds);
  std::array<pollfd, 2> waits{pollfd{output.ends[0], POLLIN, 0}, pollfd{messages.ends[0], POLLIN, 0}};
  std::array<char, 64 * 1024> buffer;
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0 || is_interrupted()) {
      done.is_late = true;
      return;
    }
    if (::poll(waits.data(), waits.size(), static_cast<int>(std::min<int64_t>(left, 500))) <= 0) continue;
    for (size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].fd < 0 || waits[i].revents == 0) continue;
      ssize_t count = ::read(waits[i].fd, buffer.data(), buffer.size());
      if (count <= 0) {
        waits[i].fd = -1;
        continue;
      }
      std::string& into = i == 0 ? done.output : done.messages;
      into.append(buffer.data(), static_cast<size_t>(count));
      if (i == 1 && into.size() > kMostMessages) into.resize(kMostMessages);
      if (done.output.size() > kMostOutput) {
        done.is_large = true;
        return;
      }
    }
  }
}

template <class Work>
Done in_process(Work work) {
  Done done;
  Pipe output, messages;
  if (!output.valid || !messages.valid) return done;
  pid_t child = ::fork();
  if (child < 0) return done;
  if (child == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(output.ends[1], STDOUT_FILENO);
    ::dup2(messages.ends[1], STDERR_FILENO);
    limit(RLIMIT_CPU, kSeconds);
    limit(RLIMIT_AS, kMemory);
    limit(RLIMIT_FSIZE, kMostOutput);
    limit(RLIMIT_CORE, 0);
    int code = kBug;
    try {
      code = finish_output(work());
    } catch (const std::bad_alloc&) {
      error("out of memory");
    } catch (const std::exception& e) {
      error(e.what());
    }
    ::fflush(nullptr);
    ::_exit(code);
  }
  ::setpgid(child, child);
  output.close(1);
  messages.close(1);
  collect(output, messages, done);
  // Compilers that the process has started end with it.
  ::kill(-child, SIGKILL);
  child_process::Ended ended = child_process::wait_for(child);
  done.code = ended.signal == 0 ? ended.code : kBug;
  return done;
}

HttpResponse complaint(int status, std::string_view message) {
  return {status, "application/json", "{\"messages\":" + psi::json_string(message) + "}\n"};
}

// Names in lists of passes that would make psic read a file.
bool names_file(std::string_view passes) {
  for (const std::string& target : psi::targets_in_passes(passes)) {
    if (!psi::TargetTable::builtin().find(target)) return true;
  }
  return false;
}

std::optional<Asked> parse_asked(const HttpRequest& request) {
  nlohmann::json body = nlohmann::json::parse(request.body, nullptr, false);
  if (!body.is_object()) return std::nullopt;
  Asked asked;
  auto read = [&](const char* key, std::string& into) {
    if (!body.contains(key)) return true;
    if (!body[key].is_string()) return false;
    into = body[key].get<std::string>();
    return true;
  };
  bool is_fine = read("language", asked.language) && read("text", asked.text) && read("passes", asked.passes);
  asked.is_question = request.path == "/query";
  if (asked.is_question) {
    is_fine = is_fine && read("function", asked.question.function) && read("block", asked.question.block) &&
              read("question", asked.question.text) && body.contains("step") &&
              body["step"].is_number_unsigned();
    if (is_fine)
      asked.question.step =
          static_cast<uint32_t>(std::min<uint64_t>(body["step"].get<uint64_t>(), UINT32_MAX));
  }
  bool is_language = asked.language == "c" || asked.language == "psi" || asked.language == "llvm";
  if (!is_fine || !is_language) return std::nullopt;
  return asked;
}

// What a form of the page sends: `text=...&passes=...`.
std::optional<Asked> parse_form(std::string_view body) {
  Asked asked;
  while (!body.empty()) {
    size_t end = std::min(body.find('&'), body.size());
    std::string_view pair = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    size_t equals = std::min(pair.find('='), pair.size());
    std::string value;
    for (size_t i = equals + 1; i < pair.size(); ++i) {
      uint8_t byte = 0;
      if (pair[i] == '%') {
        auto [stopped, code] =
            std::from_chars(pair.data() + i + 1, pair.data() + std::min(i + 3, pair.size()), byte, 16);
        if (code != std::errc() || stopped != pair.data() + i + 3) return std::nullopt;
        i += 2;
        if (byte == '\r') continue;  // forms end lines with both
        value += static_cast<char>(byte);
      } else {
        value += pair[i] == '+' ? ' ' : pair[i];
      }
    }
    std::string_view name = pair.substr(0, equals);
    if (name == "text") asked.text = std::move(value);
    if (name == "passes") asked.passes = std::move(value);
  }
  return asked;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

constexpr std::string_view kHead =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'\">\n<title>psic explore</title>\n"
    "<style>:root{color-scheme:light dark}*{box-sizing:border-box}body{margin:0;font:13px "
    "system-ui,sans-serif}"
    "main{display:grid;grid-template-columns:minmax(300px,28%) 1fr;height:100vh}"
    "form{display:grid;grid-template-rows:auto 1fr auto auto;gap:8px;padding:10px;min-height:0}"
    "textarea,input,pre{font:12px/1.6 monospace}textarea{resize:none;tab-size:2}"
    "iframe{border:0;border-left:1px solid #8888;width:100%;height:100%}pre{margin:12px;white-space:pre-wrap}"
    "label{display:grid;gap:4px}input{width:100%}button{padding:5px 12px;min-height:28px}</style>\n";

// Messages, or assembly.
std::string text_page(std::string_view text) {
  return fmt::format("{}<pre>{}</pre>\n", kHead, escaped(text));
}

// The program on the left, what it becomes on the right. It needs no script.
std::string editor_page(const Asked& start, std::string_view name) {
  return fmt::format(
      "{}<main><form method=\"post\" action=\"/page\" target=\"view\"><b>{}</b>"
      "<textarea name=\"text\" aria-label=\"program\" spellcheck=\"false\">\n{}</textarea>"
      "<label>passes <input name=\"passes\" value=\"{}\" placeholder=\"codegen\"></label>"
      "<span><button>Explore</button> <button formaction=\"/assembly\">Assembly</button></span></form>"
      "<iframe name=\"view\" title=\"what the passes do\" src=\"/start\"></iframe></main>\n",
      kHead, escaped(name), escaped(start.text), escaped(start.passes));
}

class Explorer {
 public:
  Explorer(const ServeOptions& options, std::string folder, std::string name, Asked start)
      : options_(options), folder_(std::move(folder)), name_(std::move(name)), start_(std::move(start)) {}

  HttpResponse respond(const HttpRequest& request) {
    bool is_read = request.path == "/" || request.path == "/start";
    bool is_form = request.path == "/page" || request.path == "/assembly";
    if (!is_read && !is_form && request.path != "/explore" && request.path != "/query") {
      return complaint(404, "there is nothing here");
    }
    if (request.method != (is_read ? "GET" : "POST")) {
      return complaint(405, is_read ? "this is read with GET" : "this is asked with POST");
    }
    if (request.path == "/") return page(editor_page(start_, name_));
    if (request.path == "/start") return shown(work(start_));
    std::string_view type = request.header("content-type");
    if (!type.starts_with(is_form ? "application/x-www-form-urlencoded" : "application/json")) {
      return complaint(415, "the question is of another type");
    }
    std::optional<Asked> asked = is_form ? parse_form(request.body) : parse_asked(request);
    if (!asked) return complaint(400, "the question is malformed");
    asked->language = is_form ? start_.language : asked->language;
    HttpResponse answer = work(*asked);
    if (request.path == "/assembly") return assembly_page(answer);
    return is_form ? shown(std::move(answer)) : answer;
  }

 private:
  HttpResponse work(const Asked& asked) const {
    if (asked.text.size() > kMostText) return complaint(413, "the program is too large");
    if (names_file(asked.passes)) return complaint(422, "passes may name built-in targets only");
    if (asked.language == "c") {
      if (std::optional<ForbiddenRead> wrong = find_forbidden_read(asked.text, folder_)) {
        std::string file = wrong->file.empty() ? name_ : wrong->file;
        return complaint(422, fmt::format("{}:{}: error: {}\n", file, wrong->line, wrong->message));
      }
    }
    // Here, so that it goes also where the process is ended.
    ScratchFolder scratch;
    if (!scratch.valid()) return complaint(500, "there is no room for temporary files");
    Done done = in_process([&] { return answer(asked, scratch, folder_, name_, options_.target); });
    if (done.is_large) return complaint(422, "what there is to show is too large");
    if (done.is_late) return complaint(422, fmt::format("this takes longer than {} seconds", kSeconds));
    if (done.code == kFine) return {200, "application/json", std::move(done.output)};
    return complaint(done.code == kBug ? 500 : 422,
                     done.messages.empty() ? "psic ended unexpectedly" : done.messages);
  }

  static HttpResponse page(std::string text) { return {200, "text/html; charset=utf-8", std::move(text)}; }

  // The explorer, or what is wrong with the program.
  static HttpResponse shown(HttpResponse answer) {
    return page(answer.status == 200 ? explorer_page(answer.body) : text_page(messages_of(answer)));
  }
  static HttpResponse assembly_page(const HttpResponse& answer) {
    if (answer.status != 200) return page(text_page(messages_of(answer)));
    nlohmann::json data = nlohmann::json::parse(answer.body, nullptr, false);
    if (!data.is_object() || !data.contains("assembly")) {
      return page(text_page("There is no assembly: psicc, which is beside psic, makes it of C alone."));
    }
    std::string text;
    for (const nlohmann::json& line : data["assembly"]) {
      std::string number = line["source"].is_null() ? "" : line["source"].dump();
      text += fmt::format("{:>5}  {}\n", number, line["text"].get<std::string>());
    }
    return page(text_page(text));
  }
  static std::string messages_of(const HttpResponse& answer) {
    nlohmann::json data = nlohmann::json::parse(answer.body, nullptr, false);
    bool has_messages = data.is_object() && data.contains("messages") && data["messages"].is_string();
    return has_messages ? data["messages"].get<std::string>() : answer.body;
  }

  const ServeOptions& options_;
  std::string folder_, name_;
  Asked start_;
};

}  // namespace

int serve(const ServeOptions& options) {
  Asked start;
  start.passes = options.passes;
  start.text = kStart;
  std::string folder = ".", name = "program.c";
  if (!options.file.empty()) {
    std::optional<std::string> text = read_file(options.file);
    if (!text) return kBadInput;
    start.text = std::move(*text);
    fs::path path = options.file;
    name = path.filename();
    start.language = path.extension() == ".c" ? "c" : path.extension() == ".ll" ? "llvm" : "psi";
    folder = path.has_parent_path() ? path.parent_path().string() : ".";
  }
  std::error_code code;
  folder = fs::canonical(folder, code);
  LoopbackServer server;
  if (!server.open(options.port)) {
    error(fmt::format("cannot listen on port {}: {}", options.port, std::strerror(errno)));
    return kBadInput;
  }
  say("psic explore: http://127.0.0.1:{}/ (Ctrl-C ends it)\n", server.port());
  Explorer explorer(options, folder, name, std::move(start));
  server.run([&](const HttpRequest& request) { return explorer.respond(request); });
  end_by_signal();
}

}  // namespace psic

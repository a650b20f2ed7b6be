#include "liegrad/ad/native/compiler.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include "liegrad/ad/native/subprocess.hpp"

namespace liegrad::ad {
namespace {

/// To say what it is takes no compiler long.
constexpr std::chrono::milliseconds kTimeForVersion{20000};

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " ") + part;
  return text;
}

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;) {
    text.erase(at, part.size());
  }
  return text;
}

/// Compilers that ran out of time, by their command: not to wait for them again with every kernel.
class TooSlow {
 public:
  static void add(const std::vector<std::string>& command, const std::string& failure) {
    const std::lock_guard lock(instance().mutex_);
    instance().failures_[command] = failure;
  }
  /// Empty, or what happened.
  static std::string failure(const std::vector<std::string>& command) {
    const std::lock_guard lock(instance().mutex_);
    const auto found = instance().failures_.find(command);
    return found == instance().failures_.end() ? "" : found->second;
  }

 private:
  static TooSlow& instance() {
    static TooSlow compilers;
    return compilers;
  }
  std::mutex mutex_;
  std::map<std::vector<std::string>, std::string> failures_;
};

/// Empty if the compiler ended by itself, else one sentence; of one that ran out of time it is remembered.
std::string why_ended_early(const std::vector<std::string>& command,
                            const SubprocessResult& result) {
  if (result.interrupted) return "the C compiler was interrupted";
  if (!result.took_too_long) return "";
  const std::string failure = "the C compiler (" + joined(command) + ") " + result.failure +
                              " and is not tried again; LIEGRAD_CC_TIMEOUT gives it more seconds";
  TooSlow::add(command, failure);
  return failure;
}

std::vector<std::string> with(std::vector<std::string> command,
                              const std::vector<std::string>& arguments) {
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

std::string first_lines(const std::string& text, int count) {
  std::istringstream stream(text);
  std::string result, line;
  while (count-- > 0 && std::getline(stream, line)) result += (result.empty() ? "" : " | ") + line;
  return result;
}

}  // namespace

const std::vector<std::string>& kernel_flags() {
  static const std::vector<std::string> flags = {
      "-std=c11",          "-O2",
      "-march=native",     "-fPIC",
      "-shared",           "-ffp-contract=fast",
      "-fno-math-errno",   "-fno-trapping-math",
      "-freciprocal-math", "-fno-semantic-interposition",
  };
  return flags;
}

const std::string& cpu_identity() {
  static const std::string identity = [] {
    // Linux lists one paragraph for each processor; the first names model and features.
    std::ifstream cpuinfo("/proc/cpuinfo");
    std::string text;
    for (std::string line; std::getline(cpuinfo, line) && !line.empty();) {
      for (const char* key : {"model name", "flags", "Features", "CPU implementer", "CPU part"}) {
        if (line.starts_with(key)) text += line + '\n';
      }
    }
    return text;
  }();
  return identity;
}

std::chrono::milliseconds compiler_time_limit() {
  constexpr double kDefault = 300, kMost = 1e6;
  const char* text = std::getenv("LIEGRAD_CC_TIMEOUT");
  double seconds = text != nullptr ? std::strtod(text, nullptr) : kDefault;
  if (!(seconds > 0)) seconds = kDefault;
  return std::chrono::milliseconds(static_cast<long>(1000 * std::min(seconds, kMost)));
}

std::optional<Compiler> find_compiler(std::string* why_not) {
  // A compiler that was found once is not asked again: every kernel comes through here.
  static std::mutex mutex;
  static std::map<std::string, Compiler> known;
  const std::lock_guard lock(mutex);

  std::string origin = "cc";
  Compiler compiler{.command = {"cc"}, .identity = ""};
  for (const char* variable : {"LIEGRAD_CC", "CC"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || words(value).empty()) continue;
    // A path with spaces is one program.
    compiler.command =
        std::filesystem::exists(value) ? std::vector<std::string>{value} : words(value);
    origin = std::string("$") + variable + " = " + value;
    break;
  }
  const char* path = std::getenv("PATH");
  const std::string key = origin + '\n' + (path != nullptr ? path : "");
  *why_not = TooSlow::failure(compiler.command);
  if (!why_not->empty()) return std::nullopt;
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const SubprocessResult answer =
      run(with(compiler.command, {"--version"}), std::min(kTimeForVersion, compiler_time_limit()));
  if (!answer.failure.empty()) {
    *why_not = why_ended_early(compiler.command, answer);
    if (!why_not->empty()) return std::nullopt;
    *why_not = "the C compiler (" + origin + "), asked for its version, " + answer.failure +
               "; install one or set LIEGRAD_CC";
    return std::nullopt;
  }
  compiler.identity = joined(compiler.command) + '\n' + answer.output;
  known[key] = compiler;
  return compiler;
}

std::string compile(const Compiler& compiler, const std::filesystem::path& source,
                    const std::filesystem::path& object) {
  const std::vector<std::string> command =
      with(with(compiler.command, kernel_flags()), {"-o", object.string(), source.string(), "-lm"});
  const SubprocessResult result = run(command, compiler_time_limit());
  if (result.failure.empty()) return "";
  if (std::string why = why_ended_early(compiler.command, result); !why.empty()) return why;
  const std::string failure = first_lines(result.output, 3);
  // A sentence is said once only if it is always the same: the directory, which is new every time,
  // is left out.
  return without("the C compiler " + result.failure +
                     (failure.empty() ? "" : ", saying '" + failure + "'") + " (" +
                     joined(command) + ")",
                 source.parent_path().string() + "/");
}

}  // namespace liegrad::ad

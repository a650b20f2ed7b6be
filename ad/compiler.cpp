#include "liegrad/ad/compiler.hpp"

#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include "liegrad/ad/subprocess.hpp"

namespace liegrad::ad {
namespace {

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
  if (const auto found = known.find(key); found != known.end()) return found->second;
  std::vector<std::string> ask_version = compiler.command;
  ask_version.emplace_back("--version");
  const SubprocessResult answer = run(ask_version);
  if (!answer.failure.empty()) {
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
  std::vector<std::string> command = compiler.command;
  command.insert(command.end(), kernel_flags().begin(), kernel_flags().end());
  command.insert(command.end(), {"-o", object.string(), source.string(), "-lm"});
  const SubprocessResult result = run(command);
  if (result.failure.empty()) return "";
  const std::string complaint = first_lines(result.output, 3);
  // A sentence is said once only if it is always the same: the directory, which is new every time,
  // is left out.
  return without("the C compiler " + result.failure +
                     (complaint.empty() ? "" : ", saying '" + complaint + "'") + " (" +
                     joined(command) + ")",
                 source.parent_path().string() + "/");
}

}  // namespace liegrad::ad

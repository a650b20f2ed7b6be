#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace liegrad::ad {

/// A C compiler of this machine.
struct Compiler {
  std::vector<std::string> command;  ///< program and leading arguments, e.g. {"ccache", "gcc"}
  std::string identity;              ///< what it prints of its version; part of the cache key
};

/// Flags of a kernel. They let the compiler contract a·b+c, divide by constants through
/// reciprocals and ignore errno, but keep NaN and infinity meaningful: a failing model must stay
/// visible in the result.
const std::vector<std::string>& kernel_flags();

/// What `-march=native` stands for: the processor's model and feature list.
const std::string& cpu_identity();

/// How long a compiler may take for one kernel: $LIEGRAD_CC_TIMEOUT seconds, or five minutes.
std::chrono::milliseconds compiler_time_limit();

/// The first of $LIEGRAD_CC, $CC and cc that is set; the value is a program, or a program and
/// arguments with spaces between. Empty if it does not run, and then `why_not` names it and says
/// what to do. A variable that is set but useless is not skipped: the user asked for that compiler.
/// One that ran out of time once is not tried again by this process.
std::optional<Compiler> find_compiler(std::string* why_not);

/// Compiles the C file `source` to the shared object `object` in the same directory. Returns the
/// empty string, or one sentence with the compiler's own first words and the command.
std::string compile(const Compiler& compiler, const std::filesystem::path& source,
                    const std::filesystem::path& object);

}  // namespace liegrad::ad

#pragma once

#include <string>
#include <vector>

namespace liegrad::ad {

/// How a program ended.
struct SubprocessResult {
  /// Empty if it ran and returned zero; else what happened to it, such as "failed with status 1",
  /// "was ended by signal 9 (Killed)" or "cannot be run: No such file or directory".
  std::string failure;
  /// Standard output and error, at most 64 KiB.
  std::string output;
};

/// Runs a program (looked up in PATH) without a shell and with an empty standard input, and waits.
/// There is no time limit: a large function may compile for minutes, and an interrupt from the
/// keyboard reaches the program as well.
SubprocessResult run(const std::vector<std::string>& command);

}  // namespace liegrad::ad

#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace liegrad::app {

/// A file that a command writes; "-" is standard output.
class OutputFile {
 public:
  /// Empties the file. Throws InvalidArgument when it cannot be opened.
  explicit OutputFile(std::string name);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // These throw Error when there is no room, after they removed what was written: half a file may be taken for
  // a whole one.
  void write(std::string_view text);
  void flush();
  void close();

 private:
  [[noreturn]] void fail();

  std::string name_;
  std::FILE* file_;
};

/// Whether two names are those of one file. Devices and pipes can be shared, and are none.
bool is_same_file(const std::string& a, const std::string& b);

/// The value of an option that names a file.
struct FileOption {
  const char* option;  ///< "--out"
  std::string name;    ///< empty when the option is not given
};

/// Throws InvalidArgument for a file that cannot be written, for one that is named twice, and for a --plot that is not
/// named as SVG. Existing files are left as they are, and none is made. To be called before a run, so that it is not made in vain.
void check_files(std::span<const FileOption> written, std::span<const FileOption> read = {});

/// Throws Error if something that was printed to standard output did not get there.
void check_standard_output();

}  // namespace liegrad::app

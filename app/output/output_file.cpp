#include "output/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>

#include "liegrad/lie/error.hpp"

namespace liegrad::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandardOutput = "-";

std::string failure_text(const std::string& name, int error) {
  const std::string what = name == kStandardOutput ? "standard output" : name;
  return what + " cannot be written: " + std::strerror(error);
}

/// What a chain of symbolic links leads to, whether that exists or not.
fs::path target_of(const std::string& name) {
  constexpr int kMostLinks = 40;
  fs::path path = name;
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(path, error)); ++i) {
    const fs::path next = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / next;  // `next` alone where it is absolute
  }
  return path;
}

void remove_regular(const std::string& name) {
  std::error_code ignored;
  const fs::path target = target_of(name);
  if (fs::is_regular_file(target, ignored)) fs::remove(target, ignored);
}

/// Plots are written as SVG, also to standard output and to devices.
void check_plot_name(const std::string& name) {
  const std::string extension = fs::path(name).extension().string();
  if (extension.empty() || extension == ".svg") return;
  throw InvalidArgument("--plot " + name + ": plots are written as SVG; give the file the name " +
                        fs::path(name).replace_extension(".svg").string());
}

void check_writable(const std::string& name) {
  if (name.empty() || name == kStandardOutput) return;
  std::error_code ignored;
  const fs::file_status status = fs::status(name, ignored);
  // The reader of a pipe would take the end of this attempt for the end of the file.
  if (fs::is_fifo(status)) return;
  std::FILE* const attempt = std::fopen(name.c_str(), "a");
  if (attempt == nullptr) throw InvalidArgument(failure_text(name, errno));
  std::fclose(attempt);
  if (!fs::exists(status)) remove_regular(name);
}

}  // namespace

bool is_same_file(const std::string& a, const std::string& b) {
  if (a == kStandardOutput || b == kStandardOutput) return a == b;
  std::error_code error;
  const fs::path first = target_of(a), second = target_of(b);
  const fs::file_status status = fs::status(first, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return false;
  if (fs::equivalent(first, second, error)) return true;
  return fs::weakly_canonical(fs::absolute(first), error) ==
         fs::weakly_canonical(fs::absolute(second), error);
}

OutputFile::OutputFile(std::string name) : name_(std::move(name)), file_(stdout) {
  if (name_ != kStandardOutput) file_ = std::fopen(name_.c_str(), "w");
  if (file_ == nullptr) throw InvalidArgument(failure_text(name_, errno));
}

OutputFile::~OutputFile() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void OutputFile::fail() {
  const int error = errno;
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  file_ = nullptr;
  if (name_ != kStandardOutput) remove_regular(name_);
  throw Error(failure_text(name_, error));
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
}

void OutputFile::flush() {
  if (std::fflush(file_) != 0) fail();
}

void OutputFile::close() {
  if (file_ == nullptr) return;  // it failed, and said so
  if (file_ == stdout) return flush();
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
}

void check_files(std::span<const FileOption> written, std::span<const FileOption> read) {
  const auto refuse_same = [](const FileOption& a, const FileOption& b) {
    if (a.name.empty() || b.name.empty() || !is_same_file(a.name, b.name)) return;
    throw InvalidArgument(std::string(a.option) + " and " + b.option + " name the same file, " +
                          a.name + "; choose two");
  };
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (const FileOption& other : written.subspan(i + 1)) refuse_same(written[i], other);
    for (const FileOption& other : read) refuse_same(written[i], other);
  }
  for (const FileOption& file : written) {
    if (std::string_view(file.option) == "--plot") check_plot_name(file.name);
    check_writable(file.name);
  }
}

void check_standard_output() {
  errno = 0;
  std::cout.flush();
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (is_written) return;
  if (errno == 0) {
    // An earlier write failed, when the buffer was full; another one tells why.
    std::clearerr(stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
  }
  throw Error(failure_text(kStandardOutput, errno != 0 ? errno : EIO));
}

}  // namespace liegrad::app

#include "output/colour.hpp"

#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace liegrad::app {
namespace {

bool shows_colours() {
  const char* const forbidden = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && (forbidden == nullptr || *forbidden == '\0') &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string coloured(const char* code, const std::string& text) {
  return shows_colours() ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
}

}  // namespace

std::string error_mark(const std::string& text) { return coloured("1;31", text); }
std::string warning_mark(const std::string& text) { return coloured("1;33", text); }

}  // namespace liegrad::app

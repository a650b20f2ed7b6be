#include "liegrad/dae/system/text.hpp"

#include <array>
#include <charconv>

namespace liegrad::dae {

/// As "%.*g" in the locale "C", whatever the locale is.
std::string number_text(double value, int digits) {
  std::array<char, 32> buffer{};
  char* const begin = buffer.data();
  char* const end =
      std::to_chars(begin, begin + buffer.size(), value, std::chars_format::general, digits).ptr;
  return {begin, end};
}

}  // namespace liegrad::dae

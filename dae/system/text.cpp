#include "liegrad/dae/system/text.hpp"

#include <array>
#include <cstdio>

namespace liegrad::dae {

std::string number_text(double value, int digits) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, value);
  return buffer.data();
}

}  // namespace liegrad::dae

#include "liegrad/dae/system/text.hpp"

#include <array>
#include <cstdio>

namespace liegrad::dae {

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.6g", value);
  return buffer.data();
}

}  // namespace liegrad::dae

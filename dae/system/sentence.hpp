#pragma once

#include <sstream>
#include <string>

namespace liegrad::dae {

/// The parts one after the other. Numbers have twelve digits: these show what a user typed and hide the rounding of sums.
template <class... Parts>
std::string sentence(const Parts&... parts) {
  std::ostringstream text;
  text.precision(12);
  (text << ... << parts);
  return text.str();
}

}  // namespace liegrad::dae

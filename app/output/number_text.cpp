#include "output/number_text.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "liegrad/lie/error.hpp"

namespace liegrad::app {

double number_of(const std::string& option, const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stopped == end) return value;
  throw InvalidArgument(option + " has the value '" + text + "', where a number is needed");
}

std::vector<double> numbers_of(const std::string& option, const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    numbers.push_back(number_of(option, text.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  return numbers;
}

std::pair<std::string, double> named_number_of(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    throw InvalidArgument(option + " is given '" + text + "'; write NAME=VALUE");
  }
  const std::string name = text.substr(0, equals);
  return {name, number_of(option + " " + name, text.substr(equals + 1))};
}

void require_finite(const std::string& option, const std::optional<double>& value) {
  if (!value || std::isfinite(*value)) return;
  throw InvalidArgument(fmt::format("{} is {}; it must be finite", option, *value));
}

}  // namespace liegrad::app

#include "output/output_unit.hpp"

#include <map>

namespace liegrad::app {

std::string unit_of(const std::string& output) {
  static const std::map<std::string, std::string> kUnits = {
      {"x", "m"},     {"p", "m"},        {"omega", "rad/s"}, {"u", "m/s"},   {"theta", "rad"},
      {"force", "N"}, {"torque", "N m"}, {"moment", "N m"},  {"energy", "J"}};
  const auto found = kUnits.find(output.substr(output.rfind('.') + 1));
  return found == kUnits.end() ? std::string() : found->second;
}

}  // namespace liegrad::app

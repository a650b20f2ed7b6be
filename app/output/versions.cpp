#include "output/versions.hpp"

#include <IpoptConfig.h>
#include <fmt/format.h>
#include <CLI/Version.hpp>
#include <Eigen/Core>
#include <cppad/configure.hpp>
#include <nlohmann/json.hpp>

namespace liegrad::app {

std::string versions() {
  return fmt::format(
      "liegrad {} (Eigen {}.{}.{}, {}, Ceres {}, IPOPT {}, CLI11 {}, fmt {}.{}.{}, "
      "nlohmann-json {}.{}.{}; {})",
      LIEGRAD_VERSION, EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION,
      CPPAD_PACKAGE_STRING, LIEGRAD_CERES, IPOPT_VERSION, CLI11_VERSION, FMT_VERSION / 10000,
      FMT_VERSION / 100 % 100, FMT_VERSION % 100, NLOHMANN_JSON_VERSION_MAJOR,
      NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH, LIEGRAD_COMPILER);
}

}  // namespace liegrad::app

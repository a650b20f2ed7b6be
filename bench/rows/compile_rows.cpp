// The time to turn a recorded function into native code, over its number of operations.

#include <chrono>
#include <filesystem>
#include <fstream>

#include "liegrad/ad/codegen/derive.hpp"
#include "liegrad/ad/codegen/write_c.hpp"
#include "liegrad/ad/native/compiler.hpp"
#include "liegrad/ad/native/temporary_directory.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/lie/se3.hpp"

#include "row.hpp"

namespace liegrad::bench {
namespace {

/// The pose at the end of a chain of rigid motions.
ad::Recording chain(int links) {
  return ad::record({.name = "chain", .variables = 6 * links}, [links](auto x, auto) {
    auto end = lie::SE3<ad::Taped>::identity();
    for (int k = 0; k < links; ++k) {
      end = end *
            lie::SE3<ad::Taped>::exp(Eigen::Map<const lie::Vec<ad::Taped, 6>>(x.data() + 6 * k));
    }
    return end.coeffs();
  });
}

/// Derives, writes and compiles Jᵀw of a chain with about `operations` operations.
Row row_of(int operations) {
  constexpr int kOperationsPerLink = 300;
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const ad::Recording recording = chain(std::max(1, operations / kOperationsPerLink));
  const ad::KernelLayout layout = lay_out(recording, {.results = {ad::transpose_times()}});
  const ad::Program program = ad::derive(recording, layout);
  const ad::TemporaryDirectory folder;
  const std::filesystem::path source = folder.path() / "chain.c";
  std::ofstream(source) << ad::c_prelude() << ad::write_c(program, layout.num_inputs, "chain");
  std::string failure;
  const auto compiler = ad::find_compiler(&failure);
  if (compiler) failure = ad::compile(*compiler, source, folder.path() / "chain.so");
  if (!failure.empty()) throw Error(failure);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return {"compile.operations_" + std::to_string(operations) + ".microseconds_per_operation",
          1e6 * seconds / program.graph.size(), "us"};
}

}  // namespace

std::vector<Row> compile_rows() {
  std::vector<Row> rows;
  for (const int operations : {1000, 10000, 100000}) rows.push_back(row_of(operations));
  rows.push_back(
      {"compile.growth_from_1000_to_100000", rows[2].value / rows[0].value, "ratio", 1.5});
  return rows;
}

}  // namespace liegrad::bench

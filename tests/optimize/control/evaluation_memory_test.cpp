// What a search calls in every iteration takes no memory after the first time.

#include <gtest/gtest.h>

#include "liegrad/control/certificate.hpp"
#include "liegrad/control/nlp.hpp"
#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/control/time_blocks.hpp"

#include "support/allocations.hpp"

namespace liegrad::control {
namespace {

TEST(EvaluationMemory, NothingIsAllocatedByASecondIteration) {
  for (const char* const name : {"reorientation", "spherical_pendulum", "crane"}) {
    const Problem problem = make_problem(name);
    TranscriptionOptions options;
    options.steps = 20;
    Transcription transcription(problem, options);
    Nlp nlp(transcription);
    const KktLayout layout(nlp);
    std::vector<double> g(static_cast<std::size_t>(nlp.num_constraints()), 0.1),
        multipliers = g, gradient(static_cast<std::size_t>(nlp.num_variables())),
        jacobian(nlp.jacobian_pattern().size()), hessian(nlp.hessian_pattern().size()),
        right(layout.stages.size());
    // The KKT matrix without barrier terms, and 1 on its diagonal.
    std::vector<int> rows, columns;
    std::vector<std::size_t> sources;
    const auto add = [&](int row, int column, std::size_t source) {
      if (row < 0 || column < 0) return;
      rows.push_back(row);
      columns.push_back(column);
      sources.push_back(source);
    };
    for (std::size_t k = 0; k < hessian.size(); ++k) {
      const auto& [i, j] = nlp.hessian_pattern()[k];
      add(layout.place[static_cast<std::size_t>(i)], layout.place[static_cast<std::size_t>(j)], k);
    }
    for (std::size_t k = 0; k < jacobian.size(); ++k) {
      const auto& [i, j] = nlp.jacobian_pattern()[k];
      add(layout.num_free + i, layout.place[static_cast<std::size_t>(j)], hessian.size() + k);
    }
    const std::size_t off_diagonal = rows.size();
    for (int i = 0; i < layout.num_free + layout.num_rows; ++i) add(i, i, 0);
    std::vector<double> entries(rows.size(), 1.0);
    TimeBlocks blocks(layout.stages, rows, columns);

    const auto iterate = [&] {
      nlp.set_point(transcription.guess());
      nlp.cost();
      nlp.constraints(g);
      nlp.cost_gradient(gradient);
      nlp.jacobian(jacobian);
      nlp.hessian(1, multipliers, hessian);
      for (std::size_t k = 0; k < off_diagonal; ++k) {
        entries[k] = sources[k] < hessian.size() ? hessian[sources[k]]
                                                 : jacobian[sources[k] - hessian.size()];
      }
      EXPECT_TRUE(blocks.factorize(entries)) << name;
      blocks.solve(right);
    };
    iterate();
    EXPECT_EQ(test::allocations_of(iterate), 0) << name;
  }
}

}  // namespace
}  // namespace liegrad::control

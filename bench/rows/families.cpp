#include "accuracy_rows.hpp"
#include "beam_rows.hpp"
#include "chain_rows.hpp"
#include "control_rows.hpp"
#include "fit_rows.hpp"
#include "repeat_rows.hpp"
#include "row.hpp"
#include "sensitivity_rows.hpp"
#include "solver_rows.hpp"
#include "step_rows.hpp"

namespace liegrad::bench {

std::vector<Family> families() {
  return {
      {"kernel.", &kernel_rows},     {"compile.", &compile_rows},
      {"step.", &step_rows},         {"solver.", &solver_rows},
      {"chain.", &chain_rows},       {"beam.", &beam_rows},
      {"accuracy.", &accuracy_rows}, {"adjoint.", &adjoint_rows},
      {"forward.", &forward_rows},   {"hessian_vector.", &hessian_vector_rows},
      {"repeat.", &repeat_rows},     {"fit.", &fit_rows},
      {"control.", &control_rows},
  };
}

}  // namespace liegrad::bench

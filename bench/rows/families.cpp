#include "chain_rows.hpp"
#include "row.hpp"
#include "step_rows.hpp"

namespace liegrad::bench {

std::vector<Family> families() {
  return {{"kernel.", &kernel_rows},
          {"compile.", &compile_rows},
          {"step.", &step_rows},
          {"chain.", &chain_rows}};
}

}  // namespace liegrad::bench

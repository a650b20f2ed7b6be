#include "row.hpp"

namespace liegrad::bench {

std::vector<Family> families() { return {{"kernel.", &kernel_rows}, {"compile.", &compile_rows}}; }

}  // namespace liegrad::bench

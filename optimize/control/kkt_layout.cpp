#include "liegrad/control/certificate.hpp"
#include "liegrad/control/time_blocks.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {

using dae::index;

int stage_of_variable(const GridLayout& layout, int variable) {
  return variable < (layout.num_steps + 1) * layout.width ? variable / layout.width
                                                          : TimeBlocks::kBorder;
}

int stage_of_row(const RowLayout& rows, int row) {
  if (row < rows.start_end) return 0;
  if (row >= rows.end) return rows.num_steps;
  if (row >= rows.path_at(0)) return 0;
  return (row - rows.start_end) / rows.point_size + 1;
}

KktLayout::KktLayout(const Transcription& transcription) {
  for (int i = 0; i < transcription.num_variables(); ++i) {
    const bool fixed = transcription.variable_bounds()[index(i)].is_point();
    place.push_back(fixed ? -1 : num_free++);
    if (!fixed) stages.push_back(stage_of_variable(transcription.layout(), i));
  }
  num_rows = transcription.num_rows() - 1;
  for (int row = 1; row <= num_rows; ++row) {
    stages.push_back(stage_of_row(transcription.rows(), row));
  }
}

}  // namespace liegrad::control

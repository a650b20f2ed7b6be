#include "liegrad/dae/equations/assembly.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

/// Elements of a kind evaluated at once; the vector form of a kernel is fastest there.
constexpr int kLanes = 16;
/// Below this number of elements their kernels are called one by one.
constexpr int kFewElements = 4;
/// Numbers of a node between those that a kernel reads are copied too if they are so few.
constexpr int kFewNumbers = 6;

}  // namespace

Assembly::Assembly(const Model& system, Formulation formulation, bool velocity_map,
                   LinearSolverKind solver)
    : system_(system.shared()),
      formulation_(formulation),
      form_{.split = formulation == Formulation::kStabilized, .velocity_map = velocity_map},
      dof_(system.dof()),
      num_multipliers_(system.num_multipliers()),
      num_algebraic_(system.num_algebraic()),
      nodes_(system.configuration_space(), form_),
      multipliers_(index(num_multipliers_)),
      algebraic_(index(num_algebraic_)),
      controls_(system.controls().size()) {
  size_ = stabilizer_offset() + (form_.split ? num_multipliers_ : 0);
  residual_.assign(index(size_), 0.0);
  std::vector<std::vector<int>> by_kind(system.kinds().size());
  for (std::size_t i = 0; i < system.elements().size(); ++i) {
    by_kind[index(system.elements()[i].kind)].push_back(static_cast<int>(i));
  }
  for (std::size_t kind = 0; kind < by_kind.size(); ++kind) {
    add_group(static_cast<int>(kind), by_kind[kind]);
  }

  matrix_.emplace(collect_pattern(), solver);
  matrix_values_ = matrix_->values();
  last_inputs_.assign(1 + kNumCoefficients, 0.0);
  find_copies();
  find_positions();
  find_chunks();
  find_sums();
  set_parameters(system.parameter_values());
  set_identity_maps();
}

void Assembly::add_group(int kind, const std::vector<int>& elements) {
  Group group;
  group.kind = system_->kinds()[index(kind)].get();
  group.in = group.kind->inputs(form_);
  const ConstraintRows rows =
      group.kind->shape().constraints > 0 ? constraint_rows(formulation_) : ConstraintRows{};
  group.rows = group.kind->rows(rows);
  group.elements = elements;
  group.lanes = group.num_elements() < kFewElements ? 1 : kLanes;
  group.newton = &group.kind->newton(rows, form_);
  group.values = &group.kind->values(rows, form_);
  group.matrix_offset = group.newton->layout().parts[1].offset;
  int place = group.matrix_offset;
  for (const auto& [row, variable] : group.newton->layout().parts[1].pattern) {
    if (variable < group.in.multiplier_corrections) {
      group.motion_entries.push_back({place, row, variable % group.kind->dof()});
    }
    place += 1;
  }
  const ElementModel& model = group.kind->model();
  has_energy_ = has_energy_ || model.has_kinetic_energy();
  has_momentum_ = has_momentum_ || model.has_momentum();
  int num_outputs = std::max(group.newton->layout().num_outputs, ObservableRows::kOutputs);
  for (const OutputSpec& output : group.kind->shape().outputs) num_outputs += output.size;
  const int num_inputs = group.in.num_inputs;
  group.inputs.assign(index(num_inputs * (group.lanes > 1 ? group.lanes : group.num_elements())),
                      0.0);
  group.outputs.assign(index(num_outputs * group.lanes), 0.0);
  for (const int e : group.elements) {
    const PlacedElement& element = system_->elements()[index(e)];
    group.first_multipliers.push_back(element.first_multiplier);
    for (const int node : element.nodes) group.node_blocks.push_back(nodes_.block_offset(node));
  }
  group.rows_of_outputs =
      PlaceTable(group.num_elements(), group.rows.num_outputs, [&](int e, int output) {
        return row_of(system_->elements()[index(elements[index(e)])], group, output);
      });
  if (!elements.empty()) {
    for (const int node : system_->elements()[index(elements[0])].nodes) {
      group.block_sizes.push_back(nodes_.block_size(node));
    }
  }
  find_runs(group, rows);
  groups_.push_back(std::move(group));
}

void Assembly::find_runs(Group& group, ConstraintRows rows) const {
  const std::vector<bool> used = group.kind->inputs_of_steps(rows, form_);
  const auto runs_in = [&used](int first, int count) {
    std::vector<Group::Run> runs;
    for (int i = 0; i < count; ++i) {
      if (!used[index(first + i)]) continue;
      if (!runs.empty() && runs.back().from + runs.back().count == i) {
        runs.back().count += 1;
      } else {
        runs.push_back({i, first + i, 1});
      }
    }
    return runs;
  };
  for (std::size_t k = 0; k < group.block_sizes.size(); ++k) {
    group.node_runs.push_back(runs_in(group.in.nodes[k].view, group.block_sizes[k]));
  }
  group.last_runs = runs_in(group.in.time, 1 + kNumCoefficients);
}

void Assembly::find_copies() {
  for (Group& group : groups_) {
    if (group.lanes > 1) continue;
    for (int e = 0; e < group.num_elements(); ++e) group.copies.push_back(copies_for(group, e));
  }
}

std::vector<Assembly::Group::Copy> Assembly::copies_for(Group& group, int e) {
  const PlacedElement& element = system_->elements()[index(group.elements[index(e)])];
  const ElementShape& shape = group.kind->shape();
  const std::size_t num_nodes = group.node_runs.size();
  std::vector<Group::Copy> copies;
  const auto add = [&](const double* from, int to, int count) {
    if (count > 0) copies.push_back({from, group.inputs_of(e).data() + to, index(count)});
  };
  // A few numbers that are not read cost less than another run.
  for (std::size_t k = 0; k < num_nodes; ++k) {
    const std::vector<Group::Run>& runs = group.node_runs[k];
    const int block = group.node_blocks[index(e) * num_nodes + k];
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Group::Run& first = runs[i];
      int end = first.from + first.count;
      for (; i + 1 < runs.size() && runs[i + 1].from - end <= kFewNumbers; ++i) {
        end = runs[i + 1].from + runs[i + 1].count;
      }
      add(nodes_.numbers() + block + first.from, first.to, end - first.from);
    }
    if (form_.velocity_map) {
      add(nodes_.velocity_map(element.nodes[k]), group.in.nodes[k].velocity_map,
          node_map_size(group.kind->groups()[k]));
    }
  }
  add(multipliers_.data() + element.first_multiplier, group.in.multipliers, shape.constraints);
  for (std::size_t i = 0; i < element.multipliers_read.size(); ++i) {
    add(multipliers_.data() + element.multipliers_read[i],
        group.in.multipliers + shape.constraints + static_cast<int>(i), 1);
  }
  add(algebraic_.data() + element.first_algebraic, group.in.algebraic, shape.algebraic);
  for (std::size_t i = 0; i < element.controls.size(); ++i) {
    add(controls_.data() + element.controls[i], group.in.controls + static_cast<int>(i), 1);
  }
  for (const Group::Run& run : group.last_runs) {
    add(last_inputs_.data() + run.from, run.to, run.count);
  }
  return copies;
}

void Assembly::set_parameters(std::span<const double> parameters) {
  for (Group& group : groups_) {
    group.parameters.clear();
    group.loaded = -1;
    for (const int e : group.elements) {
      for (const int i : system_->elements()[index(e)].parameters) {
        group.parameters.push_back(parameters[index(i)]);
      }
    }
    set_own_parameters(group);
    const std::ptrdiff_t each = std::ssize(group.kind->shape().parameters);
    group.has_equal_parameters =
        std::equal(group.parameters.begin() + std::min(each, std::ssize(group.parameters)),
                   group.parameters.end(), group.parameters.begin());
  }
}

void Assembly::set_own_parameters(Group& group) {
  const std::size_t each = group.kind->shape().parameters.size();
  if (group.lanes > 1) return;
  for (int e = 0; e < group.num_elements(); ++e) {
    std::copy_n(group.parameters.data() + index(e) * each, each,
                group.inputs_of(e).data() + group.in.parameters);
  }
}

void Assembly::set_configuration(std::span<const double> coeffs) {
  const lie::GroupList& space = system_->configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    NodeView::of<double>(space.group(i), coeffs.subspan(index(space.coeff_offset(i))),
                         std::span(nodes_.view(i), index(NodeView::size(space.group(i)))));
  }
}

void Assembly::set_velocity(std::span<const double> v) {
  const lie::GroupList& space = system_->configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    std::copy_n(v.data() + space.dof_offset(i), space.group(i).dof(), nodes_.v(i));
  }
}

void Assembly::set_acceleration(std::span<const double> v_dot) {
  const lie::GroupList& space = system_->configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    std::copy_n(v_dot.data() + space.dof_offset(i), space.group(i).dof(), nodes_.v_dot(i));
  }
}

void Assembly::set_identity_maps() {
  const lie::GroupList& space = system_->configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    set_identity_map(space.group(i), nodes_.map(i));
    if (form_.velocity_map) set_identity_map(space.group(i), nodes_.velocity_map(i));
  }
}

void Assembly::collect_last_inputs() {
  const double last[1 + kNumCoefficients] = {time_,
                                             coefficients_.c_a,
                                             coefficients_.c_v,
                                             coefficients_.k_q,
                                             coefficients_.c_r,
                                             coefficients_.k_r};
  std::copy(std::begin(last), std::end(last), last_inputs_.begin());
}

template <int Lanes>
void Assembly::load_lanes(Group& group, int first, int count, Load what) {
  const ElementInputs& in = group.in;
  const ElementShape& shape = group.kind->shape();
  const int num_parameters = static_cast<int>(shape.parameters.size());
  const std::size_t num_nodes = group.block_sizes.size();
  const bool reads_more = shape.multipliers_read > 0 || shape.algebraic > 0 ||
                          !shape.controls.empty() || form_.velocity_map;
  const double* const last = last_inputs_.data();
  for (int lane = 0; lane < count; ++lane) {
    const int e = first + lane;
    double* const to = group.inputs_of(first).data() + lane;
    const auto put = [to](int offset, const double* from, int n) {
      for (int i = 0; i < n; ++i) to[(offset + i) * Lanes] = from[i];
    };
    const int* const blocks = group.node_blocks.data() + index(e) * num_nodes;
    for (std::size_t k = 0; k < num_nodes; ++k) {
      const double* const block = nodes_.numbers() + blocks[k];
      if (what == Load::kAll) {
        put(in.nodes[k].view, block, group.block_sizes[k]);
        continue;
      }
      for (const Group::Run& run : group.node_runs[k]) put(run.to, block + run.from, run.count);
    }
    put(in.multipliers, multipliers_.data() + group.first_multipliers[index(e)], shape.constraints);
    if (what == Load::kAll) {
      put(in.time, last, 1 + kNumCoefficients);
    } else {
      for (const Group::Run& run : group.last_runs) put(run.to, last + run.from, run.count);
    }
    if (!reads_more) continue;
    const PlacedElement& element = system_->elements()[index(group.elements[index(e)])];
    for (std::size_t i = 0; i < element.multipliers_read.size(); ++i) {
      put(in.multipliers + shape.constraints + static_cast<int>(i),
          multipliers_.data() + element.multipliers_read[i], 1);
    }
    put(in.algebraic, algebraic_.data() + element.first_algebraic, shape.algebraic);
    for (std::size_t i = 0; i < element.controls.size(); ++i) {
      put(in.controls + static_cast<int>(i), controls_.data() + element.controls[i], 1);
    }
    for (std::size_t k = 0; k < num_nodes && form_.velocity_map; ++k) {
      put(in.nodes[k].velocity_map, nodes_.velocity_map(element.nodes[k]),
          node_map_size(group.kind->groups()[k]));
    }
  }
  if (Lanes == 1) return;  // Theirs stand there already, see set_own_parameters().
  if (group.loaded == first || (group.loaded >= 0 && group.has_equal_parameters)) return;
  // Lanes that stand empty get some element's parameters too.
  for (int lane = 0; lane < Lanes; ++lane) {
    const int e = std::min(first + lane, group.num_elements() - 1);
    for (int i = 0; i < num_parameters; ++i) {
      group.inputs[index((in.parameters + i) * Lanes + lane)] =
          group.parameters[index(e * num_parameters + i)];
    }
  }
  group.loaded = first;
}

void Assembly::load(Group& group, int first, int count, Load what) {
  if (group.lanes > 1) {
    load_lanes<kLanes>(group, first, count, what);
  } else if (what == Load::kAll) {
    load_lanes<1>(group, first, count, what);
  } else {
    for (const Group::Copy& copy : group.copies[index(first)]) {
      std::memcpy(copy.to, copy.from, copy.count * sizeof(double));
    }
  }
}

void Assembly::call(Group& group, const ad::Kernel& kernel, int first, int count) {
  if (group.lanes == 1) {
    kernel(group.inputs_of(first), group.outputs);
  } else {
    kernel.batch(count, group.inputs, group.lanes, group.outputs, group.lanes);
  }
}

void Assembly::load_and_call(Group& group, const ad::Kernel& kernel, int first, int count,
                             Load what) {
  collect_last_inputs();
  load(group, first, count, what);
  call(group, kernel, first, count);
}

template <int Lanes>
void Assembly::add_lanes(Group& group, int first, int count, bool with_matrix) {
  const ElementRows& rows = group.rows;
  const double motion_scale = coefficients_.motion_scale;
  const double position_scale = coefficients_.position_scale;
  double* const matrix = matrix_values_.data();
  double* const all = group.outputs.data();
  for (int i = 0; i < rows.position * Lanes; ++i) all[i] *= motion_scale;
  for (int i = rows.position * Lanes; i < rows.velocity * Lanes; ++i) all[i] *= position_scale;
  for (int lane = 0; lane < count; ++lane) {
    const double* const out = all + lane;
    group.rows_of_outputs.add<Lanes>(first + lane, out, residual_.data());
    if (!with_matrix) continue;
    group.matrix_positions.add<Lanes>(first + lane, out + group.matrix_offset * Lanes, matrix);
  }
  if (with_matrix && group.columns) {
    group.columns->add(*stabilizer_, first, count, all + group.matrix_offset * Lanes, Lanes,
                       matrix);
  }
}

void Assembly::add_chunk(const Chunk& chunk, bool with_matrix) {
  Group& group = groups_[index(chunk.group)];
  load(group, chunk.first, chunk.count, Load::kForSteps);
  call(group, with_matrix ? *group.newton : *group.values, chunk.first, chunk.count);
  if (group.lanes == 1) {
    add_lanes<1>(group, chunk.first, chunk.count, with_matrix);
  } else {
    add_lanes<kLanes>(group, chunk.first, chunk.count, with_matrix);
  }
}

/// What evaluate() does where elements are few: all outputs first, then each entry once.
void Assembly::evaluate_and_gather(bool with_matrix) {
  collect_last_inputs();
  double* next = step_outputs_.data();
  for (Group& group : groups_) {
    const ad::Kernel& kernel = with_matrix ? *group.newton : *group.values;
    const std::size_t each = index(group.newton->layout().num_outputs);
    for (int e = 0; e < group.num_elements(); ++e, next += each) {
      load(group, e, 1, Load::kForSteps);
      kernel(group.inputs_of(e), std::span(next, each));
    }
  }
  sums_->residual(step_outputs_.data(), residual_.data());
  scale_residual();
  if (!with_matrix) return;
  sums_->matrix(step_outputs_.data(), matrix_values_.data());
  if (!stabilizer_) return;
  next = step_outputs_.data();
  for (Group& group : groups_) {
    for (int e = 0; e < group.num_elements(); ++e) {
      if (group.columns) {
        group.columns->add(*stabilizer_, e, 1, next + group.matrix_offset, 1,
                           matrix_values_.data());
      }
      next += group.newton->layout().num_outputs;
    }
  }
}

void Assembly::scale_residual() {
  const auto scale = [this](int first, int last, double factor) {
    for (int i = first; i < last; ++i) residual_[index(i)] *= factor;
  };
  const bool has_positions = constraint_rows(formulation_).position;
  scale(0, dof_, coefficients_.motion_scale);
  scale(dof_, algebraic_offset(), has_positions ? coefficients_.position_scale : 1.0);
  scale(algebraic_offset(), stabilizer_offset(), coefficients_.motion_scale);
}

void Assembly::evaluate(bool with_matrix) {
  if (sums_) return evaluate_and_gather(with_matrix);
  collect_last_inputs();
  std::fill(residual_.begin(), residual_.end(), 0.0);
  if (with_matrix) std::fill(matrix_values_.begin(), matrix_values_.end(), 0.0);
  for (const Chunk& chunk : chunks_) add_chunk(chunk, with_matrix);
}

bool Assembly::evaluate_and_factorize() {
  if (!matrix_->begin_filling(residual_)) {
    evaluate(true);
    return matrix_->factorize_in_place();
  }
  collect_last_inputs();
  std::fill(residual_.begin(), residual_.end(), 0.0);
  bool is_good = true;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    matrix_->clear_until(chunks_[i].last_pivot + 1);
    add_chunk(chunks_[i], true);
    // Nothing will be added any more to pivots before those of the next chunk.
    const bool is_last = i + 1 == chunks_.size();
    is_good = is_good && (is_last ? matrix_->finish_filling()
                                  : matrix_->eliminate_until(chunks_[i + 1].first_pivot));
  }
  return is_good;
}

double Assembly::entry(int row, int column) {
  const std::optional<int> position = matrix_->find(row, column);
  return position ? matrix_->values()[index(*position)] : 0.0;
}

void Assembly::set_stabilizer() {
  if (!stabilizer_) return;
  // B(q_n) is what Φ has to say of a perturbation w of position when Q = I.
  const std::span<double> numbers = stabilizer_->numbers();
  std::ranges::fill(numbers, 0.0);
  for (Group& group : groups_) {
    if (group.gradient.empty()) continue;
    const std::size_t num_nodes = group.block_sizes.size();
    for_each_chunk(group, [&](int first, int count) {
      load_and_call(group, *group.newton, first, count, Load::kForSteps);
      for (int lane = 0; lane < count; ++lane) {
        const double* const derivative =
            group.outputs.data() + lane + group.matrix_offset * group.lanes;
        const int* const to = group.first_numbers.data() + index(first + lane) * num_nodes;
        for (const Group::Gradient& g : group.gradient) {
          numbers[index(to[g.node] + g.place)] += derivative[g.entry * group.lanes];
        }
      }
    });
  }
}

}  // namespace liegrad::dae

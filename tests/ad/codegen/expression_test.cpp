// What happens to an expression between its derivation and the compiled code changes no result: the
// algebra while it is built, simplified(), eliminate(), schedule() and the C that is written.
//
// Most checks are exact. Random programs work on small integers and halves with operations whose
// results are such numbers again, so that nothing is ever rounded and any order of operations gives
// the same bits.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "ad/own_cache.hpp"
#include "liegrad/ad/codegen/accumulate.hpp"
#include "liegrad/ad/codegen/schedule.hpp"
#include "liegrad/ad/codegen/vector_form.hpp"
#include "liegrad/ad/codegen/write_c.hpp"
#include "liegrad/ad/native/compiler.hpp"
#include "liegrad/ad/native/native_code.hpp"
#include "support/derivative_along.hpp"

namespace liegrad::ad {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// ---------------------------------------------------------------- direct evaluation

template <class T>
bool holds(Comparison cmp, T left, T right) {
  switch (cmp) {
    case Comparison::kLt: return left < right;
    case Comparison::kLe: return left <= right;
    case Comparison::kEq: return left == right;
    case Comparison::kGe: return left >= right;
    case Comparison::kGt: return left > right;
    case Comparison::kNe: return left != right;
  }
  return false;
}

template <class T>
T called(Call call, T x) {
  switch (call) {
    case Call::kAbs: return std::abs(x);
    case Call::kAcos: return std::acos(x);
    case Call::kAcosh: return std::acosh(x);
    case Call::kAsin: return std::asin(x);
    case Call::kAsinh: return std::asinh(x);
    case Call::kAtan: return std::atan(x);
    case Call::kAtanh: return std::atanh(x);
    case Call::kCos: return std::cos(x);
    case Call::kCosh: return std::cosh(x);
    case Call::kErf: return std::erf(x);
    case Call::kErfc: return std::erfc(x);
    case Call::kExp: return std::exp(x);
    case Call::kExpm1: return std::expm1(x);
    case Call::kLog: return std::log(x);
    case Call::kLog1p: return std::log1p(x);
    case Call::kSign: return static_cast<T>(x > 0) - static_cast<T>(x < 0);
    case Call::kSin: return std::sin(x);
    case Call::kSinh: return std::sinh(x);
    case Call::kSqrt: return std::sqrt(x);
    case Call::kTan: return std::tan(x);
    case Call::kTanh: return std::tanh(x);
  }
  return std::numeric_limits<T>::quiet_NaN();
}

/// One node, given a function from operands to numbers.
template <class T, class Operand>
T evaluated(const Node& x, const std::vector<T>& inputs, Operand&& operand) {
  switch (x.op) {
    case Op::kConstant: return static_cast<T>(x.constant);
    case Op::kInput: return inputs[at(x.input)];
    case Op::kAdd: return operand(x.a) + operand(x.b);
    case Op::kSubtract: return operand(x.a) - operand(x.b);
    case Op::kMultiply: return operand(x.a) * operand(x.b);
    case Op::kDivide: return operand(x.a) / operand(x.b);
    case Op::kNegate: return -operand(x.a);
    case Op::kPower: return std::pow(operand(x.a), operand(x.b));
    case Op::kCall: return called(x.call(), operand(x.a));
    case Op::kSelect:
      return holds(x.comparison(), operand(x.a), operand(x.b)) ? operand(x.c) : operand(x.d);
  }
  return std::numeric_limits<T>::quiet_NaN();
}

/// All nodes of a graph or list, one after the other.
template <class T, class Nodes>
std::vector<T> all_evaluated(const Nodes& nodes, const std::vector<T>& inputs) {
  std::vector<T> values;
  for (Id id = 0; id < static_cast<Id>(nodes.size()); ++id) {
    const auto& x = nodes[static_cast<decltype(nodes.size())>(id)];
    values.push_back(evaluated<T>(x, inputs, [&](Id operand) { return values[at(operand)]; }));
  }
  return values;
}

template <class T>
std::vector<T> outputs_of(const Program& program, const std::vector<T>& inputs) {
  const std::vector<T> values = all_evaluated(program.graph, inputs);
  std::vector<T> out;
  for (const Id output : program.outputs) out.push_back(values[at(output)]);
  return out;
}

/// Carries a schedule out. As in the C that is written from it, what a side of a branch computes is
/// not visible behind the branch, except the selects and what is kept.
class ScheduleRunner {
 public:
  ScheduleRunner(const Program& program, const std::vector<double>& inputs)
      : program_(program),
        schedule_(schedule(program)),
        inputs_(inputs),
        value_(at(program.graph.size())),
        is_known_(at(program.graph.size()), false) {
    run(0);
  }

  std::vector<double> outputs() {
    std::vector<double> out;
    for (const Id output : program_.outputs) out.push_back(read(output));
    return out;
  }
  /// Calls of functions that were carried out.
  int num_calls() const { return num_calls_; }

 private:
  double read(Id id) {
    const Node& x = program_.graph[id];
    if (x.op == Op::kConstant) return x.constant;
    if (x.op == Op::kInput) return inputs_[at(x.input)];
    EXPECT_TRUE(is_known_[at(id)]) << "node " << id << " is read before it is computed";
    return value_[at(id)];
  }
  void set(Id id, double value) {
    value_[at(id)] = value;
    is_known_[at(id)] = true;
  }

  void run(int region) {
    for (const Schedule::Item& item : schedule_.regions[at(region)].items) {
      if (item.branch < 0) {
        const Node& x = program_.graph[item.node];
        set(item.node, evaluated<double>(x, inputs_, [&](Id operand) { return read(operand); }));
        num_calls_ += x.op == Op::kCall ? 1 : 0;
        continue;
      }
      const Schedule::Branch& branch = schedule_.branches[at(item.branch)];
      for (const Id kept : branch.kept) set(kept, 0);
      const bool outcome = holds(branch.comparison, read(branch.left), read(branch.right));
      const std::vector<bool> before = is_known_;
      run(outcome ? branch.if_true : branch.if_false);
      std::vector<double> chosen;
      for (const Id select : branch.selects) {
        const Node& x = program_.graph[select];
        chosen.push_back(read(outcome ? x.c : x.d));
      }
      is_known_ = before;
      for (std::size_t k = 0; k < chosen.size(); ++k) set(branch.selects[k], chosen[k]);
    }
  }

  const Program& program_;
  Schedule schedule_;
  const std::vector<double>& inputs_;
  std::vector<double> value_;
  std::vector<bool> is_known_;
  int num_calls_ = 0;
};

// ---------------------------------------------------------------- random programs

constexpr int kNumInputs = 4;
constexpr int kLargestInput = 3;

/// Operations as they are written down, before any algebra.
struct Script {
  std::vector<Node> nodes;
  std::vector<Id> results;

  template <class T>
  std::vector<T> chosen(const std::vector<T>& of_all_nodes) const {
    std::vector<T> out;
    for (const Id id : results) out.push_back(of_all_nodes[at(id)]);
    return out;
  }

  Program program() const {
    Program program;
    std::vector<Id> ids;
    const auto id = [&](Id operand) { return operand < 0 ? operand : ids[at(operand)]; };
    for (const Node& x : nodes) {
      ids.push_back(program.graph.rebuild(x, id(x.a), id(x.b), id(x.c), id(x.d)));
    }
    program.outputs = chosen(ids);
    return program;
  }
  std::vector<double> outputs(const std::vector<double>& inputs) const {
    return chosen(all_evaluated(nodes, inputs));
  }
  /// ∂outputs/∂inputs[j] by the rules of differentiation, operation by operation.
  std::vector<double> derivatives(const std::vector<double>& inputs, int j) const {
    const std::vector<double> values = all_evaluated(nodes, inputs);
    std::vector<double> d;
    for (const Node& x : nodes) {
      const auto v = [&](Id id) { return values[at(id)]; };
      switch (x.op) {
        case Op::kConstant: d.push_back(0); break;
        case Op::kInput: d.push_back(x.input == j ? 1 : 0); break;
        case Op::kAdd: d.push_back(d[at(x.a)] + d[at(x.b)]); break;
        case Op::kSubtract: d.push_back(d[at(x.a)] - d[at(x.b)]); break;
        case Op::kMultiply: d.push_back(d[at(x.a)] * v(x.b) + v(x.a) * d[at(x.b)]); break;
        case Op::kDivide: d.push_back(d[at(x.a)] / v(x.b)); break;  // by a constant
        case Op::kNegate: d.push_back(-d[at(x.a)]); break;
        case Op::kPower:  // of a constant, not negative integer exponent
          d.push_back(v(x.b) == 0 ? 0 : v(x.b) * std::pow(v(x.a), v(x.b) - 1) * d[at(x.a)]);
          break;
        case Op::kCall:
          d.push_back(x.call() == Call::kAbs ? called(Call::kSign, v(x.a)) * d[at(x.a)] : 0);
          break;
        case Op::kSelect:
          d.push_back(holds(x.comparison(), v(x.a), v(x.b)) ? d[at(x.c)] : d[at(x.d)]);
          break;
      }
    }
    return chosen(d);
  }
};

/// Writes scripts whose every value, and derivative, is a multiple of a small power of two with few
/// binary digits.
class ScriptWriter {
 public:
  /// With an odd seed functions are called in branches only, as closed forms beside a series are.
  explicit ScriptWriter(unsigned seed) : rng_(seed), calls_in_branches_only_(seed % 2 == 1) {}

  Script write(int size, int num_outputs) {
    script_ = {};
    digits_.clear();
    pool_.clear();
    for (int i = 0; i < kNumInputs; ++i) append({.op = Op::kInput, .input = i}, 2);
    for (int k = 0; k < size; ++k) {
      if (k % 40 == 0) renew_conditions();
      append_random();
    }
    for (int k = 0; k < num_outputs; ++k)
      script_.results.push_back(pool_[pool_.size() - 1 - at(k)]);
    return script_;
  }

  std::vector<double> inputs() {
    std::vector<double> x;
    for (int i = 0; i < kNumInputs; ++i) x.push_back(random(2 * kLargestInput + 1) - kLargestInput);
    return x;
  }

 private:
  /// Binary digits that a value may take, so that no sum or product of derivatives is ever rounded.
  static constexpr double kMaxDigits = 14;

  int random(int end) { return static_cast<int>(rng_() % static_cast<unsigned>(end)); }
  int num_nodes() const { return static_cast<int>(script_.nodes.size()); }
  void append(const Node& node, double digits) {
    pool_.push_back(num_nodes());
    script_.nodes.push_back(node);
    digits_.push_back(digits);
  }
  Id constant(double value) {
    script_.nodes.push_back({.op = Op::kConstant, .constant = value});
    digits_.push_back(2);
    return num_nodes() - 1;
  }
  /// An earlier node, mostly a late one, sometimes a constant.
  Id operand() {
    if (random(12) == 0) return constant(random(5) - 2);
    const int count = static_cast<int>(pool_.size());
    return pool_[at(count - 1 - random(random(4) == 0 ? count : std::min(count, 20)))];
  }

  void renew_conditions() {
    conditions_.clear();
    for (int k = 0; k < 3; ++k) {
      conditions_.push_back({.op = Op::kSelect,
                             .which = static_cast<std::uint8_t>(random(6)),
                             .a = operand(),
                             .b = random(2) == 0 ? operand() : constant(random(3) - 1)});
    }
  }

  void append_random() {
    const Id a = operand(), b = operand();
    const double both = digits_[at(a)] + digits_[at(b)];
    const double larger = std::max(digits_[at(a)], digits_[at(b)]);
    switch (random(12)) {
      case 0:
      case 1: return append_small({.op = Op::kAdd, .a = a, .b = b}, larger + 1);
      case 2: return append_small({.op = Op::kSubtract, .a = a, .b = b}, larger + 1);
      case 3:
      case 4: return append_small({.op = Op::kMultiply, .a = a, .b = b}, both);
      case 5: return append_small({.op = Op::kNegate, .a = a}, digits_[at(a)]);
      case 6: {
        const double divisors[] = {1, -1, 2, -2, 0.5};
        return append_small({.op = Op::kDivide, .a = a, .b = constant(divisors[random(5)])},
                            digits_[at(a)] + 1);
      }
      case 7: {
        const int exponent = random(4);
        return append_small({.op = Op::kPower, .a = a, .b = constant(exponent)},
                            digits_[at(a)] * std::max(exponent, 1));
      }
      case 8: {
        const auto call = random(2) == 0 || calls_in_branches_only_ ? Call::kSign : Call::kAbs;
        append_small({.op = Op::kCall, .which = static_cast<std::uint8_t>(call), .a = a},
                     digits_[at(a)]);
        if (!calls_in_branches_only_) return;
        Node select = conditions_[0];
        select.c = pool_.back();
        select.d = b;
        pool_.pop_back();  // nothing else reads it
        return append_small(select, larger);
      }
      default: {
        Node select = conditions_[at(random(3))];
        // Halves, as derivatives leave them, and branches of equal worth.
        select.c = random(4) == 0 ? constant(0) : a;
        select.d = random(4) == 0 ? constant(0) : b;
        return append_small(select, larger);
      }
    }
  }
  /// What would become too large is an input instead, chosen by the larger operand.
  void append_small(const Node& node, double digits) {
    if (digits <= kMaxDigits) return append(node, digits);
    append({.op = Op::kSelect,
            .which = static_cast<std::uint8_t>(random(6)),
            .a = node.a,
            .b = constant(random(3) - 1),
            .c = pool_[at(random(kNumInputs))],
            .d = pool_[at(random(kNumInputs))]},
           2);
  }

  std::mt19937 rng_;
  bool calls_in_branches_only_;
  Script script_;
  std::vector<double> digits_;
  std::vector<Id> pool_;  // what operations read: all but the constants
  std::vector<Node> conditions_;
};

struct RandomCase {
  Script script;
  Program program;  ///< outputs, then those of J that are not zero, row by row
  std::vector<int> entry_output, entry_input;  ///< which these are

  std::vector<double> expected(const std::vector<double>& inputs) const {
    std::vector<double> out = script.outputs(inputs);
    std::vector<std::vector<double>> d;
    for (int j = 0; j < kNumInputs; ++j) d.push_back(script.derivatives(inputs, j));
    for (std::size_t k = 0; k < entry_output.size(); ++k) {
      out.push_back(d[at(entry_input[k])][at(entry_output[k])]);
    }
    return out;
  }
};

RandomCase with_jacobian(Script script, EliminationOrder order,
                         const std::vector<int>& zero_inputs = {}) {
  RandomCase result{
      .script = std::move(script), .program = {}, .entry_output = {}, .entry_input = {}};
  result.program = result.script.program();
  std::vector<Id> inputs;
  for (int j = 0; j < kNumInputs; ++j) inputs.push_back(result.program.graph.input(j));
  const std::vector<Id> outputs = result.program.outputs;
  AtZero at_zero(result.program.graph, zero_inputs);
  for (const auto& [entry, id] : eliminate(result.program.graph, outputs, inputs, at_zero, order)) {
    result.entry_output.push_back(entry.first);
    result.entry_input.push_back(entry.second);
    result.program.outputs.push_back(id);
  }
  return result;
}

constexpr int kNumOutputs = 8;
constexpr int kPointsPerProgram = 25;

TEST(RandomPrograms, AreUnchangedByTheAlgebraAndBySimplification) {
  int simpler = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    ScriptWriter writer(seed);
    const Script script = writer.write(60, kNumOutputs);
    const Program program = script.program(), simple = simplified(program);
    EXPECT_LE(cost(simple), cost(program));
    if (cost(simple) < cost(program)) ++simpler;
    for (int k = 0; k < kPointsPerProgram; ++k) {
      const std::vector<double> x = writer.inputs(), expected = script.outputs(x);
      ASSERT_EQ(outputs_of(program, x), expected) << "seed " << seed;
      ASSERT_EQ(outputs_of(simple, x), expected) << "seed " << seed;
    }
  }
  EXPECT_GT(simpler, 10);  // of what construction leaves
}

TEST(RandomPrograms, HaveTheDerivativesThatEliminationFinds) {
  int entries = 0, not_zero = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    for (const EliminationOrder order : kEliminationOrders) {
      ScriptWriter writer(seed);
      const RandomCase random = with_jacobian(writer.write(60, kNumOutputs), order);
      const Program simple = simplified(random.program);
      for (int k = 0; k < kPointsPerProgram; ++k) {
        const std::vector<double> x = writer.inputs(), expected = random.expected(x);
        ASSERT_EQ(outputs_of(random.program, x), expected) << "seed " << seed;
        ASSERT_EQ(outputs_of(simple, x), expected) << "seed " << seed;
        for (std::size_t i = kNumOutputs; i < expected.size(); ++i) {
          ++entries;
          if (expected[i] != 0) ++not_zero;
        }
        // Entries that elimination leaves out are zero.
        for (int j = 0; j < kNumInputs; ++j) {
          const std::vector<double> column = random.script.derivatives(x, j);
          for (int i = 0; i < kNumOutputs; ++i) {
            bool found = false;
            for (std::size_t e = 0; e < random.entry_output.size(); ++e) {
              found |= random.entry_output[e] == i && random.entry_input[e] == j;
            }
            if (!found) {
              ASSERT_EQ(column[at(i)], 0) << "seed " << seed;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(not_zero, entries / 4);
}

TEST(RandomPrograms, HaveDerivativesAtZeroThatDoNotReadWhatIsZero) {
  int not_zero = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    ScriptWriter writer(seed);
    const RandomCase random =
        with_jacobian(writer.write(60, kNumOutputs), EliminationOrder::kFewestProducts, {0, 2});
    for (int k = 0; k < kPointsPerProgram; ++k) {
      std::vector<double> x = writer.inputs();
      x[0] = x[2] = 0;
      const std::vector<double> expected = random.expected(x);
      x[0] = x[2] = std::numeric_limits<double>::quiet_NaN();
      const std::vector<double> found = outputs_of(random.program, x);
      for (std::size_t i = kNumOutputs; i < expected.size(); ++i) {
        ASSERT_EQ(found[i], expected[i]) << "seed " << seed;
        if (expected[i] != 0) ++not_zero;
      }
    }
  }
  EXPECT_GT(not_zero, 1000);
}

TEST(RandomPrograms, AreScheduledSoThatEverythingIsComputedBeforeItIsRead) {
  int branches = 0, kept = 0, nested = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    ScriptWriter writer(seed);
    const RandomCase random =
        with_jacobian(writer.write(80, kNumOutputs), EliminationOrder::kFewestProducts);
    const Program simple = simplified(random.program);
    const Schedule plan = schedule(simple);
    branches += static_cast<int>(plan.branches.size());
    for (const auto& branch : plan.branches) kept += static_cast<int>(branch.kept.size());
    for (const auto& region : plan.regions) nested += region.depth > 1 ? 1 : 0;
    for (int k = 0; k < kPointsPerProgram; ++k) {
      const std::vector<double> x = writer.inputs();
      ASSERT_EQ(ScheduleRunner(simple, x).outputs(), random.expected(x)) << "seed " << seed;
      if (HasFailure()) FAIL() << "seed " << seed;
    }
  }
  // The scheduler's cases occur.
  EXPECT_GT(branches, 1000);
  EXPECT_GT(kept, 100);
  EXPECT_GT(nested, 100);
}

TEST(RandomPrograms, AreTheSameInC) {
  // Small ones with derivatives, and one that is cut into several functions.
  std::vector<RandomCase> cases;
  std::vector<ScriptWriter> writers;
  for (unsigned seed = 0; seed < 40; ++seed) {
    writers.emplace_back(seed);
    cases.push_back(
        with_jacobian(writers.back().write(60, kNumOutputs), EliminationOrder::kFewestProducts));
  }
  writers.emplace_back(99);
  cases.push_back({.script = writers.back().write(6000, 2000),
                   .program = {},
                   .entry_output = {},
                   .entry_input = {}});
  cases.back().program = cases.back().script.program();

  std::string source = c_prelude();
  int in_vector_form = 0, guarded = 0;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Program simple = simplified(cases[k].program);
    source += write_c(simple, kNumInputs, "program" + std::to_string(k));
    const std::optional<VectorForm> form = vector_form(simple);
    in_vector_form += form ? 1 : 0;
    guarded += form && !form->guards.empty() ? 1 : 0;
  }
  EXPECT_GT(in_vector_form, 10);
  EXPECT_GT(guarded, 3);
  EXPECT_NE(source.find("program" + std::to_string(cases.size() - 1) + "_piece3"),
            std::string::npos);
  const std::filesystem::path folder = std::getenv("XDG_CACHE_HOME");
  std::ofstream(folder / "programs.c") << source;
  std::string why_not;
  const std::optional<Compiler> compiler = find_compiler(&why_not);
  ASSERT_TRUE(compiler) << why_not;
  ASSERT_EQ(compile(*compiler, folder / "programs.c", folder / "programs.so"), "");
  const int descriptor = ::open((folder / "programs.so").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  const std::optional<SharedObject> library =
      SharedObject::load(descriptor, std::filesystem::file_size(folder / "programs.so"), &why_not);
  ::close(descriptor);
  ASSERT_TRUE(library) << why_not;

  for (std::size_t k = 0; k < cases.size(); ++k) {
    const std::string symbol = "program" + std::to_string(k);
    const auto one = reinterpret_cast<NativeCode::One>(library->symbol(symbol));
    const auto batch = reinterpret_cast<NativeCode::Batch>(library->symbol(symbol + "_batch"));
    ASSERT_TRUE(one != nullptr && batch != nullptr);
    const std::size_t m = cases[k].program.outputs.size();
    std::vector<double> in(at(kNumInputs * kPointsPerProgram)), out(m * at(kPointsPerProgram));
    std::vector<std::vector<double>> expected;
    for (int p = 0; p < kPointsPerProgram; ++p) {
      const std::vector<double> x = writers[k].inputs();
      expected.push_back(cases[k].expected(x));
      std::vector<double> y(m, -77);
      one(x.data(), y.data());
      ASSERT_EQ(y, expected.back()) << symbol;
      for (int i = 0; i < kNumInputs; ++i) in[at(i * kPointsPerProgram + p)] = x[at(i)];
    }
    batch(kPointsPerProgram, in.data(), kPointsPerProgram, out.data(), kPointsPerProgram);
    for (int p = 0; p < kPointsPerProgram; ++p) {
      for (std::size_t i = 0; i < m; ++i) {
        ASSERT_EQ(out[i * at(kPointsPerProgram) + at(p)], expected[at(p)][i])
            << symbol << ", output " << i << " of instance " << p;
      }
    }
  }
}

// ---------------------------------------------------------------- derivatives of single operations

/// Ridders' method begins with a step of 1/4 of this.
constexpr long double kDifferenceScale = 1.0L / 16;
constexpr double kDifferenceTolerance = 4e-12;  // ε^(2/3) of long double over the scale

void expect_derivatives_by_differences(const Program& function, const std::vector<double>& x,
                                       const std::string& what) {
  Program program = function;
  std::vector<Id> inputs;
  for (int j = 0; j < static_cast<int>(x.size()); ++j) inputs.push_back(program.graph.input(j));
  AtZero at_zero(program.graph, {});
  const auto entries = eliminate(program.graph, function.outputs, inputs, at_zero,
                                 EliminationOrder::kFewestProducts);
  for (int j = 0; j < static_cast<int>(x.size()); ++j) {
    const test::Values difference =
        test::DerivativeAlong<long double>::of([&](long double epsilon) {
          std::vector<long double> moved(x.begin(), x.end());
          moved[at(j)] += kDifferenceScale * epsilon;
          const std::vector<long double> y = outputs_of(function, moved);
          return test::Column<long double>(
              Eigen::Map<const test::Column<long double>>(y.data(), static_cast<int>(y.size())));
        }) /
        kDifferenceScale;
    for (int i = 0; i < difference.rows(); ++i) {
      const auto entry = entries.find({i, j});
      program.outputs.assign(1, entry == entries.end() ? program.graph.constant(0) : entry->second);
      const double expected = static_cast<double>(difference(i));
      EXPECT_NEAR(outputs_of(program, x)[0], expected,
                  kDifferenceTolerance * std::max(1.0, std::abs(expected)))
          << what << " at " << testing::PrintToString(x);
      EXPECT_GT(std::abs(expected), 1e-3) << what;
    }
  }
}

TEST(Elimination, KnowsTheDerivativeOfEveryCall) {
  for (int which = 0; which <= static_cast<int>(Call::kTanh); ++which) {
    const auto call = static_cast<Call>(which);
    if (call == Call::kSign) continue;  // it is zero: see the random programs
    Program program;
    program.outputs = {program.graph.call(call, program.graph.input(0))};
    std::vector<double> places = {-0.7, -0.2, 0.3, 0.8};
    if (call == Call::kLog || call == Call::kSqrt) places = {0.1, 0.9, 7};
    if (call == Call::kAcosh) places = {1.2, 3, 20};
    for (const double x : places) {
      expect_derivatives_by_differences(program, {x}, "call " + std::to_string(which));
    }
  }
}

TEST(Elimination, KnowsTheDerivativesOfQuotientsAndPowers) {
  Program program;
  ExpressionGraph& g = program.graph;
  const Id x = g.input(0), y = g.input(1);
  program.outputs = {g.divide(x, y), g.divide(g.multiply(x, x), g.add(x, y)), g.power(x, y),
                     g.power(g.add(x, y), g.multiply(x, y))};
  expect_derivatives_by_differences(program, {0.7, 1.9}, "two variables");
  expect_derivatives_by_differences(program, {2.5, 0.4}, "two variables");
  Program one;
  for (const double exponent : {-2.5, -1.0, 0.5, 2.0, 3.0, 5.0}) {
    one.outputs.push_back(one.graph.power(one.graph.input(0), one.graph.constant(exponent)));
  }
  one.outputs.push_back(one.graph.power(one.graph.constant(1.7), one.graph.input(0)));
  expect_derivatives_by_differences(one, {1.3}, "one variable");
}

// ---------------------------------------------------------------- the algebra

TEST(ExpressionGraph, SharesWhatIsTheSame) {
  ExpressionGraph g;
  const Id x = g.input(0), y = g.input(1);
  EXPECT_EQ(g.add(x, y), g.add(y, x));
  EXPECT_EQ(g.multiply(x, y), g.multiply(y, x));
  EXPECT_EQ(g.call(Call::kSin, x), g.call(Call::kSin, x));
  EXPECT_NE(g.call(Call::kSin, x), g.call(Call::kCos, x));
  EXPECT_NE(g.subtract(x, y), g.subtract(y, x));
  EXPECT_EQ(g.subtract(y, x), g.negate(g.subtract(x, y)));
  EXPECT_NE(g.constant(1), g.constant(std::nextafter(1, 2)));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(g.constant(nan), g.constant(nan));
}

TEST(ExpressionGraph, RemovesWhatDerivativeSweepsLeave) {
  ExpressionGraph g;
  const Id x = g.input(0), y = g.input(1), zero = g.constant(0), one = g.constant(1);
  EXPECT_EQ(g.multiply(x, zero), zero);
  EXPECT_EQ(g.multiply(one, x), x);
  EXPECT_EQ(g.multiply(g.constant(-1), x), g.negate(x));
  EXPECT_EQ(g.add(x, zero), x);
  EXPECT_EQ(g.subtract(zero, x), g.negate(x));
  EXPECT_EQ(g.negate(g.negate(x)), x);
  EXPECT_EQ(g.divide(zero, x), zero);
  EXPECT_EQ(g[g.divide(x, g.constant(4))].op, Op::kMultiply);
  // One reciprocal for two quotients.
  const Id first = g.divide(x, y), second = g.divide(g.add(x, one), y);
  EXPECT_EQ(g[first].op, Op::kMultiply);
  EXPECT_TRUE(g[first].b == g[second].b || g[first].b == g[second].a || g[first].a == g[second].b ||
              g[first].a == g[second].a);
}

TEST(ExpressionGraph, JoinsTheHalvesOfASelect) {
  ExpressionGraph g;
  const Id x = g.input(0), y = g.input(1), zero = g.constant(0);
  const auto lt = Comparison::kLt;
  const Id whole = g.select(lt, x, y, x, y);
  EXPECT_EQ(g.add(g.select(lt, x, y, x, zero), g.select(lt, x, y, zero, y)), whole);
  EXPECT_EQ(g.multiply(g.select(lt, x, y, g.constant(1), zero), x), g.select(lt, x, y, x, zero));
  EXPECT_EQ(g.select(lt, x, y, whole, zero), g.select(lt, x, y, x, zero));
  EXPECT_EQ(g.select(lt, x, y, x, x), x);
  EXPECT_EQ(g.select(lt, zero, g.constant(1), x, y), x);
}

// ---------------------------------------------------------------- what is done when

TEST(Schedule, DoesInABranchWhatOnlyThatBranchNeeds) {
  Program program;
  ExpressionGraph& g = program.graph;
  const Id x = g.input(0), one = g.constant(1);
  // Three calls on one side, one on the other, of which the last select needs one again.
  const Id three = g.call(Call::kSin, g.call(Call::kExp, g.call(Call::kTanh, x)));
  const Id inner = g.call(Call::kLog, x);
  const Id first = g.select(Comparison::kLt, x, one, three, inner);
  const Id second = g.select(Comparison::kLt, g.multiply(first, first), one, first, g.constant(2));
  program.outputs = {first, g.select(Comparison::kLt, x, one, second, g.multiply(inner, second))};
  EXPECT_EQ(ScheduleRunner(program, {0.5}).num_calls(), 3);
  EXPECT_EQ(ScheduleRunner(program, {4}).num_calls(), 1);
  EXPECT_EQ(ScheduleRunner(program, {4}).outputs(), outputs_of<double>(program, {4}));

  // A call that is needed anyway is done anyway.
  program.outputs.push_back(inner);
  EXPECT_EQ(ScheduleRunner(program, {0.5}).num_calls(), 4);
  EXPECT_EQ(ScheduleRunner(program, {4}).num_calls(), 1);
}

TEST(Schedule, DoesNothingOfABranchInsideABranchThatIsNotTaken) {
  Program program;
  ExpressionGraph& g = program.graph;
  const Id x = g.input(0), y = g.input(1), one = g.constant(1);
  const Id inner = g.select(Comparison::kGt, y, one, g.call(Call::kExp, y),
                            g.call(Call::kSin, g.call(Call::kCos, y)));
  program.outputs = {g.select(Comparison::kLt, x, one, inner, x)};
  EXPECT_EQ(ScheduleRunner(program, {0, 2}).num_calls(), 1);
  EXPECT_EQ(ScheduleRunner(program, {0, 0}).num_calls(), 2);
  EXPECT_EQ(ScheduleRunner(program, {3, 2}).num_calls(), 0);
}

}  // namespace
}  // namespace liegrad::ad

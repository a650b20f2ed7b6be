#include "liegrad/ad/codegen/write_c.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "liegrad/ad/codegen/schedule.hpp"
#include "liegrad/ad/codegen/vector_form.hpp"

namespace liegrad::ad {
namespace {

/// A program of up to so many operations is one C function; a longer one is cut into pieces of about
/// kPieceSize each.
constexpr int kWholeSize = 2000;
constexpr int kPieceSize = 500;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::string number(double value) {
  if (value != value) return "NAN";
  if (value == std::numeric_limits<double>::infinity()) return "INFINITY";
  if (value == -std::numeric_limits<double>::infinity()) return "(-INFINITY)";
  char digits[32];  // the shortest form that reads back as the same number
  std::string text(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value < 0 ? "(" + text + ")" : text;
}

const char* name_of(Call call) {
  switch (call) {
    case Call::kAbs: return "fabs";
    case Call::kAcos: return "acos";
    case Call::kAcosh: return "acosh";
    case Call::kAsin: return "asin";
    case Call::kAsinh: return "asinh";
    case Call::kAtan: return "atan";
    case Call::kAtanh: return "atanh";
    case Call::kCos: return "cos";
    case Call::kCosh: return "cosh";
    case Call::kErf: return "erf";
    case Call::kErfc: return "erfc";
    case Call::kExp: return "exp";
    case Call::kExpm1: return "expm1";
    case Call::kLog: return "log";
    case Call::kLog1p: return "log1p";
    case Call::kSign: return "sign";
    case Call::kSin: return "sin";
    case Call::kSinh: return "sinh";
    case Call::kSqrt: return "sqrt";
    case Call::kTan: return "tan";
    case Call::kTanh: return "tanh";
  }
  return "";
}

const char* sign_of(Comparison comparison) {
  switch (comparison) {
    case Comparison::kLt: return " < ";
    case Comparison::kLe: return " <= ";
    case Comparison::kEq: return " == ";
    case Comparison::kGe: return " >= ";
    case Comparison::kGt: return " > ";
    case Comparison::kNe: return " != ";
  }
  return "";
}

/// The right-hand side of one operation; `ref` names an operand.
template <class Ref>
std::string expression(const Node& x, const Ref& ref) {
  switch (x.op) {
    case Op::kConstant:
    case Op::kInput: break;
    case Op::kAdd: return ref(x.a) + " + " + ref(x.b);
    case Op::kSubtract: return ref(x.a) + " - " + ref(x.b);
    case Op::kMultiply: return ref(x.a) + " * " + ref(x.b);
    case Op::kDivide: return ref(x.a) + " / " + ref(x.b);
    case Op::kNegate: return "-" + ref(x.a);
    case Op::kPower: return "pow(" + ref(x.a) + ", " + ref(x.b) + ")";
    case Op::kCall: return std::string(name_of(x.call())) + "(" + ref(x.a) + ")";
    case Op::kSelect:
      return ref(x.a) + sign_of(x.comparison()) + ref(x.b) + " ? " + ref(x.c) + " : " + ref(x.d);
  }
  return "";
}

/// Writes the function for one instance, in pieces if it is long.
class InstanceWriter {
 public:
  InstanceWriter(const Program& program, std::string symbol)
      : graph_(program.graph), schedule_(schedule(program)), symbol_(std::move(symbol)) {
    for (std::size_t k = 0; k < program.outputs.size(); ++k) {
      outputs_of_[program.outputs[k]].push_back(static_cast<int>(k));
    }
    is_kept_.assign(at(graph_.size()), false);
    for (const Schedule::Branch& branch : schedule_.branches) {
      for (const Id kept : branch.kept) is_kept_[at(kept)] = true;
    }
  }

  std::string run() {
    cut();
    assign_slots();
    std::ostringstream text;
    const bool whole = pieces_.size() == 1;
    for (piece_ = 0; piece_ < static_cast<int>(pieces_.size()); ++piece_) {
      if (whole) {
        text << "void " << symbol_ << "(const double *__restrict x, double *__restrict y) {\n";
      } else {
        text << "static __attribute__((noinline)) void " << piece_name(piece_)
             << "(const double *__restrict x, double *__restrict y, double *__restrict w) {\n";
      }
      for (const Schedule::Item& item : pieces_[at(piece_)]) write(item, "  ", text);
      if (piece_ + 1 == static_cast<int>(pieces_.size())) write_leaf_outputs(text);
      text << "}\n";
    }
    if (!whole) {
      text << "void " << symbol_ << "(const double *__restrict x, double *__restrict y) {\n"
           << "  double w[" << std::max(num_slots_, 1) << "];\n";
      for (int k = 0; k < static_cast<int>(pieces_.size()); ++k) {
        text << "  " << piece_name(k) << "(x, y, w);\n";
      }
      text << "}\n";
    }
    return text.str();
  }

 private:
  std::string piece_name(int k) const { return symbol_ + "_piece" + std::to_string(k); }
  bool is_leaf(Id id) const {
    return graph_[id].op == Op::kConstant || graph_[id].op == Op::kInput;
  }

  /// Cuts what is done always into runs of about kPieceSize operations, if it is long.
  void cut() {
    if (schedule_.size(0) <= kWholeSize) {
      pieces_ = {schedule_.regions[0].items};
      return;
    }
    pieces_.emplace_back();
    int size = 0;
    for (const Schedule::Item& item : schedule_.regions[0].items) {
      int item_size = 1;
      if (item.branch >= 0) {
        const Schedule::Branch& branch = schedule_.branches[at(item.branch)];
        item_size = schedule_.size(branch.if_true) + schedule_.size(branch.if_false);
      }
      if (size > 0 && size + item_size > kPieceSize) {
        pieces_.emplace_back();
        size = 0;
      }
      pieces_.back().push_back(item);
      size += item_size;
    }
  }

  /// Calls f(id) for every node that an item computes, and g(id) for every node it reads.
  template <class F, class G>
  void visit(const Schedule::Item& item, F&& computes, G&& reads) const {
    if (item.branch < 0) {
      computes(item.node);
      for_each_operand(graph_[item.node], reads);
      return;
    }
    const Schedule::Branch& branch = schedule_.branches[at(item.branch)];
    for (const Id select : branch.selects) {
      computes(select);
      for_each_operand(graph_[select], reads);
    }
    for (const int side : {branch.if_true, branch.if_false}) {
      for (const Schedule::Item& inner : schedule_.regions[at(side)].items) {
        visit(inner, computes, reads);
      }
    }
  }

  /// A value read in a later piece than its own gets a place in the array w; places are used again
  /// once their value has been read for the last time.
  void assign_slots() {
    piece_of_.assign(at(graph_.size()), -1);
    slot_of_.assign(at(graph_.size()), -1);
    std::vector<int> last_read(at(graph_.size()), -1);
    for (int k = 0; k < static_cast<int>(pieces_.size()); ++k) {
      for (const Schedule::Item& item : pieces_[at(k)]) {
        visit(
            item, [&](Id id) { piece_of_[at(id)] = k; }, [&](Id id) { last_read[at(id)] = k; });
      }
    }
    std::vector<std::vector<Id>> freed_after(pieces_.size());
    std::vector<int> free_slots;
    for (int k = 0; k < static_cast<int>(pieces_.size()); ++k) {
      for (const Schedule::Item& item : pieces_[at(k)]) {
        visit(
            item,
            [&](Id id) {
              if (last_read[at(id)] <= k) return;
              if (free_slots.empty()) free_slots.push_back(num_slots_++);
              slot_of_[at(id)] = free_slots.back();
              free_slots.pop_back();
              freed_after[at(last_read[at(id)])].push_back(id);
            },
            [](Id) {});
      }
      for (const Id id : freed_after[at(k)]) free_slots.push_back(slot_of_[at(id)]);
    }
  }

  std::string ref(Id id) const {
    const Node& x = graph_[id];
    if (x.op == Op::kConstant) return number(x.constant);
    if (x.op == Op::kInput) return "x[" + std::to_string(x.input) + "]";
    if (piece_of_[at(id)] != piece_) return "w[" + std::to_string(slot_of_[at(id)]) + "]";
    return "t" + std::to_string(id);
  }

  /// What becomes of a value once it is known: kept for later pieces, and put out.
  void publish(Id id, const std::string& indent, std::ostringstream& text) const {
    if (slot_of_[at(id)] >= 0) {
      text << indent << "w[" << slot_of_[at(id)] << "] = t" << id << ";\n";
    }
    if (const auto found = outputs_of_.find(id); found != outputs_of_.end()) {
      for (const int k : found->second) text << indent << "y[" << k << "] = t" << id << ";\n";
    }
  }

  void write(const Schedule::Item& item, const std::string& indent,
             std::ostringstream& text) const {
    const auto refer = [this](Id id) { return ref(id); };
    if (item.branch < 0) {
      text << indent << (is_kept_[at(item.node)] ? "t" : "const double t") << item.node << " = "
           << expression(graph_[item.node], refer) << ";\n";
      if (!is_kept_[at(item.node)]) publish(item.node, indent, text);
      return;
    }
    const Schedule::Branch& branch = schedule_.branches[at(item.branch)];
    text << indent << "double";
    for (const Id select : branch.selects) {
      text << (select == branch.selects.front() ? " t" : ", t") << select;
    }
    for (const Id kept : branch.kept) text << ", t" << kept << " = 0.0";
    text << ";\n"
         << indent << "if (" << ref(branch.left) << sign_of(branch.comparison) << ref(branch.right)
         << ") {\n";
    for (const bool side : {true, false}) {
      const int region = side ? branch.if_true : branch.if_false;
      for (const Schedule::Item& inner : schedule_.regions[at(region)].items) {
        write(inner, indent + "  ", text);
      }
      for (const Id select : branch.selects) {
        text << indent << "  t" << select << " = "
             << ref(side ? graph_[select].c : graph_[select].d) << ";\n";
      }
      text << indent << (side ? "} else {\n" : "}\n");
    }
    for (const Id select : branch.selects) publish(select, indent, text);
    for (const Id kept : branch.kept) publish(kept, indent, text);
  }

  void write_leaf_outputs(std::ostringstream& text) const {
    for (const auto& [id, places] : outputs_of_) {
      if (!is_leaf(id)) continue;
      for (const int k : places) text << "  y[" << k << "] = " << ref(id) << ";\n";
    }
  }

  const ExpressionGraph& graph_;
  Schedule schedule_;
  std::string symbol_;
  std::map<Id, std::vector<int>> outputs_of_;
  std::vector<std::vector<Schedule::Item>> pieces_;
  std::vector<int> piece_of_, slot_of_;
  std::vector<bool> is_kept_;
  int num_slots_ = 0;
  int piece_ = 0;
};

/// Longest program, in operations, that is written in vector form.
constexpr Id kMaxVectorSize = 3000;

/// Straight-line code for as many instances as fit a vector register. `bad` marks those whose guards
/// fail.
void write_vector_code(const VectorForm& form, std::ostringstream& text) {
  const ExpressionGraph& graph = form.program.graph;
  const auto ref = [&graph](Id id) -> std::string {
    const Node& x = graph[id];
    if (x.op == Op::kConstant) return number(x.constant);
    if (x.op == Op::kInput) return "LOAD(" + std::to_string(x.input) + ")";
    return "t" + std::to_string(id);
  };
  // Operands of comparisons and selects are vectors always; elsewhere a number is spread by itself.
  const auto vector = [&](Id id) {
    return graph.is_constant(id) ? "spread(" + ref(id) + ")" : ref(id);
  };
  Program with_guards = form.program;
  for (const VectorForm::Guard& guard : form.guards) {
    with_guards.outputs.insert(with_guards.outputs.end(), {guard.left, guard.right});
  }
  const std::vector<bool> is_needed = needed(with_guards);

  for (Id id = 0; id < graph.size(); ++id) {
    const Node& x = graph[id];
    if (!is_needed[at(id)] || x.op == Op::kConstant || x.op == Op::kInput) continue;
    text << "    const Lanes t" << id << " = ";
    if (x.op == Op::kSelect) {
      text << "choose(" << vector(x.a) << sign_of(x.comparison()) << vector(x.b) << ", "
           << vector(x.c) << ", " << vector(x.d) << ")";
    } else if (x.op == Op::kCall) {
      text << "lanes_" << name_of(x.call()) << "(" << ref(x.a) << ")";
    } else {
      text << expression(x, ref);
    }
    text << ";\n";
  }
  text << "    Mask bad = {0};\n";
  for (const VectorForm::Guard& guard : form.guards) {
    text << "    bad |= " << (guard.outcome ? "~" : "") << "(" << vector(guard.left)
         << sign_of(guard.comparison) << vector(guard.right) << ");\n";
  }
  for (std::size_t k = 0; k < form.program.outputs.size(); ++k) {
    text << "    STORE(" << k << ") = " << vector(form.program.outputs[k]) << ";\n";
  }
}

void write_batch(const Program& program, int num_inputs, const std::string& symbol,
                 std::ostringstream& text) {
  const std::size_t num_outputs = program.outputs.size();
  text << "static __attribute__((noinline)) void " << symbol
       << "_strided(const double *x, long x_stride, double *y, long y_stride) {\n"
       << "  double in[" << std::max(num_inputs, 1) << "], out[" << num_outputs << "];\n"
       << "  for (int i = 0; i < " << num_inputs << "; ++i) in[i] = x[i * x_stride];\n"
       << "  " << symbol << "(in, out);\n"
       << "  for (int i = 0; i < " << num_outputs << "; ++i) y[i * y_stride] = out[i];\n"
       << "}\n"
       << "void " << symbol
       << "_batch(long count, const double *__restrict x, long x_stride, double *__restrict y, "
          "long y_stride) {\n"
       << "  long k = 0;\n";
  std::optional<VectorForm> form;
  if (program.graph.size() <= kMaxVectorSize) form = vector_form(program);
  if (form) {
    text << "#if LANES > 1\n  for (; k + LANES <= count; k += LANES) {\n";
    write_vector_code(*form, text);
    text << "    for (int l = 0; l < LANES; ++l)\n"
         << "      if (bad[l]) " << symbol
         << "_strided(x + k + l, x_stride, y + k + l, y_stride);\n"
         << "  }\n#endif\n";
  }
  text << "  for (; k < count; ++k) " << symbol << "_strided(x + k, x_stride, y + k, y_stride);\n"
       << "}\n";
}

}  // namespace

std::string c_prelude() {
  return R"(#include <math.h>
static inline double sign(double a) { return a > 0 ? 1.0 : a < 0 ? -1.0 : 0.0; }

// Vectors of the processor's width, by the extension that GCC and clang share. Kernels for old processors have none: two
// lanes gain little, and would be most of what is compiled for them.
#if defined(__AVX512F__)
#define LANES 8
#elif defined(__AVX__)
#define LANES 4
#elif defined(__x86_64__)
#define LANES 1
#else
#define LANES 2
#endif
typedef double Lanes __attribute__((vector_size(8 * LANES)));
typedef double LanesInMemory __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef long long Mask __attribute__((vector_size(8 * LANES)));
#define LOAD(i) (*(const LanesInMemory *)(x + (i) * x_stride + k))
#define STORE(i) (*(LanesInMemory *)(y + (i) * y_stride + k))
static inline Lanes spread(double a) { Lanes v = {0}; return v + a; }
static inline Lanes choose(Mask m, Lanes a, Lanes b) {
  return (Lanes)((m & (Mask)a) | (~m & (Mask)b));
}
static inline Lanes lanes_fabs(Lanes a) { return (Lanes)((Mask)a & 0x7fffffffffffffffLL); }
static inline Lanes lanes_sqrt(Lanes a) {
  for (int l = 0; l < LANES; ++l) a[l] = sqrt(a[l]);
  return a;
}
)";
}

std::string write_c(const Program& program, int num_inputs, const std::string& symbol) {
  std::ostringstream text;
  text << InstanceWriter(program, symbol).run();
  write_batch(program, num_inputs, symbol, text);
  return text.str();
}

}  // namespace liegrad::ad

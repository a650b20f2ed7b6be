#include "liegrad/ad/codegen/schedule.hpp"

#include <map>
#include <tuple>

namespace liegrad::ad {
namespace {

class Scheduler {
 public:
  explicit Scheduler(const Program& program) : program_(program), graph_(program.graph) {}

  Schedule run() {
    merge_selects();
    sort();
    place();
    return std::move(result_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool is_leaf(Id id) const {
    return graph_[id].op == Op::kConstant || graph_[id].op == Op::kInput;
  }

  /// Items are numbered: nodes by their Id, branches behind them.
  int item_of(Id id) const {
    return branch_of_[at(id)] < 0 ? id : graph_.size() + branch_of_[at(id)];
  }
  bool is_branch(int item) const { return item >= graph_.size(); }
  Schedule::Branch& branch(int item) { return result_.branches[at(item - graph_.size())]; }

  void merge_selects() {
    const std::vector<bool> is_needed = needed(program_);
    branch_of_.assign(at(graph_.size()), -1);
    std::vector<int> level(at(graph_.size()), 0);  // selects on the longest path to a node
    std::map<std::tuple<std::uint8_t, Id, Id, int>, int> known;
    for (Id id = 0; id < graph_.size(); ++id) {
      if (!is_needed[at(id)]) continue;
      const Node& x = graph_[id];
      for_each_operand(
          x, [&](Id operand) { level[at(id)] = std::max(level[at(id)], level[at(operand)]); });
      if (x.op != Op::kSelect) continue;
      const auto [place, is_new] = known.try_emplace({x.which, x.a, x.b, level[at(id)]},
                                                     static_cast<int>(result_.branches.size()));
      if (is_new) {
        result_.branches.push_back(
            {.comparison = x.comparison(), .left = x.a, .right = x.b, .selects = {}});
      }
      result_.branches[at(place->second)].selects.push_back(id);
      branch_of_[at(id)] = place->second;
      ++level[at(id)];
    }
  }

  /// Calls f(operand, side) for what an item reads: side 0 always, 1 if true, 2 if false.
  template <class F>
  void for_each_read(int item, F&& f) {
    if (!is_branch(item)) {
      for_each_operand(graph_[item], [&](Id operand) { f(operand, 0); });
      return;
    }
    f(branch(item).left, 0);
    f(branch(item).right, 0);
    for (const Id select : branch(item).selects) {
      f(graph_[select].c, 1);
      f(graph_[select].d, 2);
    }
  }

  /// Items in an order in which each comes after all it reads, by depth-first search from the outputs.
  void sort() {
    std::vector<bool> done(at(graph_.size()) + result_.branches.size(), false);
    std::vector<int> pending;
    for (const Id output : program_.outputs) {
      if (!is_leaf(output)) pending.push_back(item_of(output));
      while (!pending.empty()) {
        const int item = pending.back();
        if (done[at(item)]) {
          pending.pop_back();
          continue;
        }
        bool ready = true;
        for_each_read(item, [&](Id operand, int) {
          if (!is_leaf(operand) && !done[at(item_of(operand))]) {
            pending.push_back(item_of(operand));
            ready = false;
          }
        });
        if (!ready) continue;
        done[at(item)] = true;
        order_.push_back(item);
        pending.pop_back();
      }
    }
  }

  /// From the last item to the first: an item belongs to the innermost region that holds all its uses.
  void place() {
    std::vector<int> place(at(graph_.size()) + result_.branches.size(), -1);
    uses_.resize(place.size());
    time_.resize(place.size());
    for (std::size_t k = 0; k < order_.size(); ++k) time_[at(order_[k])] = static_cast<int>(k);
    const auto use = [&](Id id, int region, int user) {
      if (is_leaf(id)) return;
      int& current = place[at(item_of(id))];
      current = current < 0 ? region : common(current, region);
      if (user >= 0) uses_[at(item_of(id))].push_back({user, region});
    };
    const Needs need = needs(program_);
    std::map<int, int> first_branch;  // by condition: the first branch on it of those seen so far
    result_.regions.push_back({});
    for (const Id output : program_.outputs) use(output, 0, -1);
    for (auto item = order_.rbegin(); item != order_.rend(); ++item) {
      int& here = place[at(*item)];
      int sides[3] = {here, here, here};
      if (is_branch(*item)) {
        Schedule::Branch& b = branch(*item);
        sides[1] = b.if_true = new_region(here, *item);
        sides[2] = b.if_false = new_region(here, *item);
        first_branch[need.condition_of[at(b.selects.front())]] = *item;
      } else if (const int under = need.under[at(*item)]; under >= 0) {
        // Needed under one outcome only, but where not only one branch can see it.
        const auto first = first_branch.find(under / 2);
        if (first != first_branch.end() && encloses(place[at(first->second)], here) &&
            used_from(first->second, place[at(first->second)], *item)) {
          Schedule::Branch& b = branch(first->second);
          const int side = under % 2 == 0 ? b.if_true : b.if_false;
          if (!encloses(side, here)) {
            here = side;
            b.kept.push_back(*item);
          }
          sides[0] = here;
        }
      }
      for_each_read(*item, [&](Id operand, int side) { use(operand, sides[side], *item); });
    }
    for (const int item : order_) {
      result_.regions[at(place[at(item)])].items.push_back(
          is_branch(item) ? Schedule::Item{.branch = item - graph_.size()}
                          : Schedule::Item{.node = item});
    }
  }

  /// Whether nothing reads the item before the branch, which stands in `region`, is done: a branch
  /// on another condition may, when several branches need it.
  bool used_from(int branch, int region, int item) const {
    for (auto [user, place] : uses_[at(item)]) {
      while (place != region) {
        user = branch_around_[at(place)];
        place = result_.regions[at(place)].parent;
      }
      if (time_[at(user)] < time_[at(branch)]) return false;
    }
    return true;
  }

  int new_region(int parent, int branch) {
    const int depth = result_.regions[at(parent)].depth + 1;
    result_.regions.push_back({.parent = parent, .depth = depth, .items = {}});
    branch_around_.resize(result_.regions.size(), -1);
    branch_around_.back() = branch;
    return static_cast<int>(result_.regions.size()) - 1;
  }
  bool encloses(int outer, int inner) const { return common(outer, inner) == outer; }
  int common(int a, int b) const {
    const auto& regions = result_.regions;
    while (a != b) {
      if (regions[at(a)].depth < regions[at(b)].depth) std::swap(a, b);
      a = regions[at(a)].parent;
    }
    return a;
  }

  const Program& program_;
  const ExpressionGraph& graph_;
  Schedule result_;
  std::vector<int> branch_of_;
  std::vector<int> order_;
  std::vector<int> time_;           // by item: its place in the order
  std::vector<int> branch_around_;  // by region: the branch that it is a side of
  struct Use {
    int user, region;
  };
  std::vector<std::vector<Use>> uses_;  // by item, except as an output
};

}  // namespace

int Schedule::size(int region) const {
  int sum = 0;
  for (const Item& item : regions[static_cast<std::size_t>(region)].items) {
    sum += 1;
    if (item.branch < 0) continue;
    const Branch& branch = branches[static_cast<std::size_t>(item.branch)];
    sum += size(branch.if_true) + size(branch.if_false) + static_cast<int>(branch.selects.size());
  }
  return sum;
}

Schedule schedule(const Program& program) { return Scheduler(program).run(); }

}  // namespace liegrad::ad

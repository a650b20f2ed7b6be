#pragma once

#include <vector>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

/// Where the outputs of many equal elements stand in a vector. Outputs that keep their distance in all elements, as those of
/// one block of a matrix do, share one number for each element.
class PlaceTable {
 public:
  PlaceTable() = default;
  /// place(element, output)
  template <class F>
  PlaceTable(int num_elements, int num_outputs, F&& place) : num_outputs_(num_outputs) {
    std::vector<int> all;
    all.reserve(index(num_elements) * index(num_outputs));
    for (int e = 0; e < num_elements; ++e) {
      for (int i = 0; i < num_outputs; ++i) all.push_back(place(e, i));
    }
    const auto keeps_distance = [&](int i, int leader) {
      for (std::size_t e = 0; e < all.size(); e += index(num_outputs)) {
        if (all[e + index(i)] - all[e + index(leader)] != all[index(i)] - all[index(leader)]) {
          return false;
        }
      }
      return true;
    };
    std::vector<int> leaders;
    for (int i = 0; i < num_outputs && num_elements > 0; ++i) {
      int k = 0;
      while (k < std::ssize(leaders) && !keeps_distance(i, leaders[index(k)])) ++k;
      if (k == std::ssize(leaders)) leaders.push_back(i);
      outputs_.push_back({k, all[index(i)] - all[index(leaders[index(k)])]});
    }
    num_leaders_ = static_cast<int>(leaders.size());
    for (int k = 0; k < num_leaders_; ++k) {
      for (int i = 0; i < num_outputs; ++i) {
        if (outputs_[index(i)].leader == k) parts_.push_back({i, outputs_[index(i)].distance});
      }
      ends_.push_back(static_cast<int>(parts_.size()));
    }
    first_.reserve(index(num_elements) * leaders.size());
    for (std::size_t e = 0; e < all.size(); e += index(num_outputs)) {
      for (const int leader : leaders) first_.push_back(all[e + index(leader)]);
    }
  }

  int num_outputs() const { return num_outputs_; }
  /// The places of one element.
  class Element {
   public:
    int operator[](int output) const {
      return first_[outputs_[output].leader] + outputs_[output].distance;
    }

   private:
    friend class PlaceTable;
    struct Output {
      int leader, distance;
    };
    Element(const int* first, const Output* outputs) : first_(first), outputs_(outputs) {}
    const int* first_;
    const Output* outputs_;
  };
  Element of(int element) const {
    return {first_.data() + index(element) * index(num_leaders_), outputs_.data()};
  }
  /// Adds the outputs of an element, which stand Stride apart, to where their places are.
  template <int Stride>
  void add(int element, const double* outputs, double* to) const {
    const int* const first = first_.data() + index(element) * index(num_leaders_);
    const Part* place = parts_.data();
    for (int k = 0; k < num_leaders_; ++k) {
      double* const block = to + first[k];
      for (const Part* const end = parts_.data() + ends_[index(k)]; place != end; ++place) {
        block[place->distance] += outputs[place->output * Stride];
      }
    }
  }

 private:
  /// An output and its distance from its leader.
  struct Part {
    int output, distance;
  };

  std::vector<Element::Output> outputs_;
  std::vector<int> first_;  ///< element × leader
  std::vector<Part> parts_;
  std::vector<int> ends_;  ///< in parts_, by leader
  int num_outputs_ = 0, num_leaders_ = 0;
};

}  // namespace liegrad::dae

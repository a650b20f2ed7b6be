#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "liegrad/dae/system/node_view.hpp"
#include "liegrad/lie/scalar.hpp"

namespace liegrad::dae {

/// Who asks for parts of a motion, and what is said when a part is not there. Functions of elements are called
/// once, to be recorded, so that every access is checked in every build. All throw InvalidArgument.
class ElementAccess {
 public:
  /// `owner` begins the sentences, as in "an element of type 'rod'".
  explicit ElementAccess(std::string owner) : owner_(std::move(owner)) {}

  const std::string& owner() const { return owner_; }
  /// Copies to memory that is there, if it suffices.
  void set_owner(const char* before, const std::string& name, const char* after) {
    owner_.assign(before).append(name).append(after);
  }

  /// Entry i of a list, for a call such as "parameter"; the list is called as in "its parameters".
  template <class T>
  const T& entry(const std::vector<T>& list, int i, const char* call, const char* things) const {
    if (i < 0 || static_cast<std::size_t>(i) >= list.size()) {
      refuse_index(call + ("(" + std::to_string(i) + ")"), things, list.size());
    }
    return list[static_cast<std::size_t>(i)];
  }
  void require(bool fits, const char* call, int node, const lie::NodeGroup& group,
               const char* wanted) const {
    if (!fits) refuse_node(call, node, group, wanted);
  }
  /// Where `name` is among the names of parameters.
  std::size_t parameter_index(std::span<const std::string> names, std::string_view name) const;
  [[noreturn]] void refuse_index(const std::string& call, const std::string& things,
                                 std::size_t count) const;

 private:
  [[noreturn]] void refuse_node(const char* call, int node, const lie::NodeGroup& group,
                                const char* wanted) const;

  std::string owner_;
};

/// Numbers of a node, used like a vector of Eigen; a component that is not there is refused in every build.
template <lie::Scalar S>
class Coordinates : public Eigen::Map<const lie::Vec<S, Eigen::Dynamic>> {
 public:
  /// `call` is what the numbers are got by, such as "coordinates(0)". Precondition: the numbers stay where they are.
  Coordinates(const std::vector<S>& numbers, const ElementAccess& access, std::string call)
      : Eigen::Map<const lie::Vec<S, Eigen::Dynamic>>(numbers.data(), std::ssize(numbers)),
        access_(access),
        call_(std::move(call)) {}

  const S& operator()(Eigen::Index i) const {
    if (i < 0 || i >= this->size()) {
      access_.refuse_index(call_ + "(" + std::to_string(i) + ")", "its components",
                           static_cast<std::size_t>(this->size()));
    }
    return this->data()[i];
  }
  const S& operator[](Eigen::Index i) const { return (*this)(i); }

 private:
  ElementAccess access_;
  std::string call_;
};

}  // namespace liegrad::dae

#pragma once

#include <cstdint>
#include <utility>

namespace liegrad::dae {

/// A number that tells whether something is still what it was: a copy has that of the original, every change
/// takes one that was never there before.
class Revision {
 public:
  Revision() = default;
  Revision(const Revision&) = default;
  Revision& operator=(const Revision&) = default;
  /// What is moved from is no longer what it was.
  Revision(Revision&& other) noexcept : number_(std::exchange(other.number_, 0)) {}
  Revision& operator=(Revision&& other) noexcept {
    number_ = std::exchange(other.number_, 0);
    return *this;
  }
  bool operator==(const Revision&) const = default;

  void renew();

 private:
  std::uint64_t number_ = 0;
};

}  // namespace liegrad::dae

#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "liegrad/lie/lie_group.hpp"

namespace liegrad::lie {

/// The direct product G_1 × … × G_N of groups known at compile time,
/// [ArnoldCardonaBruels2015, Remark 2.1c]: coefficients and tangents one after the other, every
/// operator block-diagonal. GroupList is its counterpart for a list known at run time.
template <FixedLieGroup First, FixedLieGroup... Rest>
class Product {
  using Parts = std::tuple<First, Rest...>;
  static constexpr std::size_t kParts = 1 + sizeof...(Rest);

 public:
  template <std::size_t I>
  using Part = std::tuple_element_t<I, Parts>;
  using ScalarType = typename First::ScalarType;
  static_assert((std::same_as<ScalarType, typename Rest::ScalarType> && ...),
                "the groups of a product share one scalar type");
  static constexpr int kDof = (First::kDof + ... + Rest::kDof);
  static constexpr int kNumCoeffs = (First::kNumCoeffs + ... + Rest::kNumCoeffs);
  static constexpr int kMatrixSize = (First::kMatrixSize + ... + Rest::kMatrixSize);
  using Tangent = Vec<ScalarType, kDof>;
  using TangentMap = Mat<ScalarType, kDof>;
  using Coeffs = Vec<ScalarType, kNumCoeffs>;
  using Matrix = Mat<ScalarType, kMatrixSize>;

  explicit Product(const First& first, const Rest&... rest) : parts_(first, rest...) {}
  static Product identity() { return Product(First::identity(), Rest::identity()...); }
  static Product from_coeffs(const Coeffs& c) {
    return from_parts([&]<std::size_t I>() {
      return Part<I>::from_coeffs(c.template segment<Part<I>::kNumCoeffs>(offset<I>(kCoeffSizes)));
    });
  }
  template <class Rng>
  static Product random(Rng& rng) {
    // A braced list draws from the generator in order.
    return Product(Parts{First::random(rng), Rest::random(rng)...});
  }

  template <std::size_t I>
  const Part<I>& part() const {
    return std::get<I>(parts_);
  }
  Coeffs coeffs() const {
    Coeffs c;
    for_each([&]<std::size_t I>() {
      c.template segment<Part<I>::kNumCoeffs>(offset<I>(kCoeffSizes)) = part<I>().coeffs();
    });
    return c;
  }
  template <Scalar T>
  auto cast() const {
    return std::apply(
        [](const auto&... parts) { return lie::Product(parts.template cast<T>()...); }, parts_);
  }

  Product operator*(const Product& other) const {
    return from_parts([&]<std::size_t I>() { return part<I>() * other.template part<I>(); });
  }
  Product inverse() const {
    return from_parts([&]<std::size_t I>() { return part<I>().inverse(); });
  }
  static Product exp(const Tangent& v) {
    return from_parts([&]<std::size_t I>() { return Part<I>::exp(tangent_part<I>(v)); });
  }
  Tangent log() const {
    return stacked([&]<std::size_t I>() { return part<I>().log(); });
  }

  TangentMap Ad() const {
    return block_diagonal([&]<std::size_t I>() { return part<I>().Ad(); });
  }
  static TangentMap ad(const Tangent& v) {
    return block_diagonal([&]<std::size_t I>() { return Part<I>::ad(tangent_part<I>(v)); });
  }
  static TangentMap tangent_operator(const Tangent& v) {
    return block_diagonal(
        [&]<std::size_t I>() { return Part<I>::tangent_operator(tangent_part<I>(v)); });
  }
  static TangentMap tangent_operator_inverse(const Tangent& v) {
    return block_diagonal(
        [&]<std::size_t I>() { return Part<I>::tangent_operator_inverse(tangent_part<I>(v)); });
  }
  /// d/dε T(v + εd) w.
  static Tangent tangent_operator_derivative(const Tangent& v, const Tangent& w, const Tangent& d) {
    return stacked([&]<std::size_t I>() {
      return Part<I>::tangent_operator_derivative(tangent_part<I>(v), tangent_part<I>(w),
                                                  tangent_part<I>(d));
    });
  }

  Matrix matrix() const {
    return blocks<Matrix>(kMatrixSizes, [&]<std::size_t I>() { return part<I>().matrix(); });
  }
  static Matrix hat(const Tangent& v) {
    return blocks<Matrix>(kMatrixSizes,
                          [&]<std::size_t I>() { return Part<I>::hat(tangent_part<I>(v)); });
  }
  static Tangent vee(const Matrix& m) {
    return stacked([&]<std::size_t I>() {
      constexpr int kSize = Part<I>::kMatrixSize;
      constexpr int kAt = offset<I>(kMatrixSizes);
      return Part<I>::vee(m.template block<kSize, kSize>(kAt, kAt));
    });
  }

  // For functions that act part by part: f.template operator()<I>() gives what belongs to part I.

  /// Coordinates of part I within a tangent vector.
  template <std::size_t I>
  static typename Part<I>::Tangent tangent_part(const Tangent& v) {
    return v.template segment<Part<I>::kDof>(offset<I>(kDofs));
  }
  template <class F>
  static Product from_parts(F&& f) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return Product(f.template operator()<I>()...);
    }
    (std::make_index_sequence<kParts>{});
  }
  template <class F>
  static Tangent stacked(F&& f) {
    Tangent v;
    for_each([&]<std::size_t I>() {
      v.template segment<Part<I>::kDof>(offset<I>(kDofs)) = f.template operator()<I>();
    });
    return v;
  }
  template <class F>
  static TangentMap block_diagonal(F&& f) {
    return blocks<TangentMap>(kDofs, f);
  }

 private:
  using Sizes = std::array<int, kParts>;
  static constexpr Sizes kDofs = {First::kDof, Rest::kDof...};
  static constexpr Sizes kCoeffSizes = {First::kNumCoeffs, Rest::kNumCoeffs...};
  static constexpr Sizes kMatrixSizes = {First::kMatrixSize, Rest::kMatrixSize...};

  explicit Product(const Parts& parts) : parts_(parts) {}

  template <std::size_t I>
  static constexpr int offset(const Sizes& sizes) {
    int sum = 0;
    for (std::size_t i = 0; i < I; ++i) sum += sizes[i];
    return sum;
  }
  template <class F>
  static void for_each(F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (f.template operator()<I>(), ...); }
    (std::make_index_sequence<kParts>{});
  }
  template <class M, class F>
  static M blocks(const Sizes& sizes, F&& f) {
    M m = M::Zero();
    for_each([&]<std::size_t I>() {
      const auto block = f.template operator()<I>();
      const int at = offset<I>(sizes);
      m.block(at, at, block.rows(), block.cols()) = block;
    });
    return m;
  }

  Parts parts_;
};

}  // namespace liegrad::lie

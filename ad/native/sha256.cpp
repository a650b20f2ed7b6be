#include "liegrad/ad/native/sha256.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace liegrad::ad {
namespace {

using Word = std::uint32_t;

/// The first 32 bits of the fractional part of x.
Word fraction_bits(long double x) { return static_cast<Word>((x - std::floor(x)) * 4294967296.0L); }

/// The constants of FIPS 180-4, sections 4.2.2 and 5.3.3: fractional parts of the cube roots of the
/// first 64 primes and of the square roots of the first 8.
struct Constants {
  std::array<Word, 64> round{};
  std::array<Word, 8> start{};

  Constants() {
    std::size_t count = 0;
    for (int candidate = 2; count < round.size(); ++candidate) {
      bool prime = true;
      for (int d = 2; d * d <= candidate; ++d) prime = prime && candidate % d != 0;
      if (!prime) continue;
      const auto p = static_cast<long double>(candidate);
      round[count] = fraction_bits(std::cbrt(p));
      if (count < start.size()) start[count] = fraction_bits(std::sqrt(p));
      ++count;
    }
  }
};

/// One 64-byte block, section 6.2.2.
void absorb(const unsigned char* block, const Constants& k, std::array<Word, 8>& hash) {
  std::array<Word, 64> w{};
  for (std::size_t t = 0; t < 16; ++t) {
    for (std::size_t byte = 0; byte < 4; ++byte) w[t] = w[t] << 8 | block[4 * t + byte];
  }
  for (std::size_t t = 16; t < 64; ++t) {
    const Word s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
    const Word s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t t = 0; t < 64; ++t) {
    const Word s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const Word t1 = h + s1 + ((e & f) ^ (~e & g)) + k.round[t] + w[t];
    const Word s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const Word t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<Word, 8> mixed = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) hash[i] += mixed[i];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  static const Constants k;
  std::array<Word, 8> hash = k.start;

  // Whole blocks first, then the rest with the padding of section 5.1.1: a one bit, zeros, and
  // the length in bits as a big-endian 64-bit number.
  const std::size_t whole = bytes.size() / 64 * 64;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  for (std::size_t at = 0; at < whole; at += 64) absorb(data + at, k, hash);
  std::string rest(bytes.substr(whole));
  rest += '\x80';
  while (rest.size() % 64 != 56) rest += '\0';
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) rest += static_cast<char>(bits >> shift & 0xff);
  for (std::size_t at = 0; at < rest.size(); at += 64) {
    absorb(reinterpret_cast<const unsigned char*>(rest.data()) + at, k, hash);
  }

  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const Word word : hash) {
    for (int shift = 28; shift >= 0; shift -= 4) hex += kDigits[word >> shift & 0xf];
  }
  return hex;
}

}  // namespace liegrad::ad

#include "liegrad/dae/system/nearest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace liegrad::dae {
namespace {

// More candidates than this are no hint.
constexpr std::size_t kMaxSuggested = 3;
constexpr std::size_t kMaxListed = 8;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The fewest insertions, deletions, replacements and swaps of neighbours that turn a into b, where
/// no place is edited twice. Capitals count as small letters.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Distances of the first i, i-1 and i-2 characters of a to all beginnings of b.
  std::vector<std::size_t> row(b.size() + 1), last(b.size() + 1), last_but_one(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    last_but_one.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], last_but_one[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

/// The names at the least distance from `given`, in their order. None if more than a third of the
/// characters would have to change: then the likeness is chance.
std::vector<std::string> nearest(std::string_view given, std::span<const std::string> known) {
  std::vector<std::string> names;
  std::size_t least = 0;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(given, name);
    if (3 * distance > std::max(given.size(), name.size())) continue;
    if (names.empty() || distance < least) {
      least = distance;
      names.clear();
    }
    if (distance == least) names.push_back(name);
  }
  return names;
}

/// The part of a name before its last point: 'top' of 'top.m'.
std::string_view owner_of(std::string_view name) {
  const std::size_t point = name.rfind('.');
  return point == std::string_view::npos ? std::string_view() : name.substr(0, point);
}

/// Names of the same owner that are a beginning of `given`, or begin with it: 'top.m' for 'top.mass'.
std::vector<std::string> abbreviated(std::string_view given, std::span<const std::string> known) {
  std::vector<std::string> names;
  const std::string_view owner = owner_of(given);
  if (owner.empty() || given.size() == owner.size() + 1) return names;
  for (const std::string& name : known) {
    if (owner_of(name) != owner || name.size() == owner.size() + 1) continue;
    if (given.starts_with(name) || name.starts_with(given)) names.push_back(name);
  }
  return names;
}

/// All names, those of the owner of `given` first.
std::vector<std::string> own_first(std::string_view given, std::span<const std::string> known) {
  std::vector<std::string> names(known.begin(), known.end());
  if (const std::string_view owner = owner_of(given); !owner.empty()) {
    std::ranges::stable_partition(names,
                                  [&](const std::string& name) { return owner_of(name) == owner; });
  }
  return names;
}

std::string in_quotes(std::string_view name) { return "'" + std::string(name) + "'"; }

std::string joined(std::span<const std::string> names, std::string_view last_separator) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : last_separator;
    text += in_quotes(names[i]);
  }
  return text;
}

}  // namespace

std::string unknown_name_message(std::string_view what, std::string_view given,
                                 std::span<const std::string> known) {
  const std::string start = "there is no " + std::string(what) + " " + in_quotes(given);
  if (known.empty()) return start + "; none is defined";

  std::vector<std::string> names = nearest(given, known);
  if (names.empty()) names = abbreviated(given, known);
  if (!names.empty() && names.size() <= kMaxSuggested) {
    return start + "; did you mean " + joined(names, " or ") + "?";
  }

  const std::vector<std::string> all = own_first(given, known);
  const auto listed = std::span(all).first(std::min(all.size(), kMaxListed));
  const std::size_t rest = known.size() - listed.size();
  if (rest == 0) return start + "; choose " + joined(listed, " or ");
  return start + "; choose " + joined(listed, ", ") + " or one of " + std::to_string(rest) +
         " more";
}

}  // namespace liegrad::dae

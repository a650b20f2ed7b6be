#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace liegrad::dae {

/// Says that `given` is not among the `known` names of a kind of thing, and which was probably
/// meant: "there is no parameter 'top.mm'; did you mean 'top.m'?". If no name is near, or too many
/// are equally near, the sentence lists up to eight of those that exist.
std::string unknown_name_message(std::string_view what, std::string_view given,
                                 std::span<const std::string> known);

/// The names of things that have one.
template <class Things>
std::vector<std::string> names_of(const Things& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.push_back(thing.name);
  return names;
}

}  // namespace liegrad::dae

#include "liegrad/dae/system/nearest_name.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace liegrad::dae {
namespace {

using Names = std::vector<std::string>;

const Names kParameters = {"top.m", "top.inertia", "spring.stiffness", "gravity"};

std::string message(const std::string& given, const Names& known = kParameters) {
  return unknown_name_message("parameter", given, known);
}

}  // namespace

TEST(NearestName, OneSlipOfAnyKindIsRecognised) {
  const std::string expected = "; did you mean 'gravity'?";
  for (const std::string given : {"gravityy", "gravty", "grawity", "garvity"}) {
    EXPECT_EQ(message(given), "there is no parameter '" + given + "'" + expected);
  }
  EXPECT_EQ(message("top.mm"), "there is no parameter 'top.mm'; did you mean 'top.m'?");
  // A swap is one slip: two would be too many for a short name.
  EXPECT_EQ(message("amss", {"mass"}), "there is no parameter 'amss'; did you mean 'mass'?");
}

TEST(NearestName, CapitalsDoNotCount) {
  EXPECT_EQ(message("Spring.Stiffness"),
            "there is no parameter 'Spring.Stiffness'; did you mean 'spring.stiffness'?");
  EXPECT_EQ(message("TOP.M"), "there is no parameter 'TOP.M'; did you mean 'top.m'?");
}

TEST(NearestName, ALongNameMayHaveSeveralSlips) {
  EXPECT_EQ(message("spring.stifness_"),
            "there is no parameter 'spring.stifness_'; did you mean 'spring.stiffness'?");
  // Two of six characters are a third, two of five are more.
  EXPECT_EQ(message("abcdef", {"abcdxy"}),
            "there is no parameter 'abcdef'; did you mean 'abcdxy'?");
  EXPECT_EQ(message("abcde", {"abcxy"}), "there is no parameter 'abcde'; choose 'abcxy'");
}

TEST(NearestName, TheNearestOfSeveralIsNamed) {
  EXPECT_EQ(message("link10", {"link1", "link110", "link2", "link3", "link10x", "links"}),
            "there is no parameter 'link10'; did you mean 'link1', 'link110' or 'link10x'?");
  EXPECT_EQ(message("top.mas", {"top.mess", "top.mass", "top.max"}),
            "there is no parameter 'top.mas'; did you mean 'top.mass' or 'top.max'?");
}

TEST(NearestName, ManyEquallyNearNamesAreNoHint) {
  EXPECT_EQ(message("link5", {"link1", "link2", "link3", "link4"}),
            "there is no parameter 'link5'; choose 'link1', 'link2', 'link3' or 'link4'");
}

TEST(NearestName, WithoutANearNameThoseThatExistAreListed) {
  EXPECT_EQ(message("damping"),
            "there is no parameter 'damping'; choose 'top.m', 'top.inertia', 'spring.stiffness' or "
            "'gravity'");
  EXPECT_EQ(message(""),
            "there is no parameter ''; choose 'top.m', 'top.inertia', 'spring.stiffness' or "
            "'gravity'");
  EXPECT_EQ(message("x", {"gravity"}), "there is no parameter 'x'; choose 'gravity'");
}

TEST(NearestName, AnAbbreviationOfTheSameOwnerIsRecognised) {
  EXPECT_EQ(message("top.mass"), "there is no parameter 'top.mass'; did you mean 'top.m'?");
  EXPECT_EQ(message("spring.stiff"),
            "there is no parameter 'spring.stiff'; did you mean 'spring.stiffness'?");
  // Of another owner it would be chance.
  EXPECT_EQ(message("t.mass", {"top.m"}), "there is no parameter 't.mass'; choose 'top.m'");
}

TEST(NearestName, NamesOfTheSameOwnerAreListedFirst) {
  EXPECT_EQ(message("spring.length"),
            "there is no parameter 'spring.length'; choose 'spring.stiffness', 'top.m', "
            "'top.inertia' or 'gravity'");
}

TEST(NearestName, ALongListEndsAfterEight) {
  Names known = {"a", "b", "c", "d", "e", "f", "g", "h"};
  EXPECT_EQ(unknown_name_message("body", "x", known),
            "there is no body 'x'; choose 'a', 'b', 'c', 'd', 'e', 'f', 'g' or 'h'");
  known.insert(known.end(), {"i", "j"});
  EXPECT_EQ(unknown_name_message("body", "x", known),
            "there is no body 'x'; choose 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' or one of 2 more");
}

TEST(NearestName, WithoutAnyNameTheSentenceSaysSo) {
  EXPECT_EQ(message("m", {}), "there is no parameter 'm'; none is defined");
}

}  // namespace liegrad::dae

#pragma once

#include <string>

#include <gtest/gtest.h>

#include "liegrad/lie/error.hpp"

namespace liegrad::test {

/// f must throw InvalidArgument with exactly this sentence.
template <class F>
void expect_invalid(F&& f, const std::string& sentence) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown instead of: " << sentence;
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.what(), sentence);
  }
}

}  // namespace liegrad::test

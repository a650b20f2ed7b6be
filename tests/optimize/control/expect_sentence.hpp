#pragma once

#include <gtest/gtest.h>

#include <string>

#include "liegrad/lie/error.hpp"

namespace liegrad::control {

/// The sentence with which something is refused; empty where nothing is.
template <class F>
std::string sentence_of(const F& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

}  // namespace liegrad::control

#define EXPECT_SENTENCE(statement, part)                                   \
  EXPECT_NE(sentence_of([&] { statement; }).find(part), std::string::npos) \
      << sentence_of([&] { statement; })

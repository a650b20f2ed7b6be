#pragma once

// For programs with many kinds of elements of which each is evaluated a few times: their kernels are
// interpreted, as on a machine without a C compiler, since compiling them would take minutes. The numbers
// are the same.

#include <cstdlib>

#include <gtest/gtest.h>

#include "liegrad/ad/message.hpp"

namespace liegrad::testing {

class InterpretedKernels : public ::testing::Environment {
 public:
  void SetUp() override {
    setenv("LIEGRAD_CC", "liegrad-tests-use-no-compiler", /*overwrite=*/1);
    // That there is no compiler is no news.
    ad::set_message_handler({});
  }
};

/// Every program that includes this file has one.
inline ::testing::Environment* const kInterpretedKernels =
    ::testing::AddGlobalTestEnvironment(new InterpretedKernels);

}  // namespace liegrad::testing

#pragma once

#include <stdexcept>
#include <string>

namespace liegrad {

/// Everything the library throws derives from this, so one handler can catch it all.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A mistake in what the caller gave: wrong size, NaN, unknown name, value out of range.
/// The message is one sentence that names the thing, its value and the remedy.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

}  // namespace liegrad

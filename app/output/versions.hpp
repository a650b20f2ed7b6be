#pragma once

#include <string>

namespace liegrad::app {

/// The version of the program and those of all that it was built with, as a bug report needs them.
std::string versions();

}  // namespace liegrad::app

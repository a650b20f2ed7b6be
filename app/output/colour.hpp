#pragma once

#include <string>

namespace liegrad::app {

/// What an error or a warning begins with: coloured where standard error is a terminal that shows colours and NO_COLOR
/// is not set, as it is otherwise.
std::string error_mark(const std::string& text);
std::string warning_mark(const std::string& text);

}  // namespace liegrad::app

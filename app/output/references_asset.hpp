#pragma once

#include <string_view>

namespace liegrad::app {

/// The text of docs/references.bib, which is a part of the program.
std::string_view references_asset();

}  // namespace liegrad::app

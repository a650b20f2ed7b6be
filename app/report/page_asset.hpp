#pragma once

#include <string_view>

namespace liegrad::app {

/// The text of page.html, which scripts/bundle-report makes. `@title@`, `@content@` and `@data@` occur once
/// each, in this order.
std::string_view page_asset();

}  // namespace liegrad::app

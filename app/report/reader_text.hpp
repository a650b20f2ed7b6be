#pragma once

#include <string>

namespace liegrad::app {

/// A number as a reader writes it: 1234.5, or 1.23·10⁻⁵ for those that are very small or large.
std::string reader_number(double value, int digits = 6);

/// Text as HTML and SVG have it, in elements and in quoted attributes.
std::string markup_text(const std::string& text);

}  // namespace liegrad::app

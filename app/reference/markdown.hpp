#pragma once

#include <string>

namespace liegrad::app {

/// Text in a cell of a table: in one line, with bars that do not end the cell.
std::string table_cell(const std::string& text);
/// Lines joined and broken again at a readable width.
std::string paragraph(const std::string& text);
/// With a small letter, to go on in a sentence, unless it begins with a name.
std::string sentence_start(const std::string& text);

}  // namespace liegrad::app

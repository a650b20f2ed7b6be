#include "report/page.hpp"

#include <string_view>

#include <fmt/format.h>

#include "report/page_asset.hpp"
#include "report/plot_svg.hpp"
#include "report/reader_text.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

/// The member as a list; empty when there is none.
ordered_json list_in(const ordered_json& object, const char* name) {
  return object.value(name, ordered_json::array());
}

std::string text_of(const ordered_json& value) {
  if (value.is_null()) return "–";
  if (value.is_number_integer()) return std::to_string(value.get<long long>());
  if (value.is_number()) return reader_number(value.get<double>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.get<std::string>();
}

std::string cell_html(const ordered_json& cell) {
  const ordered_json& value = cell.is_object() ? cell.at("value") : cell;
  std::string classes = value.is_number() ? "number" : "";
  if (cell.is_object() && cell.contains("mark")) {
    classes += (classes.empty() ? "" : " ") + cell.at("mark").get<std::string>();
  }
  const std::string attribute =
      classes.empty() ? "" : fmt::format(" class=\"{}\"", markup_text(classes));
  return fmt::format("<td{}>{}</td>", attribute, markup_text(text_of(value)));
}

/// Columns of numbers have their names above the last digits.
bool is_column_of_numbers(const ordered_json& rows, std::size_t column) {
  for (const ordered_json& row : rows) {
    const ordered_json& cell = row.at(column);
    const ordered_json& value = cell.is_object() ? cell.at("value") : cell;
    if (!value.is_number() && !value.is_null()) return false;
  }
  return !rows.empty();
}

std::string table_html(const ordered_json& table) {
  std::string html = table.contains("columns") ? "<div class=\"table\"><table>\n"
                                               : "<div class=\"table\"><table class=\"plain\">\n";
  if (table.contains("title")) {
    html += fmt::format("<caption>{}</caption>\n", markup_text(table["title"].get<std::string>()));
  }
  const ordered_json& rows = table.at("rows");
  if (table.contains("columns")) {
    html += "<thead><tr>";
    for (std::size_t i = 0; i < table["columns"].size(); ++i) {
      html += fmt::format("<th{}>{}</th>", is_column_of_numbers(rows, i) ? " class=\"number\"" : "",
                          markup_text(table["columns"][i].get<std::string>()));
    }
    html += "</tr></thead>\n";
  }
  html += "<tbody>\n";
  for (const ordered_json& row : rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      html += i == 0 ? fmt::format("<th scope=\"row\">{}</th>", markup_text(text_of(row[0])))
                     : cell_html(row[i]);
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string tables_html(const ordered_json& tables) {
  if (tables.empty()) return {};
  std::string html = "<div class=\"tables\">\n";
  for (const ordered_json& table : tables) html += table_html(table);
  return html + "</div>\n";
}

/// Names and values in running text: they are looked up more than read.
std::string settings_html(const ordered_json& settings) {
  if (settings.empty()) return {};
  std::string html = "<dl class=\"settings\">\n";
  for (const auto& [name, value] : settings.items()) {
    html += fmt::format("<div><dt>{}</dt> <dd>{}</dd></div>\n", markup_text(name),
                        markup_text(text_of(value)));
  }
  return html + "</dl>\n";
}

std::string paragraphs_html(const ordered_json& texts) {
  std::string html;
  for (const ordered_json& text : texts) {
    html += fmt::format("<p>{}</p>\n", markup_text(text.get<std::string>()));
  }
  return html;
}

std::string findings_html(const ordered_json& findings) {
  if (findings.empty()) return {};
  std::string html = "<ul class=\"findings\">\n";
  for (const ordered_json& finding : findings) {
    html += fmt::format("<li>{}</li>\n", markup_text(finding.get<std::string>()));
  }
  return html + "</ul>\n";
}

/// As an address that holds the picture itself, so that nothing in it concerns the page.
std::string svg_address(const std::string& svg) {
  std::string address = "data:image/svg+xml,";
  for (const char c : svg) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') ||
                          std::string_view(" .,-=/:;()'").find(c) != std::string_view::npos;
    address += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address;
}

std::string static_figures_html(const ordered_json& section) {
  std::string html;
  const auto add = [&html](const std::string& name, const std::string& svg) {
    html += fmt::format("<figure class=\"static\"><img alt=\"{}\" src=\"{}\"></figure>\n",
                        markup_text(name), svg_address(svg));
  };
  if (section.contains("static_svg")) {
    for (const ordered_json& svg : section["static_svg"]) add("Figure", svg.get<std::string>());
    return html;
  }
  const ordered_json times =
      section.contains("scene") ? section["scene"].at("time") : ordered_json();
  for (ordered_json plot : list_in(section, "plots")) {
    if (section.contains("cursor") && !plot.contains("x_label")) {
      plot["x_label"] = section["cursor"].at("name");
      plot["x_unit"] = section["cursor"].value("unit", std::string());
    }
    add(plot.at("title").get<std::string>(), plot_svg(plot, times));
  }
  return html;
}

/// A section whose title is that of the page has no heading of its own.
std::string section_html(const ordered_json& section, std::size_t number,
                         const std::string& page_title) {
  const std::string title = section.at("title").get<std::string>();
  return fmt::format("<section id=\"section-{}\">\n", number + 1) +
         (title == page_title ? "" : fmt::format("<h2>{}</h2>\n", markup_text(title))) +
         paragraphs_html(list_in(section, "text")) + findings_html(list_in(section, "findings")) +
         tables_html(list_in(section, "tables")) +
         fmt::format("<div class=\"figures\" data-section=\"{}\"></div>\n", number) +
         static_figures_html(section) +
         settings_html(section.value("settings", ordered_json::object())) + "</section>\n";
}

/// Links to the sections, where there are several.
std::string contents_html(const ordered_json& sections) {
  if (sections.size() < 2) return {};
  std::string html = "<nav><ul>\n";
  for (std::size_t i = 0; i < sections.size(); ++i) {
    html += fmt::format("<li><a href=\"#section-{}\">{}</a></li>\n", i + 1,
                        markup_text(sections[i].at("title").get<std::string>()));
  }
  return html + "</ul></nav>\n";
}

std::string citations_html(const ordered_json& citations) {
  if (citations.empty()) return {};
  std::string html = "<section id=\"literature\">\n<h2>Literature</h2>\n<ul class=\"citations\">\n";
  for (const ordered_json& citation : citations) {
    html += fmt::format("<li>{}</li>\n", markup_text(citation.get<std::string>()));
  }
  return html + "</ul>\n</section>\n";
}

std::string content_html(const ordered_json& page) {
  const ordered_json& sections = page.at("sections");
  const std::string title = page.at("title").get<std::string>();
  std::string html = fmt::format("<header><h1>{}</h1></header>\n", markup_text(title));
  html += contents_html(sections) + "<main>\n" + paragraphs_html(list_in(page, "text"));
  for (std::size_t i = 0; i < sections.size(); ++i) html += section_html(sections[i], i, title);
  html += citations_html(list_in(page, "citations"));
  return html + "</main>\n<footer><p class=\"note\">" +
         markup_text(page.value("footer", std::string())) + "</p></footer>\n";
}

/// What the script reads: scenes and plots, in an HTML element that holds no "<".
std::string data_json(const ordered_json& page) {
  ordered_json sections = ordered_json::array();
  for (const ordered_json& section : page.at("sections")) {
    ordered_json moving = ordered_json::object();
    for (const char* name : {"scene", "plots", "cursor"}) {
      if (section.contains(name)) moving[name] = section[name];
    }
    sections.push_back(std::move(moving));
  }
  std::string result;
  for (const char c : ordered_json{{"sections", sections}}.dump()) {
    result += c == '<' ? "\\u003c" : std::string(1, c);
  }
  return result;
}

}  // namespace

std::string page_html(const ordered_json& page) {
  const std::string_view asset = page_asset();
  std::string html;
  std::size_t begin = 0;
  const auto fill = [&](std::string_view mark, const std::string& text) {
    const std::size_t at = asset.find(mark, begin);
    html += asset.substr(begin, at - begin);
    html += text;
    begin = at + mark.size();
  };
  fill("@title@", markup_text(page.at("title").get<std::string>()));
  fill("@content@", content_html(page));
  fill("@data@", data_json(page));
  html += asset.substr(begin);
  return html;
}

}  // namespace liegrad::app

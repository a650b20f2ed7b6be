#include "commands/reference_command.hpp"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/lie/error.hpp"
#include "reference/element_page.hpp"
#include "reference/option_page.hpp"

namespace liegrad::app {
namespace {

std::string page_of(const std::string& what, const CLI::App& app) {
  if (what == "options") return option_page(command_tree(app));
  if (what == "elements") return element_page();
  const std::vector<std::string> pages = {"options", "elements"};
  throw InvalidArgument(dae::unknown_name_message("page", what, pages));
}

}  // namespace

void add_reference_command(CLI::App& app) {
  auto what = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("reference",
                                     "Print a page of the reference: all options, or all elements");
  sub->add_option("PAGE", *what, "options or elements")->type_name("")->required();
  sub->footer("The pages are Markdown, docs/options.md and docs/element-parameters.md.");
  sub->callback([&app, what] { std::cout << page_of(*what, app); });
}

}  // namespace liegrad::app

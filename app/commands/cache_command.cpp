#include "commands/cache_command.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "liegrad/ad/native/cache.hpp"
#include "liegrad/lie/error.hpp"
#include "options/common_options.hpp"

namespace liegrad::app {
namespace {

using ad::Cache;
using nlohmann::ordered_json;

struct CacheCommand {
  CommonOptions common;
  bool clear = false;

  void run() const;
};

/// "17 B", "4.2 KiB", "31 s", "2.5 h": a number with the largest unit that leaves it above one.
struct Unit {
  double size;
  const char* name;
};
std::string in_units(double value, const std::vector<Unit>& units) {
  const auto fits = std::find_if(units.begin(), units.end() - 1,
                                 [value](const Unit& unit) { return value >= unit.size; });
  char text[32];
  std::snprintf(text, sizeof text, fits->size == 1 ? "%.0f %s" : "%.1f %s", value / fits->size,
                fits->name);
  return text;
}

std::string size_text(std::uintmax_t bytes) {
  return in_units(static_cast<double>(bytes),
                  {{1024. * 1024 * 1024, "GiB"}, {1024. * 1024, "MiB"}, {1024, "KiB"}, {1, "B"}});
}

std::string age_text(double seconds) {
  return in_units(seconds, {{86400, "days"}, {3600, "h"}, {60, "min"}, {1, "s"}});
}

long age_in_seconds(const Cache::Entry& entry) {
  using std::chrono::seconds;
  const auto age = std::chrono::system_clock::now() - entry.modified;
  return std::max(0L, static_cast<long>(std::chrono::duration_cast<seconds>(age).count()));
}

std::uintmax_t total_bytes(const std::vector<Cache::Entry>& entries) {
  return std::accumulate(entries.begin(), entries.end(), std::uintmax_t{0},
                         [](auto sum, const Cache::Entry& entry) { return sum + entry.bytes; });
}

/// "1 file, 17 B in DIRECTORY"
std::string totals_text(const Cache& cache, const std::vector<Cache::Entry>& entries) {
  return std::to_string(entries.size()) + (entries.size() == 1 ? " file, " : " files, ") +
         size_text(total_bytes(entries)) + " in " + cache.directory().string();
}

ordered_json json_of(const Cache& cache, const std::vector<Cache::Entry>& entries) {
  ordered_json list = ordered_json::array();
  for (const Cache::Entry& entry : entries) {
    list.push_back(
        {{"name", entry.name}, {"bytes", entry.bytes}, {"age_seconds", age_in_seconds(entry)}});
  }
  return {{"directory", cache.directory().string()},
          {"total_bytes", total_bytes(entries)},
          {"entries", list}};
}

void print_table(const std::vector<Cache::Entry>& entries, bool with_paths) {
  const auto label = [with_paths](const Cache::Entry& entry) {
    return with_paths ? entry.path.string() : entry.name;
  };
  int width = 0;
  for (const Cache::Entry& entry : entries) {
    width = std::max(width, static_cast<int>(label(entry).size()));
  }
  if (!entries.empty()) std::printf("%-*s  %10s  %10s\n", width, "name", "size", "age");
  for (const Cache::Entry& entry : entries) {
    std::printf("%-*s  %10s  %10s\n", width, label(entry).c_str(), size_text(entry.bytes).c_str(),
                age_text(static_cast<double>(age_in_seconds(entry))).c_str());
  }
}

void CacheCommand::run() const {
  const Cache cache = Cache::look();
  if (!cache.problem().empty()) throw InvalidArgument(cache.problem());
  if (!clear) {
    const std::vector<Cache::Entry> entries = cache.entries();
    if (common.prints()) {
      print_table(entries, common.verbose);
      std::cout << totals_text(cache, entries) << '\n';
    }
    common.write_json(json_of(cache, entries));
    return;
  }
  const std::vector<Cache::Entry> removed = cache.clear();
  if (common.prints()) {
    if (common.verbose) print_table(removed, true);
    std::cout << "removed " << totals_text(cache, removed) << '\n';
  }
  common.write_json(json_of(cache, removed));
  if (const auto left = cache.entries(); !left.empty()) {
    throw Error(left.front().path.string() + " could not be removed");
  }
}

}  // namespace

void add_cache_command(CLI::App& app) {
  auto command = std::make_shared<CacheCommand>();
  CLI::App* sub = app.add_subcommand("cache", "List or remove the compiled kernels kept on disk");
  sub->footer(
      "The directory is $XDG_CACHE_HOME/liegrad, or ~/.cache/liegrad. Kernels that are removed "
      "are\n"
      "compiled again when they are next used. The JSON has `directory`, `total_bytes` and\n"
      "`entries` (`name`, `bytes`, `age_seconds`): those that are there, or those removed.");
  sub->add_flag("--clear", command->clear, "Remove all of them");
  command->common.add_to(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace liegrad::app

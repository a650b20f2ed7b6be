#include "options/fit_options.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <CLI/CLI.hpp>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/optimize/fit/start_values.hpp"
#include "liegrad/sensitivity/mode_name.hpp"
#include "options/option_value.hpp"
#include "output/number_text.hpp"

namespace liegrad::app {
namespace {

using optimize::ColumnMap;
using optimize::SensorEffect;
using optimize::SensorUnknown;

/// Beside NAME=VALUE in --start.
const std::string kRegression = "regression", kTracking = "tracking";

/// OUTPUT=COL,COL,…
std::vector<ColumnMap> maps_of(const std::vector<std::string>& texts) {
  std::vector<ColumnMap> maps;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
      throw InvalidArgument("--map is given '" + text + "'; write OUTPUT=COLUMN,COLUMN,…");
    }
    maps.push_back({text.substr(0, equals), comma_separated({text.substr(equals + 1)})});
  }
  return maps;
}

/// OUTPUT[=VALUE][:per-trial]
SensorUnknown sensor_of(SensorEffect effect, const std::string& option, std::string text) {
  SensorUnknown sensor{effect, {}, false, {}};
  const std::string mark = ":per-trial";
  if (const std::size_t colon = text.find(':'); colon != std::string::npos) {
    if (text.substr(colon) != mark) {
      throw InvalidArgument(option + " is given '" + text + "'; only :per-trial may stand there");
    }
    sensor.per_trial = true;
    text = text.substr(0, colon);
  }
  const std::size_t equals = text.find('=');
  sensor.output = text.substr(0, equals);
  if (equals != std::string::npos) sensor.start = number_of(option, text.substr(equals + 1));
  return sensor;
}

std::map<std::string, double> numbers_by_name(const std::string& option,
                                              const std::vector<std::string>& texts) {
  std::map<std::string, double> numbers;
  for (const std::string& text : texts) {
    const auto [name, value] = named_number_of(option, text);
    if (numbers.emplace(name, value).second) continue;
    throw InvalidArgument(option + " gives '" + name + "' twice; choose one value");
  }
  return numbers;
}

optimize::Prior prior_of(const std::string& name, const std::string& text) {
  const std::vector<double> numbers = numbers_of("--prior " + name, text);
  if (numbers.size() == 2) return {numbers[0], numbers[1]};
  throw InvalidArgument("--prior " + name + " has " + std::to_string(numbers.size()) +
                        " numbers; give a value and a standard deviation");
}

/// NAME=NAME or NAME=FACTOR*NAME
optimize::Tie tie_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    throw InvalidArgument("--tie is given '" + text + "'; write NAME=NAME or NAME=FACTOR*NAME");
  }
  const auto trimmed = [](const std::string& part) {
    const std::size_t first = part.find_first_not_of(' ');
    return first == std::string::npos ? std::string()
                                      : part.substr(first, part.find_last_not_of(' ') - first + 1);
  };
  optimize::Tie tie{trimmed(text.substr(0, equals)), text.substr(equals + 1), 1};
  if (const std::size_t times = tie.to.find('*'); times != std::string::npos) {
    tie.factor = number_of("--tie " + tie.parameter, trimmed(tie.to.substr(0, times)));
    tie.to = tie.to.substr(times + 1);
  }
  tie.to = trimmed(tie.to);
  return tie;
}

/// huber:D or cauchy:D
optimize::Loss loss_of(const std::string& text) {
  using Kind = optimize::Loss::Kind;
  if (text.empty()) return {};
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const std::vector<std::string> names = {"huber", "cauchy"};
  if (name != "huber" && name != "cauchy") {
    throw InvalidArgument("--loss: " + dae::unknown_name_message("loss", name, names));
  }
  const double d = colon == std::string::npos ? 2 : number_of("--loss", text.substr(colon + 1));
  return {name == "huber" ? Kind::kHuber : Kind::kCauchy, d};
}

template <class T>
T chosen(const char* option, const std::string& name, const dae::NameTable<T>& choices) {
  return option_value(option, "choice", name, choices);
}

}  // namespace

std::vector<std::string> comma_separated(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t comma = std::min(text.find(',', begin), text.size());
      if (comma > begin) items.push_back(text.substr(begin, comma - begin));
      begin = comma + 1;
    }
  }
  return items;
}

void FitOptionsTyped::add_to(CLI::App& command) {
  const auto add = [&command](const char* name, auto& value, const char* text, const char* type) {
    return command.add_option(name, value, text)->type_name(type)->allow_extra_args(false);
  };
  add("--data", data_, "Measured values of one trial; repeatable", "FILE");
  add("--format", format_, "Of data: csv, tum or euroc", "NAME")->capture_default_str();
  add("--map", maps_, "Columns that are values of an output; repeatable", "OUTPUT=COL,...");
  add("--free", free_, "Unknowns that all trials share", "NAME,...");
  add("--per-trial", per_trial_, "Unknowns that each trial has for itself", "NAME,...");
  add("--offset", offsets_, "Unknown offset of a sensor", "OUTPUT[=VALUE][:per-trial]");
  add("--gain", gains_, "Unknown gain of a sensor", "OUTPUT[=VALUE][:per-trial]");
  add("--delay", delays_, "Unknown delay of a sensor", "OUTPUT[=VALUE][:per-trial]");
  add("--start", start_,
      "First value of an unknown; `regression`: first values from the equations of motion on "
      "smoothed data; `tracking`: from runs that a fading force keeps at the data",
      "NAME=VALUE");
  add("--lower", lower_, "Lower bound of an unknown", "NAME=VALUE");
  add("--upper", upper_, "Upper bound of an unknown", "NAME=VALUE");
  add("--prior", prior_, "What is known of an unknown", "NAME=VALUE,STD");
  add("--tie", ties_, "A parameter that follows another", "NAME=[FACTOR*]NAME");
  add("--admissible", admissible_, "Bodies whose m, J1, J2, J3 stay physically possible",
      "BODY,...");
  add("--noise", noise_, "Standard deviation of a sensor; estimated unless given", "OUTPUT=STD");
  add("--split", split_, "Cut trials into pieces of this length, with initial values of their own",
      "T");
  add("--from", from_, "Leave out earlier samples", "T");
  add("--to", to_, "Leave out later samples", "T");
  add("--loss", loss_, "Count far samples less: huber:D or cauchy:D, D in standard deviations",
      "KIND:D");
  add("--method", method_, "shooting or multiple-shooting", "NAME")->capture_default_str();
  add("--piece", piece_,
      "Length of the pieces of multiple shooting; a twentieth of the longest trial unless given",
      "T");
  add("--search", search_, "lm (Levenberg-Marquardt) or dogleg", "NAME")->capture_default_str();
  add("--jacobian", jacobian_, "forward, adjoint or difference; the cheaper of the first two",
      "NAME");
  add("--iterations", iterations_, "At most so many", "N")->capture_default_str();
  add("--parallel", parallel_, "Trials, or fits of --starts, that run at the same time", "N")
      ->capture_default_str();
  add("--profile", profile_, "Unknowns whose likelihood is followed", "NAME,...");
  add("--holdout", holdout_, "Trials that only judge the fit; repeatable", "FILE");
  add("--starts", starts_, "Fits from so many points of the box of bounds", "N")
      ->capture_default_str();
  add("--starts-file", starts_file_,
      "Keep where each start ended, and go on from there when it is run again", "FILE");
  add("--folds", folds_, "Cross-validation over trials in so many parts", "N")
      ->capture_default_str();
}

std::vector<std::string> FitOptionsTyped::profiled() const { return comma_separated(profile_); }

std::vector<optimize::Recording> FitOptionsTyped::trials_of(const std::string& file,
                                                            const dae::System& system) const {
  require_finite("--from", from_);
  require_finite("--to", to_);
  optimize::Recording recording =
      optimize::read_recording(file, optimize::file_format_of(format_), maps_of(maps_), system);
  if (from_ || to_) recording = optimize::window_of(recording, from_, to_);
  if (split_) return optimize::pieces_of(recording, *split_);
  return {recording};
}

optimize::FitProblem FitOptionsTyped::problem(const dae::System& system) const {
  if (data_.empty()) throw InvalidArgument("a fit needs data; give --data FILE.csv");
  optimize::FitProblem problem{system, {}};
  for (const std::string& file : data_) {
    for (optimize::Recording& trial : trials_of(file, system)) {
      problem.trials.push_back(std::move(trial));
    }
  }
  problem.free = comma_separated(free_);
  problem.per_trial = comma_separated(per_trial_);
  for (const std::string& text : offsets_) {
    problem.sensors.push_back(sensor_of(SensorEffect::kOffset, "--offset", text));
  }
  for (const std::string& text : gains_) {
    problem.sensors.push_back(sensor_of(SensorEffect::kGain, "--gain", text));
  }
  for (const std::string& text : delays_) {
    problem.sensors.push_back(sensor_of(SensorEffect::kDelay, "--delay", text));
  }
  std::vector<std::string> starts = start_;
  std::erase(starts, kRegression);
  std::erase(starts, kTracking);
  problem.start = numbers_by_name("--start", starts);
  problem.lower = numbers_by_name("--lower", lower_);
  problem.upper = numbers_by_name("--upper", upper_);
  problem.noise = numbers_by_name("--noise", noise_);
  for (const std::string& text : prior_) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw InvalidArgument("--prior is given '" + text + "'; write NAME=VALUE,STD");
    }
    const std::string name = text.substr(0, equals);
    problem.prior[name] = prior_of(name, text.substr(equals + 1));
  }
  for (const std::string& text : ties_) problem.ties.push_back(tie_of(text));
  problem.admissible = comma_separated(admissible_);
  if (split_) optimize::give_trials_initial_values(problem);
  return problem;
}

optimize::FitOptions FitOptionsTyped::options(const dae::IntegrateOptions& run,
                                              const optimize::FitProblem& problem) const {
  using sensitivity::Mode;
  optimize::FitOptions options;
  options.run = run;
  options.loss = loss_of(loss_);
  const auto starts_by = [this](const std::string& way) {
    return std::find(start_.begin(), start_.end(), way) != start_.end();
  };
  options.start_by_regression = starts_by(kRegression);
  options.start_by_tracking = starts_by(kTracking);
  if (!jacobian_.empty()) {
    options.jacobian = chosen("--jacobian", jacobian_, sensitivity::mode_names());
  }
  const bool has_pieces =
      chosen<bool>("--method", method_, {{"shooting", false}, {"multiple-shooting", true}});
  if (piece_ && !has_pieces) {
    throw InvalidArgument("--piece belongs to --method multiple-shooting");
  }
  if (piece_ && !(*piece_ > 0 && std::isfinite(*piece_))) {
    throw InvalidArgument("--piece must be positive; it is " + dae::number_text(*piece_));
  }
  if (has_pieces) {
    for (const optimize::Recording& trial : problem.trials) {
      options.piece = std::max(options.piece, (trial.last_time() - trial.first_time()) / 20);
    }
    options.piece = piece_.value_or(options.piece);
  }
  options.solver.trust_region =
      chosen<optimize::TrustRegion>("--search", search_,
                                    {{"lm", optimize::TrustRegion::kLevenbergMarquardt},
                                     {"dogleg", optimize::TrustRegion::kDogleg}});
  if (starts_ < 1) {
    throw InvalidArgument("--starts must be at least 1; it is " + std::to_string(starts_));
  }
  if (folds_ < 0) {
    throw InvalidArgument("--folds must not be negative; it is " + std::to_string(folds_));
  }
  if (!starts_file_.empty() && starts_ < 2) {
    throw InvalidArgument("--starts-file belongs to --starts N; give a number above 1");
  }
  options.solver.max_iterations = iterations_;
  options.solver.threads = parallel_;
  return options;
}

}  // namespace liegrad::app

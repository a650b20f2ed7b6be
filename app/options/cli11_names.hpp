#pragma once

/// Names of CLI11 for headers. Its own header costs each file that includes it two seconds, also where nothing of it is used:
/// only files that add or read options include it.
namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

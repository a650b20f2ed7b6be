#include "liegrad/control/solution.hpp"

namespace liegrad::control {

const char* name_of(Status status) {
  switch (status) {
    case Status::kNotRun: return "not run";
    case Status::kSolved: return "solved";
    case Status::kAcceptable: return "acceptable";
    case Status::kInfeasible: return "infeasible";
    case Status::kIterations: return "iteration limit";
    case Status::kTime: return "time limit";
    case Status::kInterrupted: return "interrupted";
    case Status::kFailed: return "failed";
  }
  return "";
}

}  // namespace liegrad::control

#pragma once

#include <IpoptConfig.h>
#include <IpAlgBuilder.hpp>

#include "liegrad/control/program.hpp"
#include "liegrad/control/stop_request.hpp"

namespace liegrad::control {

/// Whether this IPOPT takes a linear solver from outside.
inline constexpr bool kIpoptTakesBlocks = IPOPT_VERSION_MAJOR > 3 ||
                                          (IPOPT_VERSION_MAJOR == 3 && IPOPT_VERSION_MINOR >= 14);

/// Builds IPOPT's algorithm around TimeBlocks, those of the program where it has some; a request
/// to stop ends a factorisation. IPOPT older than 3.14 does not take it: then there is none.
Ipopt::SmartPtr<Ipopt::AlgorithmBuilder> block_algorithm(Program& program, const StopRequest& stop);

}  // namespace liegrad::control

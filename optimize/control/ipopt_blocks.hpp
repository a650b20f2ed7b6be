#pragma once

#include <IpoptConfig.h>
#include <IpAlgBuilder.hpp>

#include "liegrad/control/transcription.hpp"

namespace liegrad::control {

/// Whether this IPOPT takes a linear solver from outside.
inline constexpr bool kIpoptTakesBlocks = IPOPT_VERSION_MAJOR > 3 ||
                                          (IPOPT_VERSION_MAJOR == 3 && IPOPT_VERSION_MINOR >= 14);

/// Builds IPOPT's algorithm around TimeBlocks. IPOPT older than 3.14 does not take it: then there is none.
Ipopt::SmartPtr<Ipopt::AlgorithmBuilder> block_algorithm(const Transcription& transcription);

}  // namespace liegrad::control

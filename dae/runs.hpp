#pragma once

namespace liegrad::dae {

/// How many runs a kernel is made for. What a run needs once is compiled only for many.
enum class Runs { kOne, kMany };

}  // namespace liegrad::dae

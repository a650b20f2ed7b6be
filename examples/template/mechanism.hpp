#pragma once

#include <liegrad/dae/system/system.hpp>

/// An arm on a vertical hinge, turning in oil.
liegrad::dae::System make_mechanism();

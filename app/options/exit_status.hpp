#pragma once

namespace liegrad::app {

// Exit statuses of the command; 0 is success.
constexpr int kBadInput = 2;
constexpr int kCouldNotGoOn = 3;
/// What shells report of a program that Ctrl-C ended.
constexpr int kInterrupted = 130;

}  // namespace liegrad::app

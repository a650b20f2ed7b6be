#pragma once

#include <functional>
#include <string>

namespace liegrad::ad {

/// Where notices go that are neither results nor errors, such as "no C compiler: kernels are
/// interpreted". By default they are written to standard error, one line each.
using MessageHandler = std::function<void(const std::string&)>;

/// Replaces the handler; an empty one silences. Returns the former. Safe from any thread.
MessageHandler set_message_handler(MessageHandler handler);

/// Passes a notice to the handler, the first time this process says that sentence or has that reason to say one.
void say_once(const std::string& sentence);
void say_once(const std::string& sentence, const std::string& reason);

}  // namespace liegrad::ad

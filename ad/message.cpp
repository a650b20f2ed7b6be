#include "liegrad/ad/message.hpp"

#include <iostream>
#include <mutex>
#include <set>
#include <utility>

namespace liegrad::ad {
namespace {

struct Messages {
  std::mutex mutex;
  MessageHandler handler = [](const std::string& sentence) {
    std::cerr << "liegrad: " << sentence << '\n';
  };
  std::set<std::string> said;
};

Messages& messages() {
  static Messages instance;
  return instance;
}

}  // namespace

MessageHandler set_message_handler(MessageHandler handler) {
  const std::lock_guard lock(messages().mutex);
  return std::exchange(messages().handler, std::move(handler));
}

void say_once(const std::string& sentence) { say_once(sentence, sentence); }

void say_once(const std::string& sentence, const std::string& reason) {
  const std::lock_guard lock(messages().mutex);
  if (messages().said.insert(reason).second && messages().handler) messages().handler(sentence);
}

}  // namespace liegrad::ad

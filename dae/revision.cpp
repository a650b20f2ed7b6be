#include "liegrad/dae/revision.hpp"

#include <atomic>

namespace liegrad::dae {

void Revision::renew() {
  static std::atomic<std::uint64_t> last = 0;
  number_ = last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace liegrad::dae

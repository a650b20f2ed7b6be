#pragma once

// Counts allocations. The heap is watched below operator new, at malloc, because Eigen calls malloc
// itself. This header defines malloc for the whole program: include it in one source only.

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>
#include <Eigen/Core>  // before the definitions below: a header of clang declares one of them again

#if defined(__SANITIZE_ADDRESS__)
#define LIEGRAD_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LIEGRAD_ADDRESS_SANITIZER 1
#endif
#endif

namespace liegrad::test {

inline std::atomic<int> allocations = 0;

}  // namespace liegrad::test

#if defined(LIEGRAD_ADDRESS_SANITIZER)

// The sanitizer owns malloc, and calls back.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*,
                                                                             std::size_t),
                                                         void (*free_hook)(const volatile void*));

namespace liegrad::test {

inline constexpr bool kHeapIsWatched = true;
inline const int kInstalled = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++allocations; }, [](const volatile void*) {});

}  // namespace liegrad::test

#elif defined(__GLIBC__)

// These replace the functions of the C library for the whole program.
extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

// NOLINTBEGIN(misc-definitions-in-headers): see above
void* malloc(std::size_t size) {
  ++liegrad::test::allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++liegrad::test::allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) {
  ++liegrad::test::allocations;
  return __libc_realloc(block, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++liegrad::test::allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  ++liegrad::test::allocations;
  *block = __libc_memalign(alignment, size);
  return *block == nullptr;
}
// NOLINTEND(misc-definitions-in-headers)

}  // extern "C"

namespace liegrad::test {

inline constexpr bool kHeapIsWatched = true;

}  // namespace liegrad::test

#else

namespace liegrad::test {

inline constexpr bool kHeapIsWatched = false;

}  // namespace liegrad::test

#endif

namespace liegrad::test {

/// Makes the compiler believe that the object is used.
template <class T>
void keep(const T& object) {
  asm volatile("" : : "g"(std::addressof(object)) : "memory");
}

/// How many times f allocates.
template <class F>
int allocations_of(F&& f) {
  const int before = allocations;
  f();
  return allocations - before;
}

class Allocation : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kHeapIsWatched) GTEST_SKIP() << "no way is known to watch the heap of this system";
  }
};

}  // namespace liegrad::test

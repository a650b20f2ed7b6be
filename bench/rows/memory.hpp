#pragma once

#include <fstream>

#include <malloc.h>
#include <unistd.h>

namespace liegrad::bench {

/// The memory that the process has now.
inline double resident_megabytes() {
  std::ifstream statm("/proc/self/statm");
  double all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) * 1e-6;
}

/// What of it is in use on the heap.
inline double heap_megabytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) * 1e-6;
}

}  // namespace liegrad::bench

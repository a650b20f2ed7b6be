// The program that writes a project's kernels while it is built: liegrad_add_kernels() links it
// with the project's definition of liegrad_kernels().

#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "liegrad/ad/kernel_list.hpp"

namespace {

std::string contents(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

// Leaves a file that would not change alone, so that its kernels, which take minutes, are not compiled again.
int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " FILE\n";
    return 2;
  }
  try {
    liegrad::ad::KernelList list;
    liegrad_kernels(list);
    const std::string source = list.source();
    if (contents(argv[1]) == source) return 0;
    std::ofstream file(argv[1]);
    file << source;
    file.close();
    if (file) return 0;
    std::cerr << argv[1] << " cannot be written\n";
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
  }
  return 2;
}

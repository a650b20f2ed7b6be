#include "liegrad/ad/kernel_list.hpp"

#include <sstream>

#include "liegrad/ad/native_code.hpp"
#include "liegrad/ad/write_c.hpp"

namespace liegrad::ad {
namespace {

/// Leaves the register function of code that was compiled for a processor with more than this one
/// has, which would end the program. Its kernels are then obtained as if it were not there.
std::string return_unless_processor_fits() {
  std::string text;
  for (const auto& [macro, feature] : {std::pair{"__AVX__", "avx"},
                                       {"__AVX2__", "avx2"},
                                       {"__FMA__", "fma"},
                                       {"__BMI2__", "bmi2"},
                                       {"__AVX512F__", "avx512f"},
                                       {"__AVX512VL__", "avx512vl"}}) {
    text += std::string("#ifdef ") + macro + "\n  if (!__builtin_cpu_supports(\"" + feature +
            "\")) return;\n#endif\n";
  }
  return text;
}

std::string symbol_of(const std::string& kernel_fingerprint) {
  return "liegrad_kernel_" + kernel_fingerprint.substr(0, 32);
}

}  // namespace

void KernelList::add(const Recording& recording, const KernelSpec& spec) {
  const KernelLayout layout = lay_out(recording, spec);
  const std::string key = fingerprint(recording, layout);
  if (source_by_fingerprint_.contains(key)) return;
  source_by_fingerprint_[key] = kernel_source(recording, layout, symbol_of(key));
}

std::string KernelList::source(const std::string& register_function) const {
  std::ostringstream text;
  text << c_prelude() << "extern \"C\" void liegrad_register_kernel(const char *,\n"
       << "    void (*)(const double *, double *),\n"
       << "    void (*)(long, const double *, long, double *, long));\n"
       // Two parts of a program may have the same kernel.
       << "namespace {\n";
  for (const auto& [key, source] : source_by_fingerprint_) text << source;
  text << "}\nextern \"C\" __attribute__((constructor)) void " << register_function << "() {\n"
       << return_unless_processor_fits();
  for (const auto& [key, source] : source_by_fingerprint_) {
    text << "  liegrad_register_kernel(\"" << key << "\", " << symbol_of(key) << ", "
         << symbol_of(key) << "_batch);\n";
  }
  text << "}\n";
  return text.str();
}

}  // namespace liegrad::ad

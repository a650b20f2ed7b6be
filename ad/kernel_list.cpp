#include "liegrad/ad/kernel_list.hpp"

#include <cctype>
#include <sstream>

#include "liegrad/ad/codegen/write_c.hpp"
#include "liegrad/ad/native/native_code.hpp"

namespace liegrad::ad {
namespace {

/// C++ that tells whether this processor has what the code was compiled for, as far as compilers can ask it; without
/// it, the code would end the program.
std::string processor_fits() {
  std::string text = "bool processor_fits() {\n#if defined(__x86_64__) || defined(__i386__)\n";
  for (const char* feature :
       {"sse3",       "ssse3",       "sse4a",      "sse4.1",     "sse4.2",       "popcnt",
        "avx",        "avx2",        "fma",        "fma4",       "xop",          "bmi",
        "bmi2",       "avx512f",     "avx512vl",   "avx512bw",   "avx512dq",     "avx512cd",
        "avx512vbmi", "avx512vbmi2", "avx512ifma", "avx512vnni", "avx512bitalg", "avx512vpopcntdq",
        "gfni",       "vpclmulqdq"}) {
    std::string macro = feature;
    for (char& c : macro) c = c == '.' ? '_' : static_cast<char>(std::toupper(c));
    text += "#ifdef __" + macro + "__\n  if (!__builtin_cpu_supports(\"" + feature +
            "\")) return false;\n#endif\n";
  }
  return text + "#endif\n  return true;\n}\n";
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

std::string KernelList::source() const {
  std::ostringstream text;
  text << c_prelude() << "typedef void (*One)(const double *, double *);\n"
       << "typedef void (*Batch)(long, const double *, long, double *, long);\n"
       << "extern \"C\" void liegrad_register_kernel(const char *, One, Batch);\n"
       << "extern \"C\" bool liegrad_may_use_kernels(const char *);\n"
       // Two parts of a program may have the same kernel.
       << "namespace {\n";
  for (const auto& [key, source] : source_by_fingerprint_) text << source;
  text << processor_fits()
       << "struct { const char *key; One one; Batch batch; } const kernels[] = {\n";
  for (const auto& [key, source] : source_by_fingerprint_) {
    text << "  {\"" << key << "\", " << symbol_of(key) << ", " << symbol_of(key) << "_batch},\n";
  }
  text << "  {0, 0, 0}};\n}\n"
       << "extern \"C\" bool LIEGRAD_REGISTER_FUNCTION() {\n"
       << "  if (!liegrad_may_use_kernels(LIEGRAD_KERNEL_VERSION) || !processor_fits()) return "
          "false;\n"
       << "  for (const auto *k = kernels; k->key; ++k) {\n"
       << "    liegrad_register_kernel(k->key, k->one, k->batch);\n  }\n"
       << "  return true;\n}\n";
  return text.str();
}

}  // namespace liegrad::ad

#include "liegrad/ad/native/native_code.hpp"

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>

#include <fcntl.h>
#include <sys/stat.h>

#include "liegrad/ad/codegen/derive.hpp"
#include "liegrad/ad/codegen/write_c.hpp"
#include "liegrad/ad/message.hpp"
#include "liegrad/ad/native/cache.hpp"
#include "liegrad/ad/native/compile_observer.hpp"
#include "liegrad/ad/native/compiler.hpp"
#include "liegrad/ad/native/file.hpp"
#include "liegrad/ad/native/sha256.hpp"
#include "liegrad/ad/native/temporary_directory.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::ad {
namespace {

constexpr const char* kSymbol = "liegrad_kernel";

/// Kernels compiled into the program. Filled while static objects are made, hence the function.
struct BuiltIn {
  std::mutex mutex;
  std::map<std::string, NativeCode> kernels;
};
BuiltIn& built_in() {
  static BuiltIn instance;
  return instance;
}

/// One lock for each cache entry that is being obtained, so that threads that want the same kernel
/// compile it once, and different ones at the same time.
std::mutex& entry_mutex(const std::string& entry) {
  static std::mutex mutex;
  static std::map<std::string, std::mutex> entries;
  const std::lock_guard lock(mutex);
  return entries[entry];
}

/// Letters, digits and underscores only, for file names.
std::string plain(const std::string& name) {
  std::string result = name.substr(0, 40);
  for (char& c : result) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return result;
}

/// The functions of a loaded kernel; empty if nothing was loaded or they are not there.
std::optional<NativeCode> functions(std::optional<SharedObject> library, NativeCodeOrigin origin) {
  if (!library) return std::nullopt;
  NativeCode code;
  code.one = reinterpret_cast<NativeCode::One>(library->symbol(kSymbol));
  code.batch =
      reinterpret_cast<NativeCode::Batch>(library->symbol(std::string(kSymbol) + "_batch"));
  if (code.one == nullptr || code.batch == nullptr) return std::nullopt;
  code.origin = origin;
  code.library = std::move(library);
  return code;
}

/// The shared object in a file; empty if there is none or it cannot be loaded.
std::optional<SharedObject> loaded(const std::filesystem::path& path) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (file.descriptor() < 0 || fstat(file.descriptor(), &info) != 0) return std::nullopt;
  std::string ignored;
  return SharedObject::load(file.descriptor(), static_cast<std::size_t>(info.st_size), &ignored);
}

/// Writes, compiles and loads the kernel, and keeps it in the cache if it can. Empty if that fails,
/// and then `why_not` says why.
std::optional<NativeCode> build(const Recording& recording, const KernelLayout& layout,
                                const Compiler& compiler, const Cache& cache,
                                const std::string& entry, std::string* why_not) {
  TemporaryDirectory::remove_abandoned();
  const TemporaryDirectory scratch;
  *why_not = scratch.problem();
  if (!why_not->empty()) return std::nullopt;
  const std::filesystem::path source = scratch.path() / "kernel.c";
  const std::filesystem::path object = scratch.path() / "kernel.so";

  std::ofstream file(source);
  file << c_prelude() << kernel_source(recording, layout, kSymbol);
  file.close();
  if (!file) {
    *why_not =
        scratch.path().parent_path().string() + " cannot be written: " + std::strerror(errno);
    return std::nullopt;
  }
  {
    const CompileNotice notice(recording.name());
    *why_not = compile(compiler, source, object);
  }
  if (!why_not->empty()) return std::nullopt;

  std::optional<NativeCode> code =
      functions(cache.store(entry, object, why_not), NativeCodeOrigin::kCompiled);
  if (code) return code;
  // The cache's disk may be full or forbid execution; this process can have its kernel all the
  // same.
  code = functions(loaded(object), NativeCodeOrigin::kCompiled);
  if (code) {
    say_once("compiled kernels are not kept for later, because " + *why_not);
    why_not->clear();
  } else {
    if (why_not->empty()) *why_not = std::string("it lacks the function ") + kSymbol;
    *why_not = "what the C compiler wrote cannot be used: " + *why_not;
  }
  return code;
}

}  // namespace

const std::string& generator_identity() {
  static const std::string identity = LIEGRAD_GENERATOR_ID;  // set by the build
  return identity;
}

std::string fingerprint(const Recording& recording, const KernelLayout& layout) {
  return sha256(generator_identity() + '\n' + recording.canonical_text() + '\n' +
                canonical_text(layout));
}

std::string entry_name(const std::string& function, const CompiledIdentity& identity) {
  // Hashes of hashes: nothing can move from one part to the next unseen.
  std::string all = sha256(identity.fingerprint) + sha256(identity.compiler) + sha256(identity.cpu);
  for (const std::string& flag : identity.flags) all += sha256(flag);
  return plain(function) + "-" + sha256(all).substr(0, 32);
}

std::string kernel_source(const Recording& recording, const KernelLayout& layout,
                          const std::string& symbol) {
  return write_c(derive(recording, layout), layout.num_inputs, symbol);
}

extern "C" bool liegrad_may_use_kernels(const char* version) {
  const char* chosen = std::getenv("LIEGRAD_KERNELS");
  return chosen == nullptr || *chosen == '\0' || std::strcmp(chosen, version) == 0;
}

extern "C" void liegrad_register_kernel(const char* kernel_fingerprint, NativeCode::One one,
                                        NativeCode::Batch batch) {
  const std::lock_guard lock(built_in().mutex);
  built_in().kernels[kernel_fingerprint] =
      NativeCode{.one = one, .batch = batch, .origin = NativeCodeOrigin::kBuiltIn};
}

std::optional<NativeCode> native_code(const Recording& recording, const KernelLayout& layout,
                                      std::string* why_not) {
  const std::string key = fingerprint(recording, layout);
  {
    const std::lock_guard lock(built_in().mutex);
    const auto found = built_in().kernels.find(key);
    if (found != built_in().kernels.end()) return found->second;
  }
  const std::optional<Compiler> compiler = find_compiler(why_not);
  if (!compiler) return std::nullopt;

  const std::string entry = entry_name(recording.name(), {.fingerprint = key,
                                                          .compiler = compiler->identity,
                                                          .flags = kernel_flags(),
                                                          .cpu = cpu_identity()});
  const std::lock_guard lock(entry_mutex(entry));
  const Cache cache = Cache::open();
  if (auto code = functions(cache.load(entry), NativeCodeOrigin::kCache)) return code;
  try {
    return build(recording, layout, *compiler, cache, entry, why_not);
  } catch (const Error& failure) {  // there is no C for this function
    *why_not = failure.what();
    return std::nullopt;
  }
}

}  // namespace liegrad::ad

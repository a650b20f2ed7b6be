// Which compiler is used, and what happens when it does not do its work: the kernel is interpreted,
// its numbers are right, and one sentence says why.

#include "liegrad/ad/native/compiler.hpp"

#include <chrono>
#include <csignal>
#include <thread>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "kernel_sandbox.hpp"
#include "liegrad/ad/native/subprocess.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::ad {
namespace {

using namespace liegrad::test;

constexpr auto kCompiled = NativeCodeOrigin::kCompiled;
/// More than any program takes.
constexpr std::chrono::seconds kLong{60};

using Clock = std::chrono::steady_clock;

using CompilerChoice = KernelSandbox;

/// Whether a process has ended and only waits to be asked for its status.
bool is_zombie(pid_t process) {
  const std::string status = file_text("/proc/" + std::to_string(process) + "/stat");
  const std::size_t end_of_name = status.rfind(')');
  return end_of_name != std::string::npos && status.substr(end_of_name, 3) == ") Z";
}

TEST_F(CompilerChoice, IsLiegradCcThenCcThenThatOfTheSystem) {
  const auto chosen = [] {
    std::string why_not;
    const std::optional<Compiler> compiler = find_compiler(&why_not);
    return compiler ? compiler->command.front() : why_not;
  };
  EXPECT_EQ(chosen(), "cc");
  cc.set(make_compiler("from-cc", ""));
  EXPECT_EQ(chosen(), scratch / "from-cc");
  liegrad_cc.set(make_compiler("from-liegrad-cc", ""));
  EXPECT_EQ(chosen(), scratch / "from-liegrad-cc");
  liegrad_cc.set(" ");  // nothing but space is not a choice
  EXPECT_EQ(chosen(), scratch / "from-cc");
}

TEST_F(CompilerChoice, MayHaveArgumentsAndSpacesInItsPath) {
  std::string why_not;
  liegrad_cc.set("cc  -DNDEBUG\t-g0");
  EXPECT_EQ(find_compiler(&why_not)->command, (std::vector<std::string>{"cc", "-DNDEBUG", "-g0"}));
  expect_native(example_kernel(), kCompiled);

  const fs::path path = make_compiler("a 'c' compiler", "exec cc \"$@\"");
  liegrad_cc.set(path);
  EXPECT_EQ(find_compiler(&why_not)->command, (std::vector<std::string>{path}));
  expect_native(example_kernel(), kCompiled);
  EXPECT_EQ(Cache::look().entries().size(), 2U) << "another compiler, another entry";
}

TEST_F(CompilerChoice, IsPartOfTheKeyByTheVersionItPrints) {
  liegrad_cc.set(make_compiler("cc-1", "exec cc \"$@\""));
  expect_native(example_kernel(), kCompiled);
  expect_native(example_kernel(), NativeCodeOrigin::kCache);
  write_file(scratch / "cc-1",
             "#!/bin/sh\n[ \"$1\" = --version ] && { echo newer; exit; }\nexec cc \"$@\"\n");
  in_child([&] {  // a process asks a compiler only once
    liegrad_cc.set((scratch / "cc-1").string() + " ");
    expect_native(example_kernel(), kCompiled);
  });
}

TEST_F(CompilerChoice, CanBeClang) {
  const char* clang = fs::exists("/usr/bin/clang") ? "clang" : "/usr/lib/llvm-14/bin/clang";
  if (!run({clang, "--version"}, kLong).failure.empty()) GTEST_SKIP() << "there is no clang here";
  liegrad_cc.set(clang);
  expect_native(example_kernel(), kCompiled);
  EXPECT_TRUE(said.empty());
}

class FailingCompiler : public KernelSandbox {
 protected:
  /// Two equal kernels: both interpreted, for a reason that is said once, and nothing left behind.
  void expect_interpreted_because(const std::string& reason) {
    expect_interpreted(example_kernel(), reason);
    expect_interpreted(example_kernel(), reason);
    EXPECT_EQ(said, std::vector<std::string>{"kernel 'example' is interpreted, which is slower: " +
                                             reason});
    EXPECT_TRUE(names_in(cache()).empty());
    EXPECT_TRUE(names_in(tmp()).empty());
  }

  /// What stands in a sentence for the command.
  static std::string command(const fs::path& compiler) {
    std::string text = " (" + compiler.string();
    for (const std::string& flag : kernel_flags()) text += " " + flag;
    return text + " -o kernel.so kernel.c -lm)";
  }
};

TEST_F(FailingCompiler, IsMissing) {
  const std::string nowhere = (scratch / "nowhere/cc -O3").string();
  for (Variable* variable : {&cc, &liegrad_cc}) {
    said.clear();
    variable->set(nowhere);
    expect_interpreted_because(
        std::string("the C compiler ($") + (variable == &cc ? "CC" : "LIEGRAD_CC") + " = " +
        nowhere +
        "), asked for its version, cannot be run: No such file or directory; "
        "install one or set LIEGRAD_CC");
  }
}

TEST_F(FailingCompiler, IsMissingFromThePath) {
  in_child([&] {
    const Variable path("PATH", scratch.string());
    expect_interpreted_because(
        "the C compiler (cc), asked for its version, cannot be run: No such file or directory; "
        "install one or set LIEGRAD_CC");
  });
}

TEST_F(FailingCompiler, IsNotAProgram) {
  write_file(scratch / "text", "no program");
  const std::string path = (scratch / "text").string();
  liegrad_cc.set(path);
  expect_interpreted_because("the C compiler ($LIEGRAD_CC = " + path +
                             "), asked for its version, cannot be run: Permission denied; install "
                             "one or set LIEGRAD_CC");
}

TEST_F(FailingCompiler, HasNoVersion) {
  liegrad_cc.set("false");
  expect_interpreted_because(
      "the C compiler ($LIEGRAD_CC = false), asked for its version, failed with status 1; "
      "install one or set LIEGRAD_CC");
}

TEST_F(FailingCompiler, FindsAnError) {
  const fs::path path =
      make_compiler("failing", "for i in 1 2 3 4; do echo \"$4: error $i\" >&2; done; exit 3");
  liegrad_cc.set(path);
  expect_interpreted_because(
      "the C compiler failed with status 3, saying '-fPIC: error 1 | -fPIC: error 2 | -fPIC: "
      "error 3'" +
      command(path));
}

TEST_F(FailingCompiler, NamesTheSource) {
  const fs::path path =
      make_compiler("naming", "while [ $# -gt 2 ]; do shift; done; echo \"$1:7: what?\"; exit 1");
  liegrad_cc.set(path);
  expect_interpreted_because("the C compiler failed with status 1, saying 'kernel.c:7: what?'" +
                             command(path));
}

TEST_F(FailingCompiler, IsKilled) {
  const fs::path path = make_compiler("killed", "kill -KILL $$");
  liegrad_cc.set(path);
  expect_interpreted_because("the C compiler was ended by signal 9 (Killed)" + command(path));
}

TEST_F(FailingCompiler, DisappearsAfterAnswering) {
  const fs::path path = make_compiler("disappearing", "");
  liegrad_cc.set(path);
  std::string why_not;
  ASSERT_TRUE(find_compiler(&why_not));
  fs::remove(path);
  expect_interpreted_because("the C compiler cannot be run: No such file or directory" +
                             command(path));
}

TEST_F(FailingCompiler, WritesNothing) {
  liegrad_cc.set(make_compiler("writing-nothing", "exit 0"));
  expect_interpreted_because("what the C compiler wrote cannot be used: kernel.so cannot be read");
}

TEST_F(FailingCompiler, WritesGarbage) {
  for (const std::string command : {": >\"$out\"", "head -c 5000 /dev/zero >\"$out\""}) {
    said.clear();
    liegrad_cc.set(make_compiler("garbage-" + std::to_string(command.size()), command));
    const Kernel kernel = example_kernel();
    const std::string& message = kernel.info().message;
    const std::string begin =
        "what the C compiler wrote cannot be used: " + (cache() / "example-").string();
    const std::string end = ".so cannot be loaded: invalid ELF header";
    EXPECT_TRUE(message.starts_with(begin) && message.ends_with(end)) << message;
    EXPECT_EQ(message.size(), begin.size() + 32 + end.size()) << message;
    expect_interpreted_because(message);
  }
}

TEST_F(FailingCompiler, WritesAnotherLibrary) {
  liegrad_cc.set(make_compiler("writing-another", "echo 'int a;' | cc -shared -x c - -o \"$out\""));
  const std::string reason =
      "what the C compiler wrote cannot be used: it lacks the function liegrad_kernel";
  expect_interpreted(example_kernel(), reason);
  expect_interpreted(example_kernel(), reason);
}

TEST_F(FailingCompiler, WritesATruncatedLibrary) {
  // Half of it, all but its last byte, and no more than its header: the loader would map what is not there.
  const std::vector<std::string> lengths = {"$((size / 2))", "$((size - 1))", "64"};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    said.clear();
    liegrad_cc.set(make_compiler(
        "truncating-" + std::to_string(i),
        "cc \"$@\"; size=$(wc -c <\"$out\"); truncate -s " + lengths[i] + " \"$out\""));
    const std::string message = example_kernel().info().message;
    EXPECT_TRUE(message.starts_with("what the C compiler wrote cannot be used: ") &&
                message.ends_with(".so cannot be loaded: it is not whole"))
        << message;
    expect_interpreted(example_kernel(), message);
    EXPECT_TRUE(names_in(cache()).empty());
    EXPECT_TRUE(names_in(tmp()).empty());
  }
}

TEST_F(FailingCompiler, Hangs) {
  const Variable limit("LIEGRAD_CC_TIMEOUT", "0.5");
  const fs::path path =
      make_compiler("hanging", "sleep 60 & echo $! >'" + (scratch / "helper").string() + "'; wait");
  liegrad_cc.set(path);
  const auto start = Clock::now();
  expect_interpreted_because("the C compiler (" + path.string() +
                             ") did not end in 0.5 s and is not tried again; LIEGRAD_CC_TIMEOUT "
                             "gives it more seconds");
  // Another kernel neither waits nor says it again.
  example_kernel(2.0, "another");
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(said.size(), 1U);
  // What it started is gone, too.
  const pid_t helper = std::stoi(file_text(scratch / "helper"));
  const auto gone = [&] { return kill(helper, 0) != 0 && errno == ESRCH; };
  for (int i = 0; i < 500 && !gone() && !is_zombie(helper); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(gone() || is_zombie(helper));
}

TEST_F(FailingCompiler, HangsWhenAskedForItsVersion) {
  const Variable limit("LIEGRAD_CC_TIMEOUT", "0.3");
  write_file(scratch / "mute", "#!/bin/sh\nexec sleep 60\n");
  fs::permissions(scratch / "mute", fs::perms::owner_all);
  liegrad_cc.set((scratch / "mute").string());
  expect_interpreted_because("the C compiler (" + (scratch / "mute").string() +
                             ") did not end in 0.3 s and is not tried again; LIEGRAD_CC_TIMEOUT "
                             "gives it more seconds");
}

TEST_F(FailingCompiler, IsInterruptedByAHandlerOfSignals) {
  liegrad_cc.set(make_compiler("slow-to-end", "kill -INT $PPID; exec sleep 60"));
  in_child([&] {
    std::signal(SIGINT, [](int) { interrupt_programs(); });
    const auto start = Clock::now();
    expect_interpreted(example_kernel(), "the C compiler was interrupted");
    expect_interpreted(example_kernel(2.0, "second"), "the C compiler was interrupted", 2.0);
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
    EXPECT_EQ(said.size(), 1U);
    EXPECT_TRUE(names_in(tmp()).empty());

    allow_programs();
    liegrad_cc.set(std::nullopt);
    expect_native(example_kernel(), kCompiled);
  });
}

TEST_F(FailingCompiler, EndsWithTheTimeOfWhatItCompilesFor) {
  liegrad_cc.set(make_compiler("sleeping", "exec sleep 60"));
  in_child([&] {
    const auto start = Clock::now();
    {
      const ProgramTimeLimit limit(start + std::chrono::milliseconds(200));
      const ProgramTimeLimit later(start + std::chrono::seconds(50));  // changes nothing
      expect_interpreted(example_kernel(), "the C compiler was interrupted");
    }
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
    liegrad_cc.set(std::nullopt);
    expect_native(example_kernel(), kCompiled);
  });
}

TEST_F(FailingCompiler, FindsTheDiskFull) {
  const fs::path path = make_compiler(
      "full",
      "printf begun >\"$out\"; echo 'ld: final link failed: No space left on device'; exit 1");
  liegrad_cc.set(path);
  expect_interpreted_because(
      "the C compiler failed with status 1, saying 'ld: final link failed: No space left on "
      "device'" +
      command(path));
}

/// No file of this process or its children may be longer, as if the disk was full then.
void limit_file_size(rlim_t bytes) {
  ASSERT_NE(std::signal(SIGXFSZ, SIG_IGN), SIG_ERR);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

using FullDisk = FailingCompiler;

TEST_F(FullDisk, HasNoRoomForTheSource) {
  in_child([&] {
    limit_file_size(100);
    expect_interpreted_because(tmp().string() + " cannot be written: File too large");
  });
}

TEST_F(FullDisk, HasNoRoomForTheEntry) {
  // This compiler is not limited, the copy into the cache is.
  liegrad_cc.set(make_compiler("unlimited", "ulimit -S -f unlimited; exec cc \"$@\""));
  in_child([&] {
    limit_file_size(10000);
    expect_native(example_kernel(), kCompiled);
    expect_native(example_kernel(), kCompiled);
    EXPECT_EQ(said,
              std::vector<std::string>{"compiled kernels are not kept for later, because " +
                                       cache().string() + " cannot be written: File too large"});
    EXPECT_TRUE(names_in(cache()).empty());
  });
  EXPECT_TRUE(names_in(tmp()).empty());
}

TEST_F(FullDisk, IsAFileSystemOfTwoPages) {
  fs::create_directories(cache().parent_path());
  const fs::path mounted = cache().parent_path();
  constexpr int kNotAllowed = 77;
  const pid_t child = start_child([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("", "/", "", MS_REC | MS_PRIVATE, "") != 0 ||
        mount("none", mounted.c_str(), "tmpfs", 0, "size=8k,mode=700") != 0) {
      std::exit(kNotAllowed);
    }
    expect_native(example_kernel(), kCompiled);
    EXPECT_EQ(said, std::vector<std::string>{"compiled kernels are not kept for later, because " +
                                             cache().string() +
                                             " cannot be written: No space left on device"});
    EXPECT_TRUE(names_in(cache()).empty());

    // A system that forbids execution there, with room enough.
    ASSERT_EQ(mount("none", mounted.c_str(), "tmpfs", MS_REMOUNT | MS_NOEXEC, "size=1m"), 0);
    said.clear();
    expect_native(example_kernel(), kCompiled);
    ASSERT_EQ(said.size(), 1U);
    EXPECT_NE(said[0].find(".so cannot be loaded: failed to map segment from shared object"),
              std::string::npos)
        << said[0];
    EXPECT_TRUE(names_in(cache()).empty());
  });
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotAllowed) {
    GTEST_SKIP() << "only root may mount a small file system";
  }
  EXPECT_EQ(status, 0);
}

double whole_part(const double& x) { return std::floor(x); }
CPPAD_DISCRETE_FUNCTION(double, whole_part)

/// Functions that CppAD can record but nobody can write in C.
class FunctionWithoutC : public KernelSandbox {
 protected:
  static void expect_interpreted_because(const Recording& f, const std::string& reason) {
    const Kernel kernel(f, {.results = {value(), jacobian()}});
    EXPECT_EQ(kernel.info().backend_used, Backend::kInterpreted);
    EXPECT_EQ(kernel.info().message, "function '" + f.name() + "' cannot be compiled: " + reason);
    std::array<double, 2> out{};
    kernel(std::array{2.5}, out);
    EXPECT_EQ(out, (std::array{5.0, 2.0}));
  }
};

TEST_F(FunctionWithoutC, IsDiscrete) {
  const Recording f = record({.name = "f", .variables = 1},
                             [](auto x, auto) { return std::array{whole_part(x[0]) * x[0]}; });
  expect_interpreted_because(f, "it calls the discrete function whole_part");
}

TEST_F(FunctionWithoutC, IsAtomic) {
  CppAD::vector<Taped> x(1), y(1);
  CppAD::Independent(x);
  y[0] = 2.0 * x[0];
  CppAD::ADFun<double> doubled(x, y);
  CppAD::chkpoint_two<double> atomic(doubled, "doubled", false, false, false, false);
  const Recording f = record({.name = "f", .variables = 1}, [&](auto in, auto) {
    CppAD::vector<Taped> argument(1), result(1);
    argument[0] = in[0];
    atomic(argument, result);
    return std::array{result[0]};
  });
  expect_interpreted_because(f, "it calls the atomic function doubled");
}

TEST_F(FunctionWithoutC, ChoosesByIndex) {
  try {
    record({.name = "f", .variables = 1}, [](auto x, auto) {
      CppAD::VecAD<double> table(2);
      table[0] = 1.0;
      table[x[0]] = x[0];
      return std::array{Taped(table[x[0]])};
    });
    FAIL() << "it was recorded";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "function 'f' uses CppAD::VecAD, of which no kernel can be made; use select_lt() "
                 "instead of an index that depends on the inputs");
  }
}

using Program = KernelSandbox;

TEST_F(Program, IsRunWithoutAShell) {
  const SubprocessResult result = run({"printf", "%s|", "$HOME", "a b", "'", "*", ";ls"}, kLong);
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(result.output, "$HOME|a b|'|*|;ls|");
}

TEST_F(Program, HasNoInput) { EXPECT_EQ(run({"cat"}, kLong).output, ""); }

TEST_F(Program, MayWriteMoreThanIsKept) {
  const SubprocessResult result = run({"head", "-c", "1000000", "/dev/zero"}, kLong);
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(result.output.size(), 64U * 1024);
}

TEST_F(Program, MayLeaveAHelperThatKeepsItsOutputOpen) {
  const auto start = Clock::now();
  const SubprocessResult result = run({"sh", "-c", "sleep 20 & echo $!; exit 5"}, kLong);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(result.failure, "failed with status 5");
  kill(std::stoi(result.output), SIGKILL);
}

TEST_F(Program, IsEndedWhenItsTimeIsOver) {
  // Also one that is deaf to requests, and one that writes nothing more and does not end.
  for (const std::string script : {"echo begun; sleep 60", "trap '' TERM; echo begun; sleep 60",
                                   "echo begun; exec >&- 2>&-; sleep 60"}) {
    const auto start = Clock::now();
    const SubprocessResult result = run({"sh", "-c", script}, std::chrono::milliseconds(300));
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
    EXPECT_TRUE(result.took_too_long);
    EXPECT_EQ(result.failure, "did not end in 0.3 s");
    EXPECT_EQ(result.output, "begun\n");
  }
}

TEST_F(Program, IsNotDisturbedBySignals) {
  in_child([&] {
    struct sigaction action {};
    action.sa_handler = [](int) {};  // without SA_RESTART: calls are interrupted
    sigaction(SIGALRM, &action, nullptr);
    const itimerval often{.it_interval = {0, 500}, .it_value = {0, 500}};
    ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
    expect_native(example_kernel(), kCompiled);
    EXPECT_EQ(run({"sh", "-c", "sleep 0.2; echo done; exit 4"}, kLong).failure,
              "failed with status 4");
  });
}

TEST_F(Program, LosesItsStatusWhereChildrenAreIgnored) {
  in_child([&] {
    std::signal(SIGCHLD, SIG_IGN);
    expect_native(example_kernel(), kCompiled);
    liegrad_cc.set(make_compiler("failing-unseen", "exit 1"));
    expect_interpreted(example_kernel(),
                       "what the C compiler wrote cannot be used: kernel.so cannot be read");
    std::signal(SIGCHLD, SIG_DFL);
  });
}

}  // namespace
}  // namespace liegrad::ad

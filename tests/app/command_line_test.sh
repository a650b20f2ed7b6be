#!/bin/sh
# The contract of the command line: where output goes, and the exit status.
# usage: command_line_test.sh PROGRAM
set -u
. "$(dirname "$0")/command_test.sh"

# expect STATUS STREAM PATTERN [ARGUMENT...]: the pattern is on that stream, the other is empty.
expect() {
  status=$1 stream=$2 pattern=$3
  shift 3
  "$program" "$@" >"$scratch/stdout" 2>"$scratch/stderr"
  actual=$?
  [ "$stream" = stdout ] && silent=stderr || silent=stdout
  if [ $actual -ne "$status" ] || [ -s "$scratch/$silent" ] ||
    ! grep -Eq -- "$pattern" "$scratch/$stream"; then
    failures=$((failures + 1))
    echo "liegrad $*: expected status $status and '$pattern' on $stream only; got status $actual and"
    cat "$scratch/stdout" "$scratch/stderr"
  fi
}

expect 0 stdout '^Usage: liegrad' --help
expect 0 stdout '^liegrad [0-9]+\.[0-9]+\.[0-9]+ ' --version
expect 0 stdout '\(Eigen 3.*Ceres 2.*IPOPT 3.*CLI11.*fmt.*nlohmann-json' --version
expect 0 stdout '^Usage: liegrad'
expect 2 stderr '^liegrad: .*--nonsense.*\.$' --nonsense
expect 0 stdout '^Usage: liegrad cache' cache --help
expect 0 stdout '^Usage: liegrad simulate' simulate --help
expect 2 stderr '^liegrad: .*nonsense.*\.$' nonsense

# What is not expected, in its order, and what was probably meant.
expect 2 stderr "^liegrad: there is no command 'simulat'; did you mean 'simulate'\?\$" simulat
expect 2 stderr "^liegrad: there is no option '--projct'; did you mean '--project'\?\$" simulate heavy_top --projct
expect 2 stderr "^liegrad: there is no option '--stpe'; did you mean '--step'\?\$" \
  simulate heavy_top --stpe 1e-3
expect 2 stderr "^liegrad: there is no option '--stesp'; did you mean '--steps'\?\$" converge heavy_top --stesp 1
expect 2 stderr "^liegrad: there is no command 'simulat'; did you mean 'simulate'\?\$" simulat heavy_top
expect 2 stderr "^liegrad: --t-end is given '1s', where a number is needed; .liegrad simulate --help. shows what is accepted\.\$" \
  simulate heavy_top --t-end 1s
expect 2 stderr "^liegrad: --load-steps is given '2.5', where a whole number is needed; " static cantilever --load-steps 2.5
expect 2 stderr "^liegrad: --out stands without a value; write --out FILE.csv; " simulate heavy_top --out
expect 2 stderr "^liegrad: unexpected arguments 'one' 'two' 'three'; .liegrad simulate --help. shows what is accepted\.\$" \
  simulate heavy_top one two three
expect 2 stderr '^liegrad: SYSTEM is required; .liegrad check-derivatives --help. shows' check-derivatives

# The help has defaults, and no more repetitions than are accepted.
for text in '--group NAME=so3xr3' '--method NAME=radau-3' '--rho R=0.8' '--rtol R=1e-06' \
  '--start KIND=classical' '--set NAME=VALUE \.\.\.'; do
  expect 0 stdout "^  $text " simulate --help
done
expect 0 stdout '^  --mode NAME=adjoint ' sensitivity --help
expect 0 stdout '^  --wrt NAME,… REQUIRED *$|^  --wrt NAME,… REQUIRED +[A-Z]' sensitivity --help

# What is to be cited, with the method that is used.
expect 0 stdout '^@book\{HairerWanner1996,' simulate free_body --t-end 0.01 --quiet --citations -
expect 0 stdout '^@article\{BruelsCardonaArnold2012,' simulate free_body --method lie-alpha --t-end 0.01 --quiet --citations -
"$program" simulate free_body --sigma 1 --t-end 0.01 --quiet --citations "$scratch/methods.bib"
if ! grep -q '^@article{HolzingerArnoldGerstmayr2025,' "$scratch/methods.bib" ||
  [ "$(grep -c '^@' "$scratch/methods.bib")" -ne "$(grep -c '^}' "$scratch/methods.bib")" ]; then
  failures=$((failures + 1))
  cat "$scratch/methods.bib"
fi
expect 2 stderr '^liegrad: --citations and --json name the same file, -; choose two\.$' simulate free_body --json - --citations -
expect 2 stderr '^liegrad: --citations and --out name the same file' simulate free_body --out "$scratch/a" --citations "$scratch/a"
expect 2 stderr '^liegrad: .*methods.bib cannot be written' simulate free_body --citations "$scratch/nowhere/methods.bib"

# Not every machine can make a terminal.
has_terminals() { printf '' | script -qec true /dev/null >/dev/null 2>&1; }
on_terminal() { script -qec "$*" /dev/null; }

# Colours on a terminal only.
if has_terminals; then
  on_terminal env TERM=xterm NO_COLOR= "$program" nonsense >"$scratch/colours"
  on_terminal env TERM=xterm NO_COLOR=1 "$program" nonsense >"$scratch/plain"
  if ! grep -q "$(printf '\033')\[1;31mliegrad:" "$scratch/colours" || grep -q "$(printf '\033')" "$scratch/plain"; then
    failures=$((failures + 1))
    cat -v "$scratch/colours" "$scratch/plain"
  fi
fi

# Compiling for a first use is announced with a count, on a terminal.
if has_terminals; then
  mkdir -m 0700 "$scratch/cache"
  simulate() {
    on_terminal env TERM=xterm LIEGRAD_KERNELS=none XDG_CACHE_HOME="$scratch/cache" "$program" simulate pendulum --t-end 0.01
  }
  simulate >"$scratch/first"
  simulate >"$scratch/second"
  if ! grep -q 'compiling kernel 1 for first use: ' "$scratch/first" ||
    ! grep -Eq '^liegrad: compiled [0-9]+ kernels in [0-9.]+ s for first use; ' "$scratch/first" ||
    grep -q 'first use' "$scratch/second"; then
    failures=$((failures + 1))
    cat -v "$scratch/first" "$scratch/second"
  fi
fi

exit $failures

#!/bin/sh
# The contract of the command line: where output goes, and the exit status.
# usage: command_line_test.sh PROGRAM
set -u
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

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
expect 0 stdout '^Usage: liegrad'
expect 2 stderr '^liegrad: .*--nonsense.*\.$' --nonsense
expect 0 stdout '^Usage: liegrad cache' cache --help
expect 0 stdout '^Usage: liegrad simulate' simulate --help
expect 2 stderr '^liegrad: .*nonsense.*\.$' nonsense

# What is not expected, in its order, and what was probably meant.
expect 2 stderr "^liegrad: there is no command 'simulat'; did you mean 'simulate'\?\$" simulat
expect 2 stderr "^liegrad: there is no option '--projct'; did you mean '--project'\?\$" simulate heavy_top --projct
expect 2 stderr "^liegrad: unexpected arguments '--stpe' '1e-3': there is no option '--stpe'; did you mean '--step'\?\$" \
  simulate heavy_top --stpe 1e-3
expect 2 stderr "^liegrad: unexpected arguments '--stesp' '1': .*; did you mean '--steps'\?\$" converge heavy_top --stesp 1
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

exit $failures

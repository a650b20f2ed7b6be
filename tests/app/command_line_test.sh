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

exit $failures

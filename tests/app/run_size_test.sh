#!/bin/sh
# Runs that do not come to an end are refused, long ones announced, and memory that runs out is no crash.
# usage: run_size_test.sh PROGRAM
set -u
. "$(dirname "$0")/command_test.sh"

# ends STATUS TEXT ARGUMENT...: within seconds, with one sentence that has the text.
ends() {
  status=$1 text=$2
  shift 2
  timeout 20 "$program" "$@" >"$scratch/stdout" 2>"$scratch/stderr"
  actual=$?
  if [ $actual -ne "$status" ] || ! grep -q -- "^liegrad: .*$text.*[.?]\$" "$scratch/stderr" ||
    [ "$(wc -l <"$scratch/stderr")" -ne 1 ]; then
    fail "liegrad $*: expected status $status and '$text', got status $actual and
$(cat "$scratch/stderr")"
  fi
}

# survives ARGUMENT...: an answer or one sentence, and no signal.
survives() {
  timeout 20 "$program" "$@" >"$scratch/stdout" 2>"$scratch/stderr"
  actual=$?
  case $actual in
    0 | 2 | 3) ;;
    *) fail "liegrad $*: status $actual, $(cat "$scratch/stderr")" ;;
  esac
  ! grep -q 'terminate called' "$scratch/stderr" || fail "liegrad $*: $(cat "$scratch/stderr")"
}

# Too many steps, or samples.
ends 2 '1e+12 steps are more than a run comes to the end of, 1e+11; choose longer steps' simulate heavy_top --step 1e-12
ends 2 '1e+12 steps are more than' simulate heavy_top --method lie-alpha --t-end 1e9
ends 2 'the step 1e-300 is below the rounding of times' simulate heavy_top --step 1e-300
ends 2 'the step 1e-300 is below the rounding of times' converge heavy_top --steps 1e-300
ends 2 'steps are more than' sensitivity heavy_top --of top.x --wrt top.m --step 1e-12
ends 2 'steps are more than' check-derivatives heavy_top --t-end 1e9
ends 2 '1e+13 samples are to be written, .* TB' simulate heavy_top --output-every 1e-13 --out "$scratch/x.csv"
[ ! -e "$scratch/x.csv" ] || fail 'a file was begun that could not be written'
ends 2 'the states of 1e+10 steps take about .*; limit it by --memory' \
  sensitivity heavy_top --method lie-alpha --of top.x --wrt top.m --t-end 1e7
ends 2 'the states of the reference at .* times take about .*; choose longer steps' \
  converge heavy_top --steps 1e-10

# Tolerances.
ends 2 '--rtol 1e-20 is below the rounding of numbers; choose at least 2.2e-15' \
  simulate heavy_top --adaptive --rtol 1e-20
ends 2 '--rtol is inf; it must be finite' simulate heavy_top --adaptive --rtol inf
ends 2 '--step is inf; it must be finite' simulate heavy_top --step inf
ends 2 '--t-end is nan; it must be finite' simulate heavy_top --t-end nan
ends 2 '--output-every is inf; it must be finite' simulate heavy_top --output-every inf
ends 2 'a step of --steps is inf; it must be finite' converge heavy_top --steps 1e-3,inf
ends 2 '--memory is inf; it must be finite' sensitivity heavy_top --of top.x --wrt top.m --memory inf

# Adaptive steps that become too short to come to the end.
ends 3 'adaptive steps have become as short as .* more of them are needed; choose a larger --rtol or --atol' \
  simulate heavy_top --method lie-alpha --formulation index2 --adaptive --rtol 1e-13 --t-end 1e3
grep -q 'ended  *= steps_too_short' "$scratch/stdout" || fail 'steps that are too short are not named'
# Index 3 cannot reach a tolerance that is below its rounding, and says what can.
ends 3 'the relative tolerance 1e-09 would need steps below .*; choose the stabilised formulation, radau-3, or a larger tolerance' \
  simulate heavy_top --method lie-alpha --formulation index3 --adaptive --rtol 1e-9
grep -q 'ended  *= tolerance_below_rounding' "$scratch/stdout" || fail 'a tolerance below rounding is not named'

# A long run says how long before it starts, unless it is to be quiet.
timeout 1 "$program" simulate heavy_top --method lie-alpha --t-end 2e4 >/dev/null 2>"$scratch/stderr"
grep -qx 'liegrad: 2e+07 steps are to be made.' "$scratch/stderr" || fail 'a long run is not announced'
timeout 1 "$program" simulate heavy_top --method lie-alpha --t-end 2e4 --quiet 2>"$scratch/stderr"
! grep -q 'steps are' "$scratch/stderr" || fail "a quiet run says $(cat "$scratch/stderr")"
timeout 1 "$program" simulate heavy_top --method lie-alpha --t-end 9e3 --out /dev/null >/dev/null 2>"$scratch/stderr"
grep -qx 'liegrad: 9e+06 samples are to be written, about .* GB.' "$scratch/stderr" || fail 'a long file is not announced'
"$program" simulate heavy_top --t-end 0.01 --output-every 1e-3 2>&1 |
  grep -q 'warning: --output-every has no effect without --out.' || fail 'samples without a file are not mentioned'

# Without a step, or with one that spans everything.
for extreme in '--t-end 1e-300' '--step 1e300' '--t-end 1e-20' '--t-end 1e-300 --step 1e-300'; do
  for mode in adjoint forward difference; do
    survives sensitivity heavy_top --of top.x --wrt top.m --mode $mode $extreme
  done
  survives sensitivity heavy_top --of top.x[1] --wrt top.m --hessian $extreme
  survives sensitivity free_body --of body.x --wrt body.m --method rkmk-rk4 $extreme
  survives check-derivatives heavy_top --wrt top.m $extreme
  survives converge heavy_top --steps 1 $extreme
  survives simulate heavy_top $extreme
done

# Memory that runs out is a sentence. 400 MB are enough to start the program with the libraries of IPOPT, not to run it;
# sanitizers need more.
if (ulimit -v 400000 && "$program" --version >/dev/null 2>&1); then
  (ulimit -v 400000 && "$program" simulate chain --set bodies=1000000 >/dev/null 2>"$scratch/stderr")
  [ $? -eq 3 ] && grep -qx 'liegrad: there is not enough memory; .*' "$scratch/stderr" ||
    fail "without memory: $(cat "$scratch/stderr")"
fi

exit $failures

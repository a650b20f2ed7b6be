#!/bin/sh
# `liegrad check-derivatives`: verdicts, the Taylor test, and what it refuses.
# usage: check_derivatives_command_test.sh PROGRAM
set -u
command=check-derivatives
. "$(dirname "$0")/command_test.sh"

# summary STATUS CONDITION [ARGUMENT...]: a Python expression holds for the summary s, with its rows.
summary() {
  status=$1 condition=$2
  shift 2
  "$program" check-derivatives "$@" --quiet --json "$scratch/summary" 2>"$scratch/stderr"
  [ $? -eq "$status" ] || fail "liegrad check-derivatives $*: not status $status, $(cat "$scratch/stderr")"
  python3 - "$scratch/summary" "$condition" <<'END' || fail "liegrad check-derivatives $*: not $condition"
import json, sys
s = json.load(open(sys.argv[1]))
rows, taylor = s["rows"], s["taylor"]
sys.exit(not eval(sys.argv[2]))
END
}

short='--t-end 0.05'

says 0 'Usage: liegrad check-derivatives' --help
says 0 'all 78 derivatives agree' heavy_top $short
says 0 'all 78 derivatives agree' heavy_top $short --group se3 --start corrected
says 0 'top.x[2] = ' heavy_top $short
says 0 'fixed_point.lambda[3] = ' heavy_top $short
says 0 'all 2 derivatives agree' heavy_top $short --of energy --wrt top.m,t_end
says 0 'all 12 derivatives agree' pendulum --step 5e-3
says 0 'all 52 derivatives agree' spinning_top $short --method rkmk-rk4
says 0 'all 78 derivatives agree' heavy_top --t-end 0.02 --method rkmk-54 --taylor
says 0 ' zero' free_body $short
[ -z "$("$program" check-derivatives pendulum --quiet 2>&1)" ] || fail '--quiet prints'

# 200 steps unless told otherwise.
summary 0 's["steps"] == 200 and s["options"]["t_end"] == 0.2' pendulum
summary 0 's["steps"] == 200 and abs(s["options"]["t_end"] - 0.02) < 1e-12' pendulum --step 1e-4
summary 0 's["steps"] == 50 and s["options"]["t_end"] == 1' pendulum --step 0.02
summary 0 's["steps"] == 300' pendulum --t-end 0.3

# Of the system's own steps.
summary 0 's["steps"] == 200 and abs(s["options"]["t_end"] - 2e-3) < 1e-12' rotor
for model in $("$program" models --json - | python3 -c '
import json, sys
for model in json.load(sys.stdin): print(model["name"])'); do
  # Differences by all parameters of many beams take minutes.
  case $model in cantilever | right_angle_beam | four_bar) continue ;; esac
  says 0 'derivatives agree' $model
done
# The root of the cantilever is clamped: derivatives of its position are nothing but rounding.
says 0 'all 780 derivatives agree' cantilever --set elements=2 --t-end 0.02 --step 1e-3
says 0 'all 306 derivatives agree' right_angle_beam --set elements=1 --t-end 0.4 --step 0.02

# Lengths of millimetres, of which some are zero, and a motion that is far from linear in them.
says 0 'all 1243 derivatives agree' andrews --step 1e-4
says 0 'all 180 derivatives agree' chain --t-end 1
says 0 'all 78 derivatives agree' heavy_top --step 1e-2
# Ten times the estimate of differences is right, and not just large.
summary 0 'all(r["difference_estimate"] < 1e-4 * r["scale"] for r in rows)' andrews --step 1e-4

# The summary has all numbers.
summary 0 's["derivatives"] == 12 == len(rows) and s["disagreeing"] == 0 and taylor is None' pendulum
summary 0 'all(r["forward_deviation"] < 1e-6 and r["difference_deviation"] < 1e-3 for r in rows)' pendulum
summary 0 '{r["verdict"] for r in rows} == {"agrees"} and set(s["value"]) == {"mass.x[1]", "mass.x[2]", "rod.lambda"}' \
  pendulum
summary 0 'all(abs(r["forward"] - r["adjoint"]) <= 1e-9 * r["scale"] for r in rows)' pendulum --of mass.x
summary 0 'set(s["wall_seconds"]) == {"adjoint", "forward", "difference"}' pendulum

# Both slopes; of a system that is linear along the direction there are none.
says 0 'Taylor test: remainder with the gradient slope ' heavy_top $short --taylor
says 0 'no slope above rounding' free_body $short --taylor
for model in heavy_top pendulum slider_crank torsional_ball spinning_top; do
  summary 0 'abs(taylor["first"]["slope"] - 2) < 0.05 and abs(taylor["second"]["slope"] - 3) < 0.1' \
    $model $short --taylor
done
summary 0 'abs(taylor["second"]["slope"] - 3) < 0.1' heavy_top $short --taylor --wrt all,initial,t_end,step

summary 0 'abs(taylor["second"]["slope"] - 3) < 0.1 and {r["variable"] for r in rows} == {"top.m", "top.v0[2]", "t_end"}' \
  heavy_top $short --taylor --of top.x --wrt 'top.m,top.v0[2],t_end'

# With the steps, an acceleration at a fixed time has a kink where a step ends: a derivative from one side only.
says 3 'DISAGREES' heavy_top --of 'top.omega_dot[1]@0.05' --wrt t_end,top.m
says 3 '1 of 2 derivatives do not agree' heavy_top --of 'top.omega_dot[1]@0.05' --wrt t_end,top.m
summary 3 's["disagreeing"] == 1 and rows[1]["verdict"] == "DISAGREES" and rows[0]["verdict"] == "agrees"' \
  heavy_top --of 'top.omega_dot[1]@0.05' --wrt t_end,top.m

says 2 "liegrad: system 'heavy_top': there is no output 'top.xx'; did you mean 'top.x'?" heavy_top --of top.xx
says 2 "liegrad: system 'heavy_top': there is no parameter 'top.mm'; did you mean 'top.m'?" \
  heavy_top --wrt top.mm
says 2 'liegrad: --of top.x@0.5 is outside of the run from 0 to 0.2.' heavy_top --of top.x@0.5
says 2 'liegrad: the step -1 must be positive.' heavy_top --step -1
says 2 'none/x cannot be written: No such file or directory.' heavy_top --t-end 1e6 --json "$scratch/none/x"
says 3 'liegrad: derivatives need the whole run' \
  rotor --set rotor.omega0=0 --method rkmk-rk4 --step 50 --t-end 100

exit $failures

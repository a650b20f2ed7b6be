#!/bin/sh
# `liegrad simulate`: its options, samples, summary, and what it refuses.
# usage: simulate_command_test.sh PROGRAM
set -u
command=simulate
. "$(dirname "$0")/command_test.sh"

# refuses_with BEGINNING [ARGUMENT...]: the same for one sentence of which only the beginning is given.
refuses_with() {
  beginning=$1
  shift
  printed=$("$program" simulate "$@" 2>"$scratch/stderr")
  actual=$?
  if [ $actual -ne 2 ] || [ -n "$printed" ] || [ "$(wc -l <"$scratch/stderr")" -ne 1 ] ||
    ! grep -q "^liegrad: $beginning.*\.\$" "$scratch/stderr"; then
    fail "liegrad simulate $*: expected status 2 and '$beginning …', got status $actual and
$printed$(cat "$scratch/stderr")"
  fi
}

# summary CONDITION [ARGUMENT...]: a Python expression holds for the summary s of a run.
summary() {
  condition=$1
  shift
  "$program" simulate "$@" --quiet --json "$scratch/summary" || fail "liegrad simulate $*: status $?"
  python3 - "$scratch/summary" "$condition" <<'END' || fail "liegrad simulate $*: not $condition"
import json, math, sys
s = json.load(open(sys.argv[1]))
f, o = s["final"], s["options"]
sys.exit(not eval(sys.argv[2]))
END
}

# Fixed steps of the papers' method, and what is left open.
brief='--t-end 0.02'
short="$brief --method lie-alpha"

# Figures, of long runs too; of a system without bodies that can be drawn, the rest.
draws 'Position of top' heavy_top $short
draws 'fixed_point.lambda' heavy_top $short
draws 'Change of the energy since the start' heavy_top --t-end 1 --method lie-alpha --step 1e-4
draws 'rod.lambda' pendulum --t-end 0.1
says 2 'plots are written as SVG; give the file the name top.svg' heavy_top $brief --plot top.png
"$program" simulate heavy_top $brief --plot - | head -1 | grep -q '<svg' || fail 'no figure on standard output'

# The table.
says 0 'Usage: liegrad simulate' --help
says 0 '  steps                  = 20' heavy_top $short
says 0 '  formulation            = index3' heavy_top $short
says 0 '  method                 = lie-alpha, alpha_m = 0.3333' heavy_top $short
says 0 '  fixed_point.lambda' heavy_top $short
says 0 '  top.m                  = 15 kg' heavy_top $short --verbose
[ -z "$("$program" simulate heavy_top $short --quiet 2>&1)" ] || fail '--quiet prints'

# What the summary holds.
summary 's["steps"] == 20 and s["termination"] == "reached_end" and s["message"] == ""' heavy_top $short
summary 's["newton_iterations"] >= 20 and s["jacobian_evaluations"] >= 20 and s["factorizations"] >= 20' \
  heavy_top $short
summary '0 < s["wall_seconds"] < 10 and s["max_position_residual"] < 1e-13' heavy_top $short
summary 's["energy"]["largest_relative_drift"] < 1e-4 and s["energy"]["initial"] > 5000' heavy_top $short
summary 'abs(f["time"] - 0.02) < 1e-12 and len(f["top.x"]) == 3 and len(f["fixed_point.lambda"]) == 3' \
  heavy_top $short
summary 'abs(sum(x * x for x in f["top.q"]) - 1) < 1e-12 and isinstance(f["energy"], float)' \
  heavy_top $short

# Every built-in system runs by its defaults, on each group that it can have, and says which they were.
"$program" models --json - >"$scratch/models"
for run in $(python3 - "$scratch/models" <<'END'
import json, sys
for model in json.load(open(sys.argv[1])):
    has_bodies = any(node["group"] == "so3xr3" for node in model["nodes"])
    for group in ["so3xr3", "se3"] if has_bodies else [""]:
        print("/".join([model["name"], repr(model["t_end"]), repr(model["step"]), group]))
END
); do
  IFS=/ read -r model t_end step group <<END
$run
END
  summary "s['termination'] == 'reached_end' and s['failed_attempts'] == 0 and not s['warnings'] and s['max_position_residual'] < 1e-13 and o['t_end'] == $t_end and abs(f['time'] - $t_end) < 1e-9 * $t_end and o['step'] == $step and o.get('group', '') == '$group'" \
    "$model" --method lie-alpha ${group:+--group $group}
  # By default steps follow the error. Beams under a sudden load vibrate with all their frequencies: a short while of it, in
  # which those that positions do not show may be given up. Nothing else has a reason to.
  warnings="not s['warnings']"
  case $model in
    cantilever) while='--t-end 1e-3' ;;
    right_angle_beam) while='--t-end 0.5' ;;
    four_bar) while='--t-end 0.05' ;;
    *) while= ;;
  esac
  [ -z "$while" ] || warnings="all('is damped and not resolved' in w for w in s['warnings'])"
  summary "s['termination'] == 'reached_end' and s['trusted'] and $warnings and o['method'] == 'radau-3' and o['reason_for_method'].startswith('default: ') and o['rtol'] == 1e-6 and s['max_position_residual'] < 1e-13" \
    "$model" $while ${group:+--group $group}
  runs="${runs:-} $model"
done
for model in heavy_top spinning_top free_body pendulum torsional_ball chain slider_crank andrews \
  slider_crank_3d rotor; do
  case "$runs " in *" $model "*) ;; *) fail "$model was not run" ;; esac
done
# Accurately: the published angle of Andrews' mechanism, the bearing of the rotor within 1% of how far it moves.
summary 'abs(f["angles.beta"] - 15.81077119629904) < 1e-4' andrews
summary 'math.dist(f["right.p"], [0.0899992016566, 0.000267230924335, 9.15920448519e-05]) < 4e-6' rotor --rho 0.9
summary 'o["t_end"] == 0.003 and o["step"] == 1e-5 and s["steps"] == 300' andrews --t-end 3e-3 --method lie-alpha

# What is left open is chosen, and said: the method, and error control unless there is a step.
says 0 '  method                 = radau-3, order 5 (default: ' heavy_top $brief
says 0 '  formulation            = stabilized' heavy_top $brief
says 0 ', rtol = 1e-06, atol = 0' heavy_top $brief
says 0 '  method                 = lie-alpha, alpha_m = 0.3333' heavy_top $brief --formulation index2
says 0 '(since --formulation belongs to it)' heavy_top $brief --formulation index2
summary 's["max_velocity_residual"] < 1e-12 and s["max_position_residual"] < 1e-14' heavy_top $brief
summary 'o["method"] == "radau-3" and o["step"] == 1e-3 and s["steps"] == 20' heavy_top $brief --step 1e-3
summary 'o["rtol"] == 1e-9 and o["method"] == "radau-3"' heavy_top $brief --rtol 1e-9
summary 'o["rtol"] == 1e-6 and o["method"] == "radau-2" and "reason_for_method" not in o' heavy_top $brief --method radau-2
summary 'o["rtol"] == 1e-6 and o["method"] == "rkmk-54"' heavy_top $brief --method rkmk-54
summary 'o["step"] == 1e-3 and "rtol" not in o' heavy_top $brief --method rkmk-6
summary 's["trusted"] and s["energy"]["largest_relative_drift"] < 1e-6 and s["max_velocity_residual"] < 1e-10' \
  chain --set bodies=20 --t-end 1

# Every option has its effect.
summary 'o["group"] == "so3xr3"' heavy_top $short --group so3xr3
summary 'o["group"] == "se3"' heavy_top $short --group se3
summary 's["max_velocity_residual"] < 1e-11' heavy_top $short --formulation index2
summary 's["max_velocity_residual"] < 1e-11 and s["max_position_residual"] < 1e-13' \
  heavy_top $short --formulation stabilized
summary 'o["sigma"] == 1' heavy_top $short --sigma 1
summary 'o["sigma"] == 0.5' heavy_top $short --sigma 0.5
summary 'o["sigma"] == o["gamma"] / (3 * o["beta"])' heavy_top $short --sigma opt --rho 0.9
summary 'abs(o["alpha_f"] - 0.9 / 1.9) < 1e-15' heavy_top $short --rho 0.9
summary 'o["alpha_m"] == 0 and o["alpha_f"] == 0.1' heavy_top $short --hht -0.1
summary 'o["beta"] == 0.25 and o["gamma"] == 0.5 and s["warnings"]' pendulum $short --newmark
summary '[o[k] for k in ("alpha_m", "alpha_f", "beta", "gamma")] == [0.1, 0.2, 0.36, 0.6]' \
  heavy_top $short --alpha 0.1,0.2,0.36,0.6
summary 's["steps"] == 40' heavy_top $short --step 5e-4
summary 's["largest_step"] > s["smallest_step"] and o["rtol"] == 1e-3 and o["atol"] == 1e-5' \
  pendulum --adaptive --rtol 1e-3 --atol 1e-5
summary 's["trusted"] and s["reason_for_doubt"] == ""' pendulum --t-end 0.1
summary 'not s["trusted"] and "spectral radius rho below 1" in s["reason_for_doubt"]' \
  heavy_top --rho 1 --t-end 0.42
summary 'abs(s["events"][0]["time"] - 6e5) < 1' \
  free_body --t-end 1e6 --step 10 --method lie-alpha --event 'body.x[1]=6e5'
summary 's["max_velocity_residual"] > 0' heavy_top $short --start classical
for start in corrected corrected-difference; do
  summary "o['start'] == '$start'" heavy_top $short --start $start
done
summary 's["newton_iterations"] <= s["jacobian_evaluations"] <= 1.5 * s["newton_iterations"]' heavy_top $short --newton full
summary 's["jacobian_evaluations"] < s["newton_iterations"]' heavy_top $short --newton modified
summary 's["jacobian_evaluations"] < s["newton_iterations"]' heavy_top $short --newton simplified
for guess in extrapolated constant zero; do
  summary "o['guess'] == '$guess'" heavy_top $short --guess $guess
done
summary 's["solver"] == "sparse"' heavy_top $short --solver sparse
summary 's["solver"] == "dense"' heavy_top $short --solver dense
summary 's["solver"] == "minimum_norm"' heavy_top $short --allow-redundant
summary 's["initial_position_change"] < 1e-12' heavy_top $short --project
summary 'abs(f["top.omega"][1] - 1.5) < 0.1 and o["set"] == {"top.omega2": 1.5, "top.omega3": 0}' \
  heavy_top $short --set top.omega2=1.5 --set top.omega3=0
summary 'o["set"] == {"bodies": 3} and len([k for k in f if k.endswith(".omega")]) == 3' \
  chain $short --set bodies=3
grep -q '"bodies": 3$' "$scratch/summary" || fail 'a number of bodies is not written as a whole number'
for method in lie-alpha ul-exp ul-crv; do
  summary "o['method'] == '$method' and s['steps'] == 20" heavy_top $brief --method $method
done
for method in rkmk-rk4 rkmk-54 rkmk-6 rkmk-gauss2 rkmk-radau2; do
  summary "o['method'] == '$method' and abs(f['energy'] - s['energy']['initial']) < 0.1" \
    spinning_top $brief --method $method
done
summary 'len(s["events"]) == 1 and s["events"][0]["output"] == "top.x.3"' \
  heavy_top --t-end 0.3 --event 'top.x.3=-0.5' --event 'top.x[1]=2'
summary 's["termination"] == "stopped_by_event" and f["time"] == s["events"][0]["time"]' \
  heavy_top --stop-at 'top.x.3=-0.5'
summary 'abs(f["top.x"][2] + 0.5) < 1e-8' heavy_top --stop-at 'top.x[3]=-0.5'

# What did not happen is mentioned, and not taken for a fault.
says 0 '  event                  = top.x[1] = 5 did not happen' heavy_top $short --event 'top.x[1]=5'
summary 's["missed_events"] == [{"output": "top.x.3", "level": 5}] and not s["events"]' \
  heavy_top $short --stop-at top.x.3=5

# Energy drifts where the equations keep it; elsewhere it changes.
for kept in heavy_top pendulum chain slider_crank_3d 'torsional_ball --set ball.d=0' 'slider_crank --set motor.T=0'; do
  summary 's["energy"]["kept_by_the_equations"] and s["energy"]["largest_relative_drift"] is not None' $kept $short
done
for moved in torsional_ball slider_crank andrews rotor; do
  summary 's["energy"]["largest_relative_drift"] is None and s["energy"]["largest_relative_change"] >= 0' $moved $short
done
says 0 ', largest relative drift ' heavy_top $short
says 0 ', largest relative change ' slider_crank $short

# Several settings after one option, as the help shows it; each name once.
summary 'o["set"] == {"top.m": 14, "top.X2": 1.1}' heavy_top $short --set top.m=14 top.X2=1.1 --quiet
summary 'len(s["missed_events"]) == 2' --event top.x.1=5 top.x.2=6 heavy_top $short
refuses "--set gives 'top.m' twice; choose one value." heavy_top --set top.m=1 --set top.X2=1 --set top.m=1

# Options without effect are said so.
says 0 'liegrad: warning: --rho has no effect on rkmk-rk4.' spinning_top --method rkmk-rk4 --rho 0.5 $brief
says 0 "liegrad: warning: --group has no effect, since 'pendulum' has no rigid bodies." \
  pendulum --group se3 $short

# Samples: each step, or at equal times; all digits; the end agrees with the summary.
"$program" simulate heavy_top $short --quiet --out "$scratch/steps.csv"
"$program" simulate heavy_top $short --quiet --out "$scratch/samples.csv" --output-every 0.0025 \
  --json "$scratch/summary"
python3 - "$scratch" <<'END' || fail 'samples are wrong'
import csv, json, sys
folder = sys.argv[1] + "/"
steps, samples = (list(csv.DictReader(open(folder + name))) for name in ("steps.csv", "samples.csv"))
final = json.load(open(folder + "summary"))["final"]
assert len(steps) == 21 and len(samples) == 9, (len(steps), len(samples))
assert list(steps[0])[:5] == ["t", "top.x.1", "top.x.2", "top.x.3", "top.q.1"], steps[0]
assert float(steps[0]["t"]) == 0 and float(steps[0]["top.omega.2"]) == 150
for i in 1, 2, 3:
    assert float(samples[-1][f"top.x.{i}"]) == final["top.x"][i - 1]
for k, row in enumerate(samples):
    assert abs(float(row["t"]) - 0.0025 * k) < 1e-15, row["t"]
    before, after = steps[int(2.5 * k)], steps[min(20, int(2.5 * k + 0.5))]
    mean = (float(before["top.x.1"]) + float(after["top.x.1"])) / 2
    assert abs(float(row["top.x.1"]) - mean) < 1e-4, row
END

# Multipliers of small steps of index 3 are rough by rounding over the square of the step; those of the equations at
# q and v are smooth, by fourth differences.
for flag in '' --recompute-multipliers; do
  "$program" simulate heavy_top --start corrected --step 2e-5 --t-end 0.01 --quiet $flag \
    --out "$scratch/multipliers$flag.csv" || fail "liegrad simulate $flag: status $?"
done
python3 - "$scratch/multipliers" <<'END' || fail "multipliers are not recomputed"
import csv, sys
def roughness(file):
    lam = [float(row["fixed_point.lambda.2"]) for row in csv.DictReader(open(file))]
    for _ in range(4):
        lam = [b - a for a, b in zip(lam, lam[1:])]
    return max(map(abs, lam[50:]))
method, equations = roughness(sys.argv[1] + ".csv"), roughness(sys.argv[1] + "--recompute-multipliers.csv")
print(f"fourth differences {method:.1e} N, recomputed {equations:.1e} N")
sys.exit(not (method > 1e-3 and equations < 1e-5))
END

# A run that cannot go on: status 3, a sentence, and all that was found. Here an explicit method with a step beyond
# its stability, even after ten halvings.
unstable='rotor --set rotor.omega0=0 --method rkmk-rk4 --step 50 --t-end 100'
says 3 'liegrad: the step from t = ' $unstable --out "$scratch/failed.csv" --json "$scratch/summary"
says 3 '  ended                  = newton_diverged' $unstable
python3 - "$scratch" <<'END' || fail 'a run that could not go on lost what it had'
import csv, json, sys
summary = json.load(open(sys.argv[1] + "/summary"))
rows = list(csv.DictReader(open(sys.argv[1] + "/failed.csv")))
assert summary["termination"] == "newton_diverged" and "half a turn" in summary["message"]
assert len(rows) == summary["steps"] + 1 > 1, (len(rows), summary["steps"])
assert float(rows[-1]["t"]) == summary["final"]["time"]
END

refuses 'the step -1 must be positive.' heavy_top --step -1
refuses '--step is nan; it must be finite.' heavy_top --step nan
refuses "--step is given 'x', where a number is needed; \`liegrad simulate --help\` shows what is accepted." heavy_top --step x
refuses 'the end time t_end = -1 must be after the start 0.' heavy_top --t-end -1
refuses_with 'the time between samples must not be negative' heavy_top --output-every -1
refuses "system 'heavy_top': there is no parameter 'top.omga2'; did you mean 'top.omega2'?" \
  heavy_top --set top.omga2=1
refuses "--set is given 'top.m'; write NAME=VALUE." heavy_top --set top.m
refuses "--set top.m has the value 'heavy', where a number is needed." heavy_top --set top.m=heavy
refuses "the value of parameter 'top.m' is not finite; give it a number." heavy_top --set top.m=nan
for bodies in 0 -3 2.5 1e9 10000001 nan; do
  refuses "--set bodies=$bodies: the number of bodies must be a whole number from 1 to 10 million." \
    chain --set bodies=$bodies
done
refuses "system 'heavy_top': there is no parameter 'bodies'; $(
  "$program" simulate heavy_top --set bodies=3 2>&1 | sed 's/.*; //'
)" heavy_top --set bodies=3
refuses 'spectral radius at infinity rho = 1.5 is outside [0, 1]; choose 0 (strongest damping) to 1 (none).' \
  heavy_top --rho 1.5
refuses 'Hilber-Hughes-Taylor parameter alpha = 0.1 is outside [-1/3, 0]; in the sign of its authors it is -0.1.' \
  heavy_top --hht 0.1
refuses '--alpha has 3 numbers; give the four alpha_m,alpha_f,beta,gamma.' heavy_top --alpha 0,0,1
refuses "--sigma has the value 'best', where a number is needed." heavy_top --sigma best
refuses 'sigma must be a finite number.' heavy_top --sigma nan
refuses '--rho excludes --newmark; `liegrad simulate --help` shows what is accepted.' heavy_top --newmark --rho 1
refuses "--method: there is no method 'lie-alfa'; did you mean 'lie-alpha'?" heavy_top --method lie-alfa
refuses "--formulation: there is no formulation 'index1'; did you mean 'index3' or 'index2'?" \
  heavy_top --formulation index1
refuses "--start: there is no start 'clasical'; did you mean 'classical'?" heavy_top --start clasical
refuses "--group: there is no group of rigid bodies 'so4'; choose 'so3xr3' or 'se3'." heavy_top --group so4
refuses "implicit Munthe-Kaas methods such as 'rkmk-gauss2' are for systems without constraints and algebraic states, and 'heavy_top' has 3; use a Radau or a generalized-alpha method." \
  heavy_top --method rkmk-gauss2
refuses "adaptive steps need an embedded method, which 'rkmk-rk4' has not; give a step, or choose another method." \
  spinning_top --method rkmk-rk4 --adaptive
refuses '--step gives fixed steps, which --rtol, --atol and --control-multipliers have no effect on; leave one of both out, or add --adaptive, where --step is the first step.' \
  heavy_top --step 1e-3 --rtol 1e-3
refuses 'the first step -1 must be positive.' heavy_top --adaptive --step -1
refuses 'the step 0 must be positive.' heavy_top --step 0
refuses 'the relative tolerance 0 must be finite and at least 1e-13, where rounding begins.' \
  heavy_top --adaptive --rtol 0
refuses 'the step 1e-20 is below the rounding of times, 3.55271e-16 in this run; choose a longer one.' \
  free_body --t-end 0.1 --step 1e-20
refuses "system 'heavy_top': there is no output 'top.xx'; did you mean 'top.x.1', 'top.x.2' or 'top.x.3'?" \
  heavy_top --event top.xx=1
refuses '--stop-at top.x.3 needs a level that is finite.' heavy_top --stop-at top.x.3=nan
refuses "initial configuration of node 'mass' is not finite in entry 2; change the parameters that it is computed from." \
  pendulum --set mass.x0=2
refuses "there is no built-in system 'heavy_tops'; did you mean 'heavy_top'?" heavy_tops
refuses 'SYSTEM is required; `liegrad simulate --help` shows what is accepted.'
refuses "$scratch/none/x.csv cannot be written: No such file or directory." \
  heavy_top --out "$scratch/none/x.csv"

# The file of the summary is tried before the run, not after it; an earlier one is kept until there is another.
refuses "$scratch/none/x cannot be written: No such file or directory." \
  heavy_top --t-end 1e6 --json "$scratch/none/x" --out "$scratch/never.csv"
refuses "$scratch cannot be written: Is a directory." heavy_top --t-end 1e6 --json "$scratch"
[ ! -e "$scratch/never.csv" ] || fail 'samples were begun although the summary cannot be written'
echo kept >"$scratch/kept"
refuses "$scratch/none/x.csv cannot be written: No such file or directory." \
  heavy_top --json "$scratch/kept" --out "$scratch/none/x.csv"
[ "$(cat "$scratch/kept")" = kept ] || fail 'a run that did not start emptied an earlier summary'
refuses "$scratch/none/x.csv cannot be written: No such file or directory." \
  heavy_top --json "$scratch/not_made" --out "$scratch/none/x.csv"
[ ! -e "$scratch/not_made" ] || fail 'a run that did not start left an empty summary'
mkfifo "$scratch/pipe"
cat "$scratch/pipe" >"$scratch/piped" &
"$program" simulate heavy_top $short --quiet --json "$scratch/pipe" || fail 'a summary into a pipe fails'
wait $!
grep -q reached_end "$scratch/piped" || fail 'a pipe does not get the summary'

# Bad input does not cost the file of an earlier run.
cp "$scratch/steps.csv" "$scratch/kept.csv"
refuses 'the step -1 must be positive.' heavy_top --step -1 --out "$scratch/kept.csv"
cmp -s "$scratch/steps.csv" "$scratch/kept.csv" || fail 'bad input emptied an earlier file'

exit $failures

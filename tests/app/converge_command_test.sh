#!/bin/sh
# `liegrad converge`: errors, orders, references, and what it refuses.
# usage: converge_command_test.sh PROGRAM
set -u
command=converge
. "$(dirname "$0")/command_test.sh"
run='--steps 2e-3,4e-3,1e-3 --t-end 0.1'

# summary CONDITION [ARGUMENT...]: a Python expression holds for the summary s of a study.
summary() {
  condition=$1
  shift
  "$program" converge "$@" --quiet --json "$scratch/summary" || fail "liegrad converge $*: status $?"
  python3 - "$scratch/summary" "$condition" <<'END' || fail "liegrad converge $*: not $condition"
import json, sys
s = json.load(open(sys.argv[1]))
rows, o = s["rows"], s["fitted_orders"]
sys.exit(not eval(sys.argv[2]))
END
}

says 0 'Usage: liegrad converge' --help
says 0 'heavy_top: largest relative errors of all steps from 0.001 to 0.1, against h = 0.000125' heavy_top $run
says 0 'absolute errors' heavy_top $run --absolute

# Second order of q, v and, with corrected starting values, λ; first order of λ without.
summary 'all(1.8 < o[k] < 2.4 for k in ("q", "v", "lambda"))' heavy_top $run --start corrected
summary '1.8 < o["q"] < 2.2 and 0.7 < o["lambda"] < 1.5' heavy_top $run --start classical
# The transient of the first steps counts: order 1.00 as in [ArnoldCardonaBruels2015, Figure 6], and the errors that
# HeavyTopIndex3.IsOfSecondOrderWithFirstOrderMultipliersAtTheStart has against a reference of its own.
summary 'abs(o["lambda"] - 1) < 0.05 and all(abs(r["errors"]["lambda"] / e - 1) < 0.05 for r, e in zip(rows, (6.87e-2, 3.41e-2, 1.70e-2)))' \
  heavy_top --rho 0.9 --t-end 1 --steps 5e-4,2.5e-4,1.25e-4
summary '[r["times"] for r in rows] == [25, 50, 100] and [r["steps"] for r in rows] == [25, 50, 100]' heavy_top $run
# Steps that do not divide each other, with a last shorter one.
summary 'abs(o["q"] - 2) < 0.2 and [r["times"] for r in rows] == [34, 48, 100]' \
  heavy_top --steps 3e-3,2.1e-3,1e-3 --t-end 0.1
summary '[r["step"] for r in rows] == [4e-3, 2e-3, 1e-3] and rows[0]["orders"]["q"] is None' heavy_top $run
summary 'o["lambda"] is None and o["q"] > 3.7' spinning_top $run --method rkmk-rk4
summary 'all(1.8 < o[k] < 2.4 for k in ("q", "v"))' torsional_ball --steps 0.04,0.02,0.01

# The mechanisms too, in q, v and λ, on each group that they can have.
all='all(abs(o[k] - 2) < 0.1 for k in ("q", "v", "lambda"))'
summary "$all" slider_crank --steps 1e-3,5e-4,2.5e-4 --start corrected
summary "$all and abs(s['window'][1] - 0.03) < 1e-12" andrews --steps 4e-5,2e-5,1e-5 --start corrected
for group in so3xr3 se3; do
  summary "$all" slider_crank_3d --steps 2e-3,1e-3,5e-4 --start corrected --group $group
  summary "$all" chain --set bodies=5 --steps 1e-3,5e-4,2.5e-4 --t-end 0.5 --start corrected --group $group
  # The waves that a chain of ten is released with are shorter than these steps.
  summary "$all" chain --steps 2e-3,1e-3,5e-4 --t-end 0.5 --window 0.05,0.5 --start corrected --group $group
  summary 'all(abs(o[k] - 2) < 0.1 for k in ("q", "v")) and o["lambda"] is None' \
    rotor --steps 1e-5,5e-6,2.5e-6 --t-end 0.1 --start corrected --group $group
done

# Away from the start the error of λ has decayed.
summary '1.8 < o["lambda"] < 2.6 and s["window"] == [0.5, 0.6]' \
  heavy_top --steps 2e-3,1e-3,5e-4 --t-end 0.6 --window 0.5,0.6 --rho 0.5 --set top.omega2=1.5
summary 's["reference"] == "h = 0.0005"' heavy_top $run --reference-step 5e-4
summary 'len(rows) == 1 and o["q"] is None' heavy_top --steps 1e-3 --t-end 0.01

# A file is as good as the run that wrote it, on either group.
for group in so3xr3 se3; do
  "$program" converge heavy_top $run --group $group --quiet --json "$scratch/by_run"
  "$program" simulate heavy_top --method lie-alpha --t-end 0.1 --step 1.25e-4 --group $group --quiet --out "$scratch/reference.csv"
  "$program" converge heavy_top $run --group $group --quiet --reference "$scratch/reference.csv" \
    --json "$scratch/by_file"
  python3 - "$scratch/by_run" "$scratch/by_file" <<'END' || fail "a reference file differs on $group"
import json, sys
first, second = (json.load(open(name))["rows"] for name in sys.argv[1:])
for a, b in zip(first, second):
    for k in a["errors"]:
        assert abs(a["errors"][k] - b["errors"][k]) < 1e-9 * a["errors"][k], (k, a, b)
END
done
# With fewer rows fewer steps are compared, and it is said.
"$program" simulate heavy_top --method lie-alpha --t-end 0.1 --step 1.25e-4 --output-every 4e-3 --quiet --out "$scratch/reference.csv"
says 0 'warning: there is a reference at 25 of the 50 steps with h = 0.002; errors of the others do not count.' \
  heavy_top $run --reference "$scratch/reference.csv"
says 2 'reference.csv has no row at t = 0.003; rows are needed at all steps of the largest length.' \
  heavy_top --steps 3e-3,1e-3 --t-end 0.1 --reference "$scratch/reference.csv"
says 2 "reference.csv has no column 'mass.x.1'" \
  pendulum --steps 4e-3 --t-end 0.1 --reference "$scratch/reference.csv"
printf 't,mass.x.1\n0.1\n' >"$scratch/bad.csv"
says 2 'bad.csv, line 2: there are 1 numbers for 2 columns.' \
  pendulum --steps 0.1 --reference "$scratch/bad.csv"
printf 't,mass.x.1\n0.1,x\n' >"$scratch/bad.csv"
says 2 "bad.csv, line 2: column mass.x.1 has the value 'x', where a number is needed." \
  pendulum --steps 0.1 --reference "$scratch/bad.csv"
says 2 'none cannot be read: No such file or directory.' \
  pendulum --steps 0.1 --reference "$scratch/none"

# A reference of another system or of other parameters is refused.
refuses_reference() {
  says 2 "$1" heavy_top --steps 4e-3 --t-end 0.1 --reference "$scratch/other.csv"
}
for setting in top.m=14 top.J1=0.3 gravity3=-9.7 top.omega2=149; do
  "$program" simulate heavy_top --t-end 0.1 --step 1e-3 --set $setting --quiet --out "$scratch/other.csv"
  refuses_reference '; a reference needs the same parameters.'
done
"$program" simulate slider_crank --t-end 0.01 --set motor.T=2 --quiet --out "$scratch/other.csv"
says 2 '; a reference needs the same parameters.' slider_crank --steps 1e-3 --t-end 0.01 --reference "$scratch/other.csv"
"$program" simulate chain --set bodies=3 --t-end 0.1 --step 1e-3 --quiet --out "$scratch/other.csv"
says 2 "is no output of 'chain'; it is of another system." \
  chain --set bodies=2 --steps 4e-3 --t-end 0.1 --reference "$scratch/other.csv"
# So are numbers that are none, and rotations that are none.
edit() {
  python3 - "$scratch/reference.csv" "$scratch/other.csv" "$1" "$2" <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
for name in sys.argv[3].split():
    rows[2][name] = sys.argv[4]
with open(sys.argv[2], "w", newline="") as file:
    writer = csv.DictWriter(file, rows[0])
    writer.writeheader()
    writer.writerows(rows)
END
}
edit top.u.1 nan
refuses_reference 'other.csv, line 4: column top.u.1 is not finite.'
edit 'top.q.1 top.q.2 top.q.3 top.q.4' 0
refuses_reference 'other.csv, line 4: top.q is no rotation: it has the length 0, where 1 is needed.'
edit top.x.1 ''
refuses_reference "other.csv, line 4: column top.x.1 has the value '', where a number is needed."

# The table and the plot as files.
"$program" converge heavy_top $run --quiet --out "$scratch/table.csv" --plot "$scratch/plot.svg"
python3 - "$scratch" <<'END' || fail 'table or plot are wrong'
import csv, sys, xml.etree.ElementTree as xml
rows = list(csv.DictReader(open(sys.argv[1] + "/table.csv")))
assert [float(row["step"]) for row in rows] == [4e-3, 2e-3, 1e-3]
assert rows[0]["order_q"] == "" and 1.8 < float(rows[2]["order_q"]) < 2.2
assert set(rows[0]) >= {"error_q", "error_v", "error_lambda", "order_lambda"}
svg = "{http://www.w3.org/2000/svg}"
assert len(xml.parse(sys.argv[1] + "/plot.svg").findall(svg + "polyline")) == 3
END

# A step that is too long does not cost the others.
says 3 'liegrad: with h = 50 the step from t = ' rotor --set rotor.omega0=0 --method rkmk-rk4 --steps 50,1e-3 \
  --t-end 100 --json "$scratch/summary"
python3 - "$scratch/summary" <<'END' || fail 'a step that fails costs the others'
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert rows[0]["errors"]["q"] is None and rows[0]["termination"] == "newton_diverged"
assert 0 < rows[1]["errors"]["q"] < 1e-3 and rows[1]["termination"] == "reached_end"
END

says 2 "liegrad: --steps has the value 'x', where a number is needed." heavy_top --steps 1e-3,x
says 2 "liegrad: --steps has the value '', where a number is needed." heavy_top --steps 1e-3,
says 2 'liegrad: --steps has the step -1; steps must be positive.' heavy_top --steps 1e-3,-1
says 2 'liegrad: a step of --steps is nan; it must be finite.' heavy_top --steps nan
says 2 'liegrad: --steps has the step 0.001 twice.' heavy_top --steps 1e-3,1e-3
says 2 'liegrad: --steps is required' heavy_top
says 2 "liegrad: --window is given '1'; write T0,T1 with T0 before T1." heavy_top $run --window 1
says 2 'liegrad: no step of length 0.004 up to the end 0.1 ends in the window from 2 to 3;' \
  heavy_top $run --window 2,3
says 2 'liegrad: the step 0.01 of the reference is not below the smallest of --steps, 0.001.' \
  heavy_top $run --reference-step 0.01
says 2 "liegrad: implicit Munthe-Kaas methods such as 'rkmk-gauss2' are for systems without constraints" \
  heavy_top $run --method rkmk-gauss2
summary 'min(o["q"], o["v"], o["lambda"]) > 4.5' heavy_top $run --method radau-3
for file in --out --plot --json; do
  # Before the runs, which would take an hour.
  says 2 'none/x cannot be written: No such file or directory.' \
    heavy_top --steps 1e-6 --t-end 1e3 $file "$scratch/none/x"
done
says 2 'liegrad: --set bodies=0: the number of bodies must be a whole number from 1 to 10 million.' \
  chain $run --set bodies=0

exit $failures

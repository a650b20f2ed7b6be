#!/bin/sh
# `liegrad fit`: from files of measured values to parameters, the files that it writes, and what it refuses.
# usage: fit_command_test.sh PROGRAM
set -u
command=fit
. "$(dirname "$0")/command_test.sh"

# summary CONDITION [ARGUMENT...]: a Python expression holds for the summary s with parameters p.
summary() {
  condition=$1
  shift
  "$program" fit "$@" --quiet --json "$scratch/summary" || fail "liegrad fit $*: status $?"
  python3 - "$scratch/summary" "$condition" <<'END' || fail "liegrad fit $*: not $condition"
import json, sys
s = json.load(open(sys.argv[1]))
p = s["parameters"]
def holds(name, truth, deviations=4):
    return abs(p[name]["value"] - truth) < deviations * p[name]["std"]
if not eval("(" + sys.argv[2] + ")"):
    print({n: (p[n]["value"], p[n]["std"], p[n]["verdict"]) for n in p}, s["message"], s["findings"], s["unidentifiable"])
    sys.exit(1)
END
}

# Two trials of a double pendulum with noise of 0.2 mrad, from steps ten times finer than those of the fits; columns with
# names of their own, and an encoder that shows 3 rad where the arm hangs.
for trial in 1 2; do
  "$program" simulate double_pendulum --t-end 1 --step 2e-4 --output-every 0.01 --quiet --out "$scratch/run" \
    --set joint1.viscous=4e-4 arm1.theta0=0.$((9 - 3 * trial)) arm2.theta0=0.8
  python3 - "$scratch/run" "$scratch/swing$trial.csv" $trial <<'END'
import csv, random, sys
random.seed(int(sys.argv[3]))
with open(sys.argv[2], "w") as out:
    out.write("t,theta1,theta2\n")
    for i, row in enumerate(csv.DictReader(open(sys.argv[1]))):
        noisy = [float(row["arm%d.theta" % k]) + random.gauss(0, 2e-4) for k in (1, 2)]
        out.write("%s,%.9f,%s\n" % (row["t"], noisy[0] + 3, "" if i % 2 else "%.9f" % noisy[1]))
END
done
rates=arm1.theta0,arm1.rate0,arm2.theta0,arm2.rate0
data="--data $scratch/swing1.csv --data $scratch/swing2.csv --map arm1.theta=theta1 --map arm2.theta=theta2"
swing="double_pendulum $data --per-trial $rates --offset arm1.theta=3 --integrator lie-alpha --step 2e-3"

summary 's["converged"] and holds("arm1.J", 0.0012) and holds("arm2.a", 0.15) and holds("joint1.viscous", 4e-4)
  and holds("arm1.theta.offset", 3) and holds("arm2.theta0@2", 0.8) and p["arm1.J"]["verdict"] == "identifiable"
  and 1.5e-4 < s["noise"]["arm1.theta"] < 2.5e-4 and s["unidentifiable"] == [] and len(s["covariance"]) == len(p)
  and abs(s["correlation"][0][0] - 1) < 1e-12 and p["arm1.J"]["ci95"][0] < p["arm1.J"]["value"] < p["arm1.J"]["ci95"][1]' \
  $swing --free arm1.J,arm2.a,joint1.viscous --out "$scratch/out.csv" --plot "$scratch/plot.svg" --write "$scratch/values.json"
[ "$(head -1 "$scratch/out.csv")" = trial,t,output,measured,fitted,residual,band95_lower,band95_upper ] || fail '--out'
[ "$(wc -l <"$scratch/out.csv")" -eq 305 ] || fail "--out has $(wc -l <"$scratch/out.csv") lines"
grep -q '<polyline' "$scratch/plot.svg" || fail '--plot'
"$program" simulate double_pendulum --t-end 0.1 --set-file "$scratch/values.json" --quiet || fail '--set-file'

# All masses and inertias together have no scale, and the fit says so.
summary '"only up to a common factor" in s["unidentifiable"][0] and p["arm1.m"]["std"] is None
  and p["arm1.m"]["verdict"] == "only in combination"' \
  $swing --free arm1.m,arm2.m,arm1.J,arm2.J --set joint1.viscous=0 --noise arm1.theta=2e-4 --noise arm2.theta=2e-4

# Methods that should agree.
"$program" fit $swing --free arm2.J --quiet --json "$scratch/forward"
for choice in '--jacobian adjoint' '--jacobian difference' '--search dogleg' '--parallel 2'; do
  summary 'abs(p["arm2.J"]["value"] / json.load(open(sys.argv[1][:-7] + "forward"))["parameters"]["arm2.J"]["value"] - 1) < 1e-6' \
    $swing --free arm2.J $choice
done

# Ties, bounds, priors, profiles, held-out trials, starts, losses.
summary 'abs(p["arm2.J"]["value"] - 0.002) < 1e-6' $swing --free arm2.J,joint1.viscous --prior arm2.J=0.002,1e-9
summary 'abs(s["profiles"]["arm2.J"]["ci95"][0] - p["arm2.J"]["ci95"][0]) < 0.1 * p["arm2.J"]["std"]' \
  $swing --free arm2.J,joint1.viscous --profile arm2.J
summary 's["holdout"][list(s["holdout"])[0]]["residual_rms"]["arm1.theta"] < 3e-4' double_pendulum --integrator lie-alpha --step 2e-3 \
  --data "$scratch/swing1.csv" --holdout "$scratch/swing2.csv" --map arm1.theta=theta1 --map arm2.theta=theta2 \
  --per-trial $rates --offset arm1.theta=3 --free arm2.J,joint1.viscous
summary 's["optima"][0]["count"] >= 3' $swing --free arm2.J,joint1.viscous --lower arm2.J=0.0005 --upper arm2.J=0.003 --starts 4
# Bounds that exclude the truth, of one unknown and of two: the projected gradient vanishes at them.
summary 's["converged"] and p["arm2.J"]["verdict"] == "at a bound" and p["arm2.J"]["value"] == 0.0015
  and p["joint1.viscous"]["verdict"] == "identifiable" and "bound 0.0015" in s["findings"][0]' \
  $swing --free arm2.J,joint1.viscous --lower arm2.J=0.0015 --start arm2.J=0.0018
summary 's["converged"] and p["arm1.J"]["value"] == 0.001 and p["joint1.viscous"]["value"] == 5e-4
  and p["arm1.J"]["verdict"] == p["joint1.viscous"]["verdict"] == "at a bound"' \
  $swing --free arm1.J,joint1.viscous --upper arm1.J=0.001 --start arm1.J=0.0008 --lower joint1.viscous=5e-4 \
  --start joint1.viscous=6e-4
summary 'holds("arm2.J", 0.0014, 5)' $swing --free arm2.J,joint1.viscous --loss huber:2

# Pieces that meet find what one run finds.
summary 's["pieces"] == 10 and s["largest_gap"] <= 1e-9 and s["converged"] and holds("arm2.J", 0.0014)
  and abs(p["arm2.J"]["std"] / json.load(open(sys.argv[1][:-7] + "forward"))["parameters"]["arm2.J"]["std"] - 1) < 0.02' \
  $swing --free arm2.J --method multiple-shooting --piece 0.2
# Profiles and held-out trials in pieces agree with those of one run.
summary 's["profiles"]["arm2.J"]["verdict"] == "identifiable"
  and abs(s["profiles"]["arm2.J"]["ci95"][0] - p["arm2.J"]["ci95"][0]) < 0.1 * p["arm2.J"]["std"]' \
  $swing --free arm2.J --method multiple-shooting --piece 0.5 --profile arm2.J
summary 's["holdout"][list(s["holdout"])[0]]["residual_rms"]["arm1.theta"] < 3e-4' double_pendulum --integrator lie-alpha --step 2e-3 \
  --data "$scratch/swing1.csv" --holdout "$scratch/swing2.csv" --map arm1.theta=theta1 --map arm2.theta=theta2 \
  --per-trial $rates --offset arm1.theta=3 --free arm2.J,joint1.viscous --method multiple-shooting --piece 0.5

# Initial values that are no parameters: the angles of both arms on their joints, and the velocities that joints allow.
both="double_pendulum $data --offset arm1.theta=3 --integrator lie-alpha --step 2e-3 --free arm2.J,joint1.viscous"
summary 's["converged"] and holds("arm2.J", 0.0014) and abs(p["arm2.q0[3]@2"]["value"] - 0.4) < 1e-3
  and abs(s["initial"][1]["arm2"]["q"][2] - 0.8) < 1e-3 and len(s["initial"]) == 2 and holds("joint1.viscous", 4e-4)' \
  $both --per-trial arm1.q0,arm2.q0,arm1.v0,arm2.v0 --motion "$scratch/motion.csv" --write "$scratch/values.json"
[ "$(wc -l <"$scratch/motion.csv")" -gt 100 ] || fail '--motion'
"$program" simulate double_pendulum --t-end 0.1 --set-file "$scratch/values.json" --quiet || fail '--set-file of initial values'
summary 's["converged"] and len(s["initial"]) == 4 and holds("arm2.J", 0.0014)' \
  $both --per-trial arm1.q0,arm2.q0,arm1.v0,arm2.v0 --split 0.5
# Pieces have initial values of their own, named or not; a held-out file in pieces is judged as one.
summary 's["converged"] and len(s["trials"]) == 4 and "arm2.q0[3]@4" in p and holds("arm2.J", 0.0014)
  and s["options"]["method"] == "rkmk-54" and s["options"]["reason_for_method"] and list(s["holdout"]) == ["'"$scratch/swing2.csv"'"]
  and s["holdout"]["'"$scratch/swing2.csv"'"]["residual_rms"]["arm1.theta"] < 3e-4' \
  double_pendulum --data "$scratch/swing1.csv" --data "$scratch/swing2.csv" --holdout "$scratch/swing2.csv" \
  --map arm1.theta=theta1 --map arm2.theta=theta2 --offset arm1.theta=3 --free arm2.J,joint1.viscous --split 0.5
summary '"arm1.theta0@4" in p and "arm1.theta0" not in p' \
  double_pendulum $data --offset arm1.theta=3 --free arm2.J,$rates --split 0.5 --integrator lie-alpha --step 2e-3
summary 's["converged"] and holds("arm1.J", 0.0012)' $swing --free arm1.J --start arm1.J=0.02 --start regression
summary 's["converged"] and holds("arm1.J", 0.0012)' $swing --free arm1.J --start arm1.J=0.02 --start tracking
# Files of one name in different folders are judged each for itself.
mkdir "$scratch/other"
cp "$scratch/swing1.csv" "$scratch/other/swing2.csv"
summary 'len(s["holdout"]) == 2 and all(one["residual_rms"]["arm1.theta"] < 3e-4 for one in s["holdout"].values())' \
  double_pendulum --integrator lie-alpha --step 2e-3 --data "$scratch/swing1.csv" --holdout "$scratch/swing2.csv" \
  --holdout "$scratch/other/swing2.csv" --map arm1.theta=theta1 --map arm2.theta=theta2 --per-trial $rates \
  --offset arm1.theta=3 --free arm2.J,joint1.viscous
# Data in millimetres are no motion of a top of a metre, whatever its inertia.
"$program" simulate heavy_top --set top.omega2=20 top.omega3=1 --t-end 0.5 --output-every 0.02 --quiet --out "$scratch/run"
python3 - "$scratch/run" "$scratch/millimetres.csv" <<'END'
import csv, sys
with open(sys.argv[2], "w") as out:
    out.write("t,x,y,z\n")
    for row in csv.DictReader(open(sys.argv[1])):
        out.write(",".join([row["t"]] + [repr(1000 * float(row["top.x.%d" % i])) for i in (1, 2, 3)]) + "\n")
END
"$program" fit heavy_top --data "$scratch/millimetres.csv" --map top.x=x,y,z --set top.omega2=20 --set top.omega3=1 \
  --free top.J2 --start top.J2=0.4 --quiet --json "$scratch/summary" 2>"$scratch/errors"
grep -q "runs do not follow 'top.x'" "$scratch/summary" || fail "data in millimetres were fitted without a word"
# Steps that nobody chose are as long as the noise allows.
summary 's["converged"] and s["options"]["rtol"] == 1e-5 and s["integration_shift"] <= 0.05 and holds("arm2.J", 0.0014)' \
  double_pendulum $data --per-trial $rates --offset arm1.theta=3 --free arm2.J,joint1.viscous
# Starts that are known are not searched from again.
box="--free arm2.J,joint1.viscous --lower arm2.J=0.0005 --upper arm2.J=0.003 --starts-file $scratch/ends.csv --parallel 2"
summary 's["starts_read"] == 0 and sum(o["count"] for o in s["optima"]) == 2' $swing $box --starts 2
summary 's["starts_read"] == 2 and sum(o["count"] for o in s["optima"]) == 4' $swing $box --starts 4
[ "$(wc -l <"$scratch/ends.csv")" -eq 5 ] || fail "--starts-file has $(wc -l <"$scratch/ends.csv") lines"
refuses "$scratch/ends.csv has ends of another fit, with other unknowns; name another file." \
  $swing --free arm1.J --starts 2 --starts-file "$scratch/ends.csv"
refuses '--starts-file belongs to --starts N; give a number above 1.' $swing --free arm1.J --starts-file "$scratch/ends.csv"
refuses "'arm2.q0[4]': node 'arm2' has entries [1] to [3]; choose one of them." $both --per-trial 'arm2.q0[4]'
refuses "'arm1.theta0' and 'arm1.q0[3]' are both unknown initial values, and the second replaces what the first does; choose one of these ways." \
  $both --per-trial arm1.theta0,arm1.q0

refuses '--piece belongs to --method multiple-shooting.' $swing --free arm2.J --piece 0.2
refuses '--piece must be positive; it is -1.' $swing --free arm2.J --method multiple-shooting --piece -1

# A problem as a file, with names of data beside it.
cat >"$scratch/problem.json" <<'END'
{"system": "double_pendulum", "data": ["swing1.csv", "swing2.csv"], "step": 2e-3, "integrator": "lie-alpha",
 "map": {"arm1.theta": "theta1", "arm2.theta": ["theta2"]}, "free": ["arm2.J", "joint1.viscous"],
 "per-trial": "arm1.theta0,arm1.rate0,arm2.theta0,arm2.rate0", "offset": {"arm1.theta": 3}, "start": {"arm2.J": 0.002}}
END
summary 'holds("arm2.J", 0.0014) and holds("joint1.viscous", 4e-4)' "$scratch/problem.json"
summary '"joint1.coulomb" in p' "$scratch/problem.json" --free joint1.coulomb
printf '{"system": "double_pendulum", "data": ["swing1.csv"], "fre": ["arm2.J"]}' >"$scratch/wrong.json"
refuses "$scratch/wrong.json: there is no option 'fre'; did you mean 'free'?" "$scratch/wrong.json"
printf '{"system": "double_pendulum", "data": [["swing1.csv"]], "free": ["arm2.J"]}' >"$scratch/wrong.json"
refuses "$scratch/wrong.json: \"data\" is the name of a file or a list of names." "$scratch/wrong.json"
printf '{"system": "double_pendulum", "data": "swing1.csv", "free": null}' >"$scratch/wrong.json"
refuses "$scratch/wrong.json: \"free\" needs a number, a text, a list of these, or an object of names with their values." \
  "$scratch/wrong.json"
# Keys with every kind of value: several numbers, true and false, names of files beside the file.
printf '{"joint1.viscous": 4e-4}' >"$scratch/friction.json"
problem() { # problem MEMBERS: a file with these and with what fits need
  printf '{"system": "double_pendulum", "data": ["swing1.csv"], "map": {"arm1.theta": "theta1"},\n "free": ["arm2.J"], "offset": {"arm1.theta": 3},\n %s}' \
    "$1" >"$scratch/wrong.json"
}
problem '"set-file": "friction.json", "alpha": [0.3, 0.4, 0.3025, 0.6], "newmark": false, "step": 2e-3'
summary 's["options"]["method"] == "lie-alpha" and s["options"]["alpha_m"] == 0.3' "$scratch/wrong.json"
problem '"start": {"arm2.J": 0.002}, "free": "arm1.J"'
refuses "$scratch/wrong.json, line 3, column 30: 'free' stands here a second time; keep one of them." "$scratch/wrong.json"
problem '"adaptive": 1'
refuses "$scratch/wrong.json: \"adaptive\" is true or false." "$scratch/wrong.json"
problem '"step": true'
refuses "$scratch/wrong.json: \"step\" needs a number, a text, a list of these, or an object of names with their values." \
  "$scratch/wrong.json"
problem '"step": [1e-3, 2e-3]'
refuses "$scratch/wrong.json: --step is given '0.001,0.002', where a number is needed." "$scratch/wrong.json"
problem '"step": "short"'
refuses "$scratch/wrong.json: --step is given 'short', where a number is needed." "$scratch/wrong.json"
problem '"holdout": ""'
refuses "$scratch/wrong.json: \"holdout\" is the name of a file or a list of names." "$scratch/wrong.json"
problem '"integrator": "rkmk-rk5"'
refuses "--integrator: there is no method 'rkmk-rk5'; did you mean 'rkmk-rk4'?" "$scratch/wrong.json"
problem '"help": true'
says 2 "$scratch/wrong.json: there is no option 'help'" "$scratch/wrong.json"
printf '{"arm2.J": 0.001, "arm2.J": 0.002}' >"$scratch/wrong.json"
refuses "$scratch/wrong.json, line 1, column 19: 'arm2.J' stands here a second time; keep one of them." \
  $swing --free arm2.J --set-file "$scratch/wrong.json"

# Trials with other sensors, or with the same in another order, are in one figure.
cut -d, -f1,3 "$scratch/swing2.csv" | sed -n '1s/theta2/arm2.theta/p;2~2p' >"$scratch/second.csv"
awk -F, -v OFS=, 'NR == 1 { print "t", "arm2.theta", "arm1.theta" } NR > 1 { print $1, $3, $2 - 3 }' "$scratch/swing1.csv" >"$scratch/both.csv"
for order in 'both second' 'second both'; do
  set -- $order
  draws 'arm1.theta (rad)' double_pendulum --data "$scratch/$1.csv" --data "$scratch/$2.csv" --per-trial $rates --free arm2.J
  [ "$(grep -c '<polyline' "$scratch/figure.svg")" -eq 3 ] || fail "--plot of $order: $(grep -c '<polyline' "$scratch/figure.svg") curves"
done
# Files that are given twice are noted.
again="$scratch/../$(basename "$scratch")/swing2.csv"
summary '"'"$scratch"'/swing1.csv is given twice by --data: its samples count twice, and intervals are too narrow" in s["findings"]
  and "'"$again"' is held out and data of the fit: it judges the fit too well" in s["findings"]' \
  $swing --data "$scratch/swing1.csv" --holdout "$again" --free arm2.J
# Profiles have the digits that they tell.
says 0 'profile of arm2.J: 0.001' $swing --free arm2.J --profile arm2.J
grep -q 'profile of arm2.J: 0.00[0-9]\{6,\} to 0.00[0-9]\{6,\}, identifiable' "$scratch/printed" || fail "$(cat "$scratch/printed")"

# What is refused.
refuses 'a fit needs data; give --data FILE.csv.' double_pendulum --free arm2.J
refuses 'trials cannot be left out in 7 parts: there are 2; choose from 2 to that many.' $swing --free arm2.J --folds 7 --out "$scratch/none.csv"
# One sentence, and nothing of what Ceres logs.
refuses_with_status 3 "element 'arm1.inertia' returns a number that is not finite at t = 0; look at its parameters and at the initial values." \
  double_pendulum $data --per-trial $rates --offset arm1.theta=3 --free arm2.J --start arm1.rate0=1e300
printf 't;theta1\n0;0,1\n' >"$scratch/semicolons.csv"
refuses "$scratch/semicolons.csv separates its columns by ';'; separate them by commas, with points in numbers." \
  double_pendulum --data "$scratch/semicolons.csv" --free arm2.J
refuses "$scratch/none.csv cannot be read: No such file or directory." double_pendulum --data "$scratch/none.csv" --free arm2.J
refuses "$scratch/swing1.csv: there is no column 'theta3'; did you mean 'theta1' or 'theta2'?" \
  double_pendulum --data "$scratch/swing1.csv" --map arm1.theta=theta3 --free arm2.J
refuses "system 'double_pendulum': there is no parameter 'arm2.JJ'; did you mean 'arm2.J'?" $swing --free arm2.JJ
refuses "'arm2.J' starts at 0.0014, outside of its bounds 0.002 and inf; choose a start between them." \
  $swing --free arm2.J --lower arm2.J=0.002
refuses "--profile: there is no unknown 'arm3.J'; did you mean 'arm2.J'?" $swing --free arm2.J --profile arm3.J
refuses "$scratch/none.csv cannot be read: No such file or directory." $swing --free arm2.J --holdout "$scratch/none.csv"
refuses '--starts must be at least 1; it is 0.' $swing --free arm2.J --starts 0
refuses 'fits from 3 starts need a box that they are taken from; give at least one unknown a lower and an upper bound.' \
  $swing --free arm2.J --starts 3
refuses '--folds must not be negative; it is -1.' $swing --free arm2.J --folds -1
refuses 'trials can be left out where there are at least two; there is one.' \
  double_pendulum --data "$scratch/swing1.csv" --map arm1.theta=theta1 --map arm2.theta=theta2 --free arm2.J --folds 2
refuses "$scratch/swing1.csv cannot be cut into pieces of 0.005: none of them has two samples; choose longer pieces." \
  double_pendulum --data "$scratch/swing1.csv" --map arm1.theta=theta1 --map arm2.theta=theta2 --free arm2.J --split 0.005
refuses "pieces of 0.005 are shorter than the time between samples of $scratch/swing1.csv, which has 101; choose longer pieces." \
  double_pendulum --data "$scratch/swing1.csv" --map arm1.theta=theta1 --map arm2.theta=theta2 --free arm2.J \
  --method multiple-shooting --piece 0.005
refuses '--loss: there is no loss '"'hubert'; did you mean 'huber'?" $swing --free arm2.J --loss hubert:1
refuses '--prior arm2.J has 1 numbers; give a value and a standard deviation.' $swing --free arm2.J --prior arm2.J=1

[ $failures -eq 0 ] || echo "$failures failures"
exit $((failures > 0))

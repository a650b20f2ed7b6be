#!/bin/sh
# `liegrad sensitivity`: derivatives in all modes, their table and summary, and what it refuses.
# usage: sensitivity_command_test.sh PROGRAM
set -u
command=sensitivity
. "$(dirname "$0")/command_test.sh"

# summary CONDITION [ARGUMENT...]: a Python expression holds for the summary s, of value v and gradient g.
summary() {
  condition=$1
  shift
  "$program" sensitivity "$@" --quiet --json "$scratch/summary" ||
    fail "liegrad sensitivity $*: status $?"
  python3 - "$scratch" "$condition" <<'END' || fail "liegrad sensitivity $*: not $condition"
import json, sys
def load(name):
    return json.load(open(sys.argv[1] + "/" + name))
def near(a, b, tolerance):
    return abs(a - b) <= tolerance * abs(b)
s = load("summary")
v, g = s["value"], s["gradient"]
sys.exit(not eval(sys.argv[2]))
END
}

# --rho belongs to generalized-alpha, whose fixed steps these are.
top='heavy_top --t-end 0.05 --rho 0.8'

# Figures.
draws 'derivatives of top.x[2] = ' $top --of top.x --wrt top.m,top.J1
draws 'derivatives of top.x[2]@0.02 = ' $top --of 'top.x[2]@0.02' --wrt top.m
draws 'top.omega2' $top --of 'top.x[3]' --wrt all
draws 'heavy_top: derivatives by differences of whole runs' $top --of 'top.x[3]' --wrt top.m --mode difference
says 2 'plots are written as SVG; give the file the name d.svg' $top --of top.x --wrt top.m --plot d.pdf

# The table.
says 0 'Usage: liegrad sensitivity' --help
says 0 'heavy_top: derivatives by adjoint of the steps' $top --of top.x --wrt top.m
says 0 '  top.X2  ' $top --of top.x --wrt top.m,top.X2
says 0 '      top.x[2]' $top --of top.x --wrt top.m
says 0 '50 steps of lie-alpha (since --rho belongs to it); ' $top --of top.x --wrt top.m
says 0 ' +- ' $top --of top.x --wrt top.m --mode difference
says 0 ' steps of rkmk-54; ' heavy_top --method rkmk-54 --t-end 0.05 --of top.x --wrt top.m --mode forward
says 0 'Hessian of top.x[3]' heavy_top --method rkmk-54 --t-end 0.05 --of 'top.x[3]' --wrt top.m,top.X2 --hessian
says 0 'Hessian of top.x[3]' $top --of 'top.x[3]' --wrt top.m,top.X2 --hessian
says 0 "liegrad: 'top.J1' and 'top.J2' have no effect here: derivatives are zero, exactly." \
  $top --of top.x@0 --wrt top.J1,top.J2
[ -z "$("$program" sensitivity $top --of top.x@0 --wrt top.J1 --quiet 2>&1)" ] || fail '--quiet prints'

# What the summary holds: of one output, or of several by name.
summary 'isinstance(v, float) and set(g) == {"top.m", "top.J2"}' \
  $top --of 'top.x[3]@0.02' --wrt top.m,top.J2
summary 'set(v) == set(g) == {"top.x[1]", "top.x[2]", "top.x[3]"} and set(g["top.x[2]"]) == {"top.m"}' \
  $top --of top.x --wrt top.m
summary 'list(v) == ["top.x[1]@0.02", "energy"]' $top --of top.x.1@0.02,energy --wrt top.m
summary 'list(v) == ["top.x[1]", "energy"]' $top --of 'top.x[1]' --of energy --of top.x.1 --wrt top.m
summary 's["steps"] == 50 and s["mode"] == "adjoint" and s["ineffective"] == []' \
  $top --of top.x --wrt top.m
summary '0 < s["simulation_wall_seconds"] < s["wall_seconds"] < 60' $top --of top.x --wrt top.m
summary 's["ineffective"] == ["top.J1"] and g["top.x[1]@0"]["top.J1"] == 0' \
  $top --of top.x@0 --wrt top.J1,top.X2
summary 's["options"]["group"] == "se3" and s["options"]["start"] == "corrected"' \
  $top --of top.x --wrt top.m --group se3 --start corrected

summary 's["steps"] == 3000 and s["options"]["t_end"] == 0.03 and abs(v - 15.81077) < 1e-4' \
  andrews --of angles.beta --wrt t_end --method lie-alpha

# What --wrt can be.
summary '{"top.m", "top.X2", "gravity3", "top.omega2"} <= set(g)' $top --of energy --wrt all
summary 'len(g) == 12 and {"top.q0[1]", "top.v0[6]"} <= set(g)' $top --of energy --wrt initial
summary 'list(g) == ["top.m", "top.q0[1]", "top.v0[6]"]' $top --of energy --wrt 'top.q0[1],top.m,top.v0.6'
summary 'list(g) == ["top.v0[%d]" % (i + 1) for i in range(6)]' $top --of energy --wrt top.v0
"$program" sensitivity $top --of energy --wrt top.m,initial --hessian --quiet --json "$scratch/initial"
for mode in adjoint forward; do
  summary 'len(g) == 3 and all(near(g[n], load("initial")["gradient"][n], 1e-9) for n in g)' $top --of energy --wrt 'top.m,top.v0[2],top.q0[6]' --mode $mode
done
summary 'list(s["hessian"]) == list(g) == ["top.m", "top.v0[2]"]' \
  $top --of energy --wrt 'top.m,top.v0[2]' --hessian
summary 'all(near(s["hessian"][a][b], load("initial")["hessian"][a][b], 1e-9) for a in g for b in g)' \
  $top --of energy --wrt 'top.m,top.v0[2]' --hessian
summary 's["ineffective"] == ["top.v0[2]"]' $top --of top.x@0 --wrt 'top.v0[2]'
summary 'list(s["error"]) == list(g) and near(g["top.v0[2]"], load("initial")["gradient"]["top.v0[2]"], 1e-6)' \
  $top --of energy --wrt 'top.v0[2]' --mode difference
summary 'list(g) == ["top.m", "t_end", "step"]' $top --of 'top.x[1]' --wrt t_end,top.m,step --wrt top.m

# Unless told otherwise steps follow the error.
says 0 ' steps of radau-3 (default: ' heavy_top --t-end 0.05 --of top.x --wrt top.m
summary 's["options"]["rtol"] == 1e-6' heavy_top --t-end 0.05 --of 'top.x[1]' --wrt top.m

# What is known: the start is a parameter, and the derivative by the end of the run is the velocity.
summary 'v == 0.2 and g == {"mass.x0": 1, "mass.m": 0}' pendulum --of mass.x.1@0 --wrt mass.x0,mass.m
"$program" simulate $top --step 1e-4 --quiet --json "$scratch/run"
summary 'near(v, load("run")["final"]["top.x"][0], 1e-13) and near(g["t_end"], load("run")["final"]["top.u"][0], 1e-3)' \
  $top --step 1e-4 --of 'top.x[1]' --wrt t_end

# All modes agree, whatever the method; differences say how well.
for options in '' '--group se3 --sigma opt' '--formulation stabilized' '--adaptive --rtol 0.1' \
  '--start corrected' '--method ul-crv' '--method radau-3'; do
  for mode in adjoint forward difference; do
    "$program" sensitivity $top --of top.x,top.omega@0.0213 --wrt top.m,top.X2,top.omega2 \
      --mode $mode $options --quiet --json "$scratch/$mode" || fail "--mode $mode $options: status $?"
  done
  python3 - "$scratch" <<'END' || fail "modes differ with '$options'"
import json, sys
adjoint, forward, difference = (json.load(open(sys.argv[1] + "/" + mode))
                                for mode in ("adjoint", "forward", "difference"))
assert adjoint["value"] == forward["value"]
for output, row in adjoint["gradient"].items():
    scale = max(map(abs, row.values()))
    for name, number in row.items():
        assert number != 0
        assert abs(forward["gradient"][output][name] - number) < 1e-9 * scale, (output, name)
        error = difference["error"][output][name]
        assert abs(difference["gradient"][output][name] - number) < max(10 * error, 1e-6 * scale), \
            (output, name, error)
END
done

# The Hessian is symmetric, and the derivative of the gradient.
for length in 0.999 1.001 1; do
  "$program" sensitivity pendulum --method lie-alpha --t-end 0.3 --set rod.l=$length --of mass.x.1 --wrt rod.l,mass.g \
    --hessian --quiet --json "$scratch/$length"
done
python3 - "$scratch" <<'END' || fail 'the Hessian is wrong'
import json, sys
below, above, here = (json.load(open(sys.argv[1] + "/" + l)) for l in ("0.999", "1.001", "1"))
hessian = here["hessian"]
assert abs(hessian["rod.l"]["mass.g"] - hessian["mass.g"]["rod.l"]) < 1e-11
for name in "rod.l", "mass.g":
    slope = (above["gradient"][name] - below["gradient"][name]) / 0.002
    assert abs(slope - hessian[name]["rod.l"]) < 1e-4 * abs(slope), (name, slope, hessian[name])
END

# Less memory: steps are made again, and derivatives stay the same.
summary 's["recomputed_steps"] == 0' $top --of 'top.x[1]' --wrt top.m
cp "$scratch/summary" "$scratch/with_all"
summary 's["recomputed_steps"] > 0 and near(g["top.m"], load("with_all")["gradient"]["top.m"], 1e-9)' \
  $top --of 'top.x[1]' --wrt top.m --memory 0.01

# To a file, with and without a limit.
mkdir "$scratch/states"
for memory in '' '--memory 0.01'; do
  summary '(s["recomputed_steps"] > 0) == bool("'"$memory"'")' \
    $top --of 'top.x[1]' --wrt top.m --checkpoint-dir "$scratch/states" $memory
  summary 'near(g["top.m"], load("with_all")["gradient"]["top.m"], 1e-9)' \
    $top --of 'top.x[1]' --wrt top.m --checkpoint-dir "$scratch/states" $memory
done
[ -z "$(ls -A "$scratch/states")" ] || fail '--checkpoint-dir leaves files'
refuses "the directory '$scratch/none' for checkpoints does not exist; create it or name another." \
  $top --of 'top.x[1]' --wrt top.m --checkpoint-dir "$scratch/none"

# A run that stops part-way.
says 3 'liegrad: derivatives need the whole run, which ended at t = ' \
  rotor --set rotor.omega0=0 --method rkmk-rk4 --step 50 --t-end 100 --of rotor.x --wrt rotor.m

refuses "system 'heavy_top': there is no output 'top.xx'; did you mean 'top.x'?" \
  $top --of top.xx --wrt top.m
refuses "output 'top.x' has 3 components; there is no 'top.x[4]'." $top --of 'top.x[4]' --wrt top.m
refuses '--of top.x@1 is outside of the run from 0 to 0.05.' $top --of top.x@1 --wrt top.m
refuses '--of top.x@nan is outside of the run from 0 to 0.05.' $top --of top.x@nan --wrt top.m
refuses "--of top.x has the value 'end', where a number is needed." $top --of top.x@end --wrt top.m
refuses "--of is given 'top.x,', where a name is missing." $top --of top.x, --wrt top.m
refuses "system 'heavy_top': output 'residual.position' is a largest magnitude, which has no derivative; choose another." \
  $top --of residual.position --wrt top.m
refuses "system 'heavy_top': there is no parameter 'top.mm'; did you mean 'top.m'?" \
  $top --of top.x --wrt top.mm
refuses "system 'heavy_top': there is no parameter 'inital'; did you mean 'initial'?" \
  $top --of top.x --wrt inital
refuses "--wrt: the initial value 'top.q0' has 6 components; there is no 'top.q0[7]'." \
  $top --of top.x --wrt 'top.q0[7]'
refuses "--wrt: 'bodies' decides on the structure of 'chain' and has no derivative." \
  chain --set bodies=3 --t-end 0.01 --of rod1.x --wrt rod.m,bodies
refuses "'heavy_top' has no controls to differentiate by." $top --of top.x --wrt controls
refuses 'adaptive steps have no length to differentiate by; use fixed ones.' \
  $top --adaptive --of top.x --wrt step
refuses "--mode: there is no mode 'foward'; did you mean 'forward'?" \
  $top --of top.x --wrt top.m --mode foward
refuses '--hessian is of one output, and --of names 3; choose one.' \
  $top --of top.x --wrt top.m --hessian
refuses '--hessian is not found by differences; choose another --mode.' \
  $top --of energy --wrt top.m --hessian --mode difference
refuses '--memory must be positive; it is -1.' $top --of energy --wrt top.m --memory -1
refuses '--of is required; `liegrad sensitivity --help` shows what is accepted.' $top --wrt top.m
refuses '--wrt is required; `liegrad sensitivity --help` shows what is accepted.' $top --of top.x
refuses "$scratch/none/x cannot be written: No such file or directory." \
  heavy_top --t-end 1e6 --of top.x --wrt top.m --json "$scratch/none/x"
refuses '--of angles.beta@1 is outside of the run from 0 to 0.03.' andrews --of angles.beta@1 --wrt all
refuses 'the step -1 must be positive.' $top --of top.x --wrt top.m --step -1
refuses "there is no built-in system 'heavy_tops'; did you mean 'heavy_top'?" heavy_tops --of a --wrt b

exit $failures

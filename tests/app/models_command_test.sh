#!/bin/sh
# `liegrad models`: what it says of all systems and of one.
# usage: models_command_test.sh PROGRAM
set -u
command=models
. "$(dirname "$0")/command_test.sh"

says 0 'heavy_top: a top'
says 0 '  nodes       top (so3xr3)'
says 0 'top.omega2=150'
says 0 'multipliers of its constraints' --verbose
says 0 '  top.m             15  kg      mass' heavy_top
says 0 '  top  so3xr3' heavy_top
says 0 '  top  se3' heavy_top --group se3
says 0 '  fixed_point  fixed_point  top' heavy_top
says 0 '  top.q               4  unit quaternion w, x, y, z' heavy_top
says 0 '  top.omega_dot       3  angular acceleration in the body frame' heavy_top
says 0 'runs to t = 1 unless told otherwise, with fixed steps of 0.001 where errors are not controlled' heavy_top
says 0 'runs to t = 0.03 unless told otherwise, with fixed steps of 1e-05 where errors are not controlled' andrews
says 0 'Usage: liegrad models' --help
says 2 "liegrad: there is no built-in system 'pendulm'; did you mean 'pendulum'?" pendulm
says 2 "choose 'so3xr3' or 'se3'." --group so4
says 2 'cannot be written' --quiet --json "$scratch/none/x"
[ -z "$("$program" models --quiet)" ] || { echo '--quiet prints'; failures=$((failures + 1)); }

"$program" models --json - >"$scratch/all"
"$program" models heavy_top --quiet --json "$scratch/one"
python3 - "$scratch/all" "$scratch/one" <<'END' || failures=$((failures + 1))
import json, sys
models, one = (json.load(open(name)) for name in sys.argv[1:])
by_name = {model["name"]: model for model in models}
assert {"heavy_top", "spinning_top", "free_body", "pendulum", "torsional_ball",
        "slider_crank", "andrews", "slider_crank_3d", "rotor", "chain"} <= set(by_name)
assert by_name["heavy_top"] == one
for model in models:
    assert model["description"] and model["nodes"] and model["elements"], model["name"]
    assert 0 < model["step"] < 0.01 * model["t_end"], model["name"]
    names = {node["name"] for node in model["nodes"]} | {"ground"}
    for element in model["elements"]:
        assert element["type"] and set(element["nodes"]) <= names, element
    for parameter in model["parameters"]:
        assert set(parameter) == {"name", "default", "unit", "meaning"}, parameter
        assert parameter["meaning"] and parameter["unit"], parameter
    for output in model["outputs"]:
        assert output["size"] >= 1 and output["meaning"], output
assert one["t_end"] == 1 and one["step"] == 1e-3
assert by_name["andrews"]["t_end"] == 0.03 and by_name["rotor"]["step"] == 1e-5
parameters = {p["name"]: p for p in one["parameters"]}
assert parameters["top.omega2"]["default"] == 150 and parameters["top.m"]["unit"] == "kg"
outputs = {o["name"]: o["size"] for o in one["outputs"]}
assert outputs["top.x"] == 3 and outputs["top.q"] == 4 and outputs["fixed_point.lambda"] == 3
assert outputs["top.omega_dot"] == 3 and outputs["top.u_dot"] == 3
# A rate for each velocity.
for model in models:
    sizes = {o["name"]: o["size"] for o in model["outputs"]}
    rates = [sizes.get(n["name"] + r, 0) for n in model["nodes"] for r in (".omega_dot", ".u_dot", ".c_dot")]
    assert sum(rates) == model["dof"], model["name"]
END

exit $failures

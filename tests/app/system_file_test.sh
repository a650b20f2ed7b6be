#!/bin/sh
# Systems in JSON files: every command takes them, they move as the same systems of C++ do, and mistakes are told with line
# and column.
# usage: system_file_test.sh PROGRAM
set -u
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
systems=$(dirname "$0")/../../examples/systems

python3 - "$program" "$scratch" "$systems" <<'END'
import copy, json, math, re, subprocess, sys
program, scratch, systems = sys.argv[1:]
failures = 0

def expect(holds, *what):
    global failures
    if not holds:
        failures += 1
        print(*what)

def run(*arguments):
    ended = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    return ended.returncode, ended.stdout, ended.stderr

def summary(command, *arguments, status=0):
    ended, out, err = run(command, *arguments, "--quiet", "--json", scratch + "/summary.json")
    expect(ended == status, command, arguments, "status", ended, "not", status, err)
    with open(scratch + "/summary.json") as file:
        return json.load(file)

def written(system, name="system.json"):
    with open(f"{scratch}/{name}", "w") as file:
        file.write(system if isinstance(system, str) else json.dumps(system, indent=1))
    return f"{scratch}/{name}"

def near(a, b, error):
    a, b = (x if isinstance(x, list) else [x] for x in (a, b))
    return len(a) == len(b) and math.dist(a, b) <= error

# --- the double pendulum of examples/double_pendulum_3d.cpp, where its numbers come from ---
pendulum = f"{systems}/double_pendulum_3d.json"
s = summary("simulate", pendulum)
expect(s["system"] == "double pendulum" and near(s["final"]["lower.x"], [-1.216999, 0.138263, -0.598078], 1e-5), s["final"])
expect(s["options"]["group"] == "so3xr3" and s["options"]["t_end"] == 1, s["options"])
se3 = summary("simulate", pendulum, "--group", "se3")
expect(se3["options"]["group"] == "se3" and near(se3["final"]["lower.x"], s["final"]["lower.x"], 1e-5), "on SE(3)")
# Parameters of the file, of frames and of coordinates at the start.
other = summary("simulate", pendulum, "--set", "elbow.angle0=0.3", "--set", "spring.k=10", "--set", "gravity3=-1.6")
expect(not near(other["final"]["lower.x"], s["final"]["lower.x"], 0.1), "--set has no effect")

# The page shows this file, and elements that can be added to it.
with open(f"{systems}/../../docs/system-files.md", encoding="utf-8") as page, open(pendulum, encoding="utf-8") as source:
    text, file = page.read(), source.read()
expect("```json\n" + file + "```\n" in text, "docs/system-files.md shows another file")
shown = dict(re.findall(r'^    "(\w+)": (\{"type".*\})$', text.split("A drive of the shoulder")[1], re.M))
expect(set(shown) == {"motor", "rope"}, "elements of docs/system-files.md:", shown)
added = ", ".join(f'"{name}": {entry}' for name, entry in shown.items())
s = summary("simulate", written(file.replace('"elements": {', '"elements": {' + added + ",").replace('"shoulder": 0.4, ', "")),
            "--t-end", "0.5")
expect(near(s["final"]["shoulder.angle.x"], 6 * 0.5 / 2, 1e-8), "the drive of docs/system-files.md:", s["final"]["shoulder.angle.x"])

# --- all commands ---
short = ["--t-end", "0.2"]
gradient = summary("sensitivity", pendulum, "--of", "lower.x[3]", "--wrt", "spring.k,elbow.angle0", *short)
differences = summary("sensitivity", pendulum, "--of", "lower.x[3]", "--wrt", "spring.k,elbow.angle0", *short,
                      "--mode", "difference")
for name, value in gradient["gradient"].items():
    expect(near(value, differences["gradient"][name], 1e-6), name, value, differences["gradient"][name])
checked = summary("check-derivatives", pendulum, *short)
expect(checked["derivatives"] > 100 and checked["disagreeing"] == 0, "derivatives of a file", checked["disagreeing"])
orders = summary("converge", pendulum, "--steps", "4e-3,2e-3,1e-3", *short)
expect(orders["system"] == "double pendulum" and abs(orders["rows"][-1]["orders"]["v"] - 2) < 0.2, orders["rows"][-1])
run("simulate", pendulum, *short, "--set", "spring.k=5", "--output-every", "0.01", "--out", scratch + "/swing.csv", "--quiet")
fit = summary("fit", pendulum, "--data", scratch + "/swing.csv", "--map", "lower.x=lower.x.1,lower.x.2,lower.x.3",
              "--free", "spring.k", "--start", "spring.k=3")
expect(near(fit["parameters"]["spring.k"]["value"], 5, 1e-3), fit["parameters"])
with open(pendulum) as source:
    written(source.read(), "arm.json")
problem = written({"system": "arm.json", "data": "swing.csv", "map": {"lower.x": ["lower.x.1", "lower.x.2", "lower.x.3"]},
                   "free": "spring.k"}, "problem.json")
fit = summary("fit", problem)
expect(near(fit["parameters"]["spring.k"]["value"], 5, 1e-3), "a problem with a system in a file:", fit["parameters"])
status, out, err = run("models", pendulum)
expect(status == 0 and "double pendulum: two rods in space" in out and "elbow.angle0" in out and "spring.k" in out, out, err)

# --- a beam with a load: statics and modes of its closed forms ---
jib = f"{systems}/jib.json"
s = summary("static", jib)
# Of a cantilever: load F L³/3EI, weight m g L⁴/8EI, both with shear; it deflects by less than 2 % of its length.
g, load, weight, EI, GA = 9.81, 0.5, 0.785, 175, 6.73e6
tip = -(load * g / 3 + weight * g / 8) / EI - (load * g + weight * g / 2) / GA
expect(abs(s["final"]["load.x"][2] / tip - 1) < 5e-3, "deflection", s["final"]["load.x"], tip)
expect(near(s["final"]["bar.from.force"], [0, 0, -(load + weight) * g], 1e-6) or
       near(s["final"]["bar.from.force"], [0, 0, (load + weight) * g], 1e-6), s["final"]["bar.from.force"])
# Drawn as initial and at rest: eight elements and the clamp of the load, no line from one end to the other.
run("static", jib, "--quiet", "--plot", scratch + "/jib.svg")
with open(scratch + "/jib.svg") as figure:
    expect(figure.read().count("<polyline") == 2 * 9, "lines of the figure")
modes = summary("modes", jib)
# Rayleigh's estimate with the shape of a tip load: mass of the load and 33/140 of that of the bar.
frequency = math.sqrt(3 * EI / (load + 33 / 140 * weight)) / (2 * math.pi)
expect(abs(modes["modes"][0]["frequency"] / frequency - 1) < 0.01, modes["modes"][0], frequency)

# --- other shapes, joints, nodes and laws ---
free = {"gravity": [0, 0, 0], "bodies": {"box": {"mass": 2, "inertia": [1, 2, 2.5], "at": [1, 2, 3],
                                                 "omega": [0, 0, 3], "u": [1, 0, 0]}}, "t_end": 2}
for group in ("so3xr3", "se3"):
    s = summary("simulate", written(free | {"group": group}))
    expect(near(s["final"]["box.x"], [3, 2, 3], 1e-6) and s["options"]["group"] == group and
           near(s["final"]["box.q"], [math.cos(3), 0, 0, math.sin(3)], 1e-5) or
           near(s["final"]["box.q"], [-math.cos(3), 0, 0, -math.sin(3)], 1e-5), s["final"])
driven = {"bodies": {"crank": {"shape": "box", "edges": [0.4, 0.1, 0.1], "density": 1000, "at": [0.2, 0, 0]}},
          "joints": {"hinge": {"type": "revolute", "between": ["ground", "crank"], "axis": [0, 0, 1]}},
          "elements": {"motor": {"type": "DrivenCoordinate", "on": "hinge", "law": "SmoothStartLaw",
                                 "values": {"omega": 6, "t_s": 0.5}}}}
s = summary("simulate", written(driven), "--t-end", 1)
expect(near(s["final"]["hinge.angle.x"], 6 * (1 - 0.25), 1e-8), s["final"]["hinge.angle.x"])
table = copy.deepcopy(driven)
table["elements"] = {"push": {"type": "AppliedTorque", "on": "crank", "axes": "body", "values": {"m3": 2},
                              "law": {"type": "LinearTableLaw", "times": [0, 1], "values": [0, 1]}}}
s = summary("simulate", written(table), "--t-end", 1)
inertia = 4 * (0.4**2 + 0.1**2) / 12 + 4 * 0.2**2  # 4 kg about the hinge
expect(near(s["final"]["crank.omega"][2], 2 * 0.5 / inertia, 1e-5), s["final"]["crank.omega"], 1 / inertia)
slide = {"nodes": {"cart": {"group": "r1", "q": [1], "v": [0]}}, "parameters": {"stiffness": {"value": 40, "unit": "N/m"}},
         "elements": {"cart": {"type": "Slider", "on": "cart", "values": {"m": 10}},
                      "spring": {"type": "CoordinateSpring", "on": "cart", "values": {"k": "stiffness"}}}}
s = summary("simulate", written(slide), "--t-end", 1, "--rtol", 1e-9)
expect(near(s["final"]["cart.x"], math.cos(2), 1e-7), s["final"]["cart.x"], math.cos(2))
rub = {"bodies": {"block": {"shape": "box", "edges": [1, 1, 1], "mass": 3, "u": [0, 0, 0]}},
       "joints": {"rail": {"type": "prismatic", "between": ["ground", "block"], "axis": [1, 0, 0]}},
       "initial": {"rail": [0, 2]},
       "elements": {"rubbing": {"type": "ReactionFriction", "on": "rail", "reads": ["rail"], "count": 2,
                                "values": {"mu": 0.1, "v_s": 1e-4}}}}
del rub["bodies"]["block"]["u"]
s = summary("simulate", written(rub), "--t-end", 0.5)
expect(near(s["final"]["block.u"][0], 2 - 0.1 * 9.81 * 0.5, 1e-3), s["final"]["block.u"])
loop = {"bodies": {"crank": {"shape": "rod", "from": [0, 0, 0], "to": [0, 0, 1], "radius": 0.02, "mass": 1},
                   "coupler": {"shape": "rod", "from": [0, 0, 1], "to": [2, 0, 2], "radius": 0.02, "mass": 2},
                   "rocker": {"shape": "rod", "from": [2, 0, 0], "to": [2, 0, 2], "radius": 0.02, "mass": 2}},
        "joints": {"A": {"type": "revolute", "between": ["ground", "crank"], "axis": [0, 1, 0]},
                   "B": {"type": "universal", "between": ["crank", "coupler"], "point": [0, 0, 1],
                         "axis_in_a": [0, 1, 0], "axis_in_b": [1, 0, 0]},
                   "C": {"type": "spherical", "between": ["coupler", "rocker"], "point": [2, 0, 2]},
                   "D": {"type": "revolute", "between": ["ground", "rocker"], "point": [2, 0, 0], "axis": [0, 1, 0]}},
        "initial": {"A": 0.5}}
s = summary("simulate", written(loop), "--t-end", 0.2)
expect(s["termination"] == "reached_end" and s["max_position_residual"] < 1e-12, s["termination"])
# A built-in system with other values, and what a problem of optimal control says of its system.
s = summary("simulate", written({"name": "heavy_top", "set": {"top.m": 10}}), "--t-end", 0.1)
same = summary("simulate", "heavy_top", "--set", "top.m=10", "--t-end", 0.1)
expect(near(s["final"]["top.x"], same["final"]["top.x"], 1e-14), "a built-in system in a file")
turn = {"name": "turn", "system": {"bodies": {"body": {"mass": 1, "inertia": [1, 1, 1]}}, "gravity": [0, 0, 0]},
        "actuators": [{"name": "motor", "type": "torque", "node": "body", "axes": "body"}], "horizon": 1, "steps": 20,
        "end": {"body": {"q": [math.cos(0.5), 0, 0, math.sin(0.5), 0, 0, 0], "coordinates": [0, 1, 2],
                         "v": [0, 0, 0], "velocity_coordinates": [0, 1, 2]}},
        "cost": {"running": [{"of": f"motor.m{i}"} for i in (1, 2, 3)]}}
s = summary("control", written(turn, "turn.json"))
expect(s["status"] == "solved" and abs(s["cost"] / 12 - 1) < 0.02, "12 J² θ²/T³:", s["cost"])
written(turn["system"], "body.json")
other = summary("control", written(turn | {"system": "body.json"}, "turn.json"))
expect(near(other["cost"], s["cost"], 1e-12), "a problem with a system in a file", other["cost"])

# --- mistakes: the place and the remedy ---
ARM = """{
  "bodies": {
    "rod": {"shape": "rod", "from": [0, 0, 0], "to": [1, 0, 0], "radius": 0.1, "mass": 1}
  },
  "joints": {
    "hinge": {"type": "revolute", "between": ["ground", "rod"], "axis": [0, 1, 0]}
  },
  "elements": {
    "spring": {"type": "CoordinateSpring", "on": "hinge", "values": {"k": 3}}
  },
  "initial": {"hinge": 0.4}
}
"""
MISTAKES = [
    ('"shape": "rod"', '"shape": "rood"', "line 3, column 13 (bodies, rod, shape)", "there is no shape 'rood'; did you mean 'rod'?"),
    ('"radius": 0.1', '"radus": 0.1', "line 3, column 65 (bodies, rod, radus)", "did you mean 'radius'?"),
    ('"radius": 0.1', '"radius": "thin"', "line 3, column 65 (bodies, rod, radius)", "a number belongs here"),
    ('"to": [1, 0, 0]', '"to": [1, 0]', "line 3, column 48 (bodies, rod, to)", "3 numbers belong here, not 2"),
    ('"to": [1, 0, 0]', '"to": [0, 0, 0]', "line 3, column 5 (bodies, rod)", "give two different points"),
    (', "mass": 1', '', "line 3, column 5 (bodies, rod)", "neither a density nor a mass"),
    ('"mass": 1', '"mass": 1, "mass": 2', "line 3, column 91", "'mass' stands here a second time"),
    ('"type": "revolute"', '"type": "hinge"', "line 6, column 15 (joints, hinge, type)", "there is no type of joint 'hinge'"),
    ('"type": "revolute", ', '', "line 6, column 5 (joints, hinge)", "'type' is missing"),
    ('["ground", "rod"]', '["ground", "rodd"]', "line 6, column 5 (joints, hinge)", "did you mean 'rod'?"),
    ('["ground", "rod"]', '["rod"]', "line 6, column 35 (joints, hinge, between)", "the names of two bodies"),
    ('"axis": [0, 1, 0]', '"axis": [0, 0, 0]', "line 6, column 5 (joints, hinge)", "give a direction"),
    ('"type": "CoordinateSpring"', '"type": "CoordinateSprng"', "line 9, column 16 (elements, spring, type)", "did you mean 'CoordinateSpring'?"),
    ('"on": "hinge"', '"on": "hing"', "line 9, column 44 (elements, spring, on)", "there is no body, node, frame or joint 'hing'; did you mean 'hinge'?"),
    (', "on": "hinge"', '', "line 9, column 5 (elements, spring, on)", "the name of a body, node, frame or joint belongs here"),
    ('{"k": 3}', '{"kk": 3}', "line 9, column 70 (elements, spring, values, kk)", "there is no parameter 'kk'; choose 'k', 'd' or 's0'"),
    ('{"k": 3}', '{"k": "soft"}', "line 9, column 5 (elements, spring)", "soft"),
    ('{"k": 3}', '{"k": [3]}', "line 9, column 70 (elements, spring, values, k)", "a number belongs here, or the name of one of the"),
    ('{"k": 3}', '{"k": 3}, "law": 1', "line 9, column 79 (elements, spring, law)", "there is no key 'law'"),
    ('"hinge": 0.4', '"hinge": "up"', "line 11, column 15 (initial, hinge)", "[value, rate]"),
    ('"hinge": 0.4', '"hing": 0.4', "line 11, column 15 (initial, hing)", "an object {…} belongs here"),
    ('"mass": 1', '"mass": 1, "u": [1, 0, 0]', "line 3, column 5 (bodies, rod)", "give the rate of that joint"),
    ('"initial"', '"inital"', "line 11, column 3 (inital)", "did you mean 'initial'?"),
    ('"initial"', '"t_end": -1, "initial"', "line 11, column 3 (t_end)", "a positive number of seconds"),
    ('"initial"', '"set": {"rod.mm": 1}, "initial"', "line 11, column 11 (set, rod.mm)", "did you mean 'rod.m'?"),
    ('"initial"', '"group": "so3", "initial"', "line 11, column 3 (group)", "did you mean 'se3'?"),
    ('"initial"', '"nodes": {"n": {"group": "r0"}}, "initial"', "line 11, column 19 (nodes, n, group)", "there is no group 'r0' of nodes"),
    ('"initial"', '"beams": {"b": {"from": [0, 0, 0], "to": [0, 0, 0]}}, "initial"', "line 11, column 38 (beams, b, to)", "ends where it begins"),
]
for old, new, place, part in MISTAKES:
    assert ARM.count(old) == 1, old
    file = written(ARM.replace(old, new))
    status, out, err = run("simulate", file)
    expect(status == 2 and out == "" and err.startswith(f"liegrad: {file}, {place}") and err.count("\n") == 1 and part in err,
           f"{new}: expected '{place} … {part}', got status {status} and", out, err)
for text, part in (("{", "is no JSON: it ends where more is expected"), ("[]", "an object {…} belongs here"),
                   ("{}", 'there are no "bodies", "nodes" or "beams", and no "name" of a built-in system'),
                   ('{"name": "heavy_topp"}', "did you mean 'heavy_top'?"), ("", "is no JSON: it is empty")):
    status, out, err = run("simulate", written(text))
    expect(status == 2 and out == "" and part in err and err.count("\n") == 1, text, status, err)
status, out, err = run("simulate", scratch + "/none.json")
expect(status == 2 and "none.json cannot be read; name a file with a system" in err, err)
sys.exit(failures > 0)
END

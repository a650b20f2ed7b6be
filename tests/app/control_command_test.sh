#!/bin/sh
# `liegrad control`: problems in files, searches that begin with others, what is written when a search ends early, and
# what is refused.
# usage: control_command_test.sh PROGRAM
set -u
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 - "$program" "$scratch" <<'END'
import copy, csv, json, os, re, signal, subprocess, sys, time
program, scratch = sys.argv[1:]
failures = 0

def expect(holds, *what):
    global failures
    if not holds:
        failures += 1
        print(*what)

def run(*arguments):
    ended = subprocess.run([program, "control", *map(str, arguments)], capture_output=True, text=True)
    return ended.returncode, ended.stdout, ended.stderr

# One sentence on standard error, nothing else, status 2.
def refuses(part, *arguments):
    status, out, err = run(*arguments)
    expect(status == 2 and out == "" and err.startswith("liegrad: ") and err.count("\n") == 1 and part in err,
           "expected status 2 and", repr(part), "of", arguments, "but:", status, out, err)

summary_file = scratch + "/summary.json"

def summary(*arguments, status=0):
    if os.path.exists(summary_file):
        os.remove(summary_file)
    ended, out, err = run(*arguments, "--quiet", "--json", summary_file)
    expect(ended == status, arguments, "status", ended, "not", status, err)
    with open(summary_file) as file:
        result = json.load(file)
    result["stderr"] = err
    return result

# --- problems in files ---

PROBLEM = {
    "name": "raise_the_top",
    "system": {"name": "heavy_top", "set": {"top.m": 1, "top.omega2": 0, "top.omega3": 0}},
    "actuators": [{"name": "motor", "type": "torque", "node": "top", "axes": "body"}],
    "initial": {"top": {"v": [0, 0, 0, 0, 0, 0]}},
    "horizon": 1,
    "controls": {"motor.m3": {"min": -1, "max": 1, "guess": 0}},
    "end": {"top": {"q": [0.9659258262890683, 0.25881904510252074, 0, 0, 0, 0.8660254037844387, 0.5],
                    "coordinates": [0, 1, 2], "v": [0, 0, 0], "velocity_coordinates": [0, 1, 2]}},
    "cost": {"running": [{"of": "motor.m1"}, {"of": "motor.m2"}, {"of": "motor.m3"}]},
    "bounds": [{"of": "|fixed_point.lambda|", "max": 40}],
    "steps": 20}
problem_file = scratch + "/problem.json"

def written(problem):
    with open(problem_file, "w") as file:
        file.write(problem if isinstance(problem, str) else json.dumps(problem))
    return problem_file

s = summary(written(PROBLEM))
expect([control["unit"] for control in s["controls"]] == ["N m"] * 3, "units of controls:", s["controls"])
expect(s["status"] == "solved" and s["certificate"]["local_minimum"] and s["steps"] == 20, s["status"])
expect(s["problem"] == "raise_the_top", s["problem"])

fixed_cost = s["cost"]
s = summary(written(PROBLEM | {"parameters": {"top.m": {"min": 0.5, "max": 2}}}))
expect(s["status"] == "solved" and abs(s["parameters"]["top.m"] - 0.5) < 1e-6 and s["cost"] < fixed_cost,
       "a lighter top needs less torque:", s.get("parameters"), s["cost"], fixed_cost)

# The value at the end of a path of keys is replaced, or taken away.
def changed(path, value=None, remove=False):
    problem = copy.deepcopy(PROBLEM)
    at = problem
    for key in path[:-1]:
        at = at[key]
    if remove:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return problem

MISTAKES = [
    (["name"], 3, "name"),
    (["system"], "heavy_topp", "did you mean 'heavy_top'"),
    (["system"], [], "system"),
    (["system", "name"], "heavy_topp", "heavy_top"),
    (["system", "name"], 7, "name"),
    (["system", "group"], "so4", "group"),
    (["system", "bodies"], 1.5, "bodies"),
    (["system", "set"], [1], "set"),
    (["system", "set", "top.m"], "one", "top.m"),
    (["system", "set", "top.mm"], 1, "top.mm"),
    (["system", "sett"], {}, "sett"),
    (["actuators"], {}, "actuators"),
    (["actuators", 0], "motor", "actuators"),
    (["actuators", 0, "type"], "torqe", "torque"),
    (["actuators", 0, "node"], "topp", "topp"),
    (["actuators", 0, "axes"], "bodi", "body"),
    (["actuators", 0, "name"], 1, "name"),
    (["initial"], [], "initial"),
    (["initial", "tip"], {"v": [0]}, "tip"),
    (["initial", "top", "v"], [0, 0], "top"),
    (["initial", "top", "v"], ["a"], "v"),
    (["initial", "top", "w"], [0], "w"),
    (["horizon"], 0, "horizon"),
    (["horizon"], -1, "horizon"),
    (["horizon"], "one", "horizon"),
    (["horizon"], {"guess": 1, "min": 3, "max": 2}, "horizon"),
    (["horizon"], {"guess": 5, "max": 2}, "horizon"),
    (["horizon"], {"min": 1}, "guess"),
    (["controls"], [], "controls"),
    (["controls", "motor.m4"], {"min": 0}, "motor.m4"),
    (["controls", "motor.m3", "min"], 2, "exclude everything"),
    (["controls", "motor.m3", "mni"], 2, "min"),
    (["controls", "motor.m3", "guess"], "0", "guess"),
    (["parameters"], {"top.mass": {"min": 1}}, "top.mass"),
    (["parameters"], {"top.m": {"min": 2, "max": 1}}, "top.m"),
    (["end", "tip"], {"v": [0]}, "tip"),
    (["end", "top", "q"], [1, 0, 0, 0], "coefficients"),
    (["end", "top", "coordinates"], [7], "coordinate 7"),
    (["end", "top", "coordinates"], [0.5], "whole numbers"),
    (["end", "top", "v"], [0, 0], "velocity"),
    (["end", "top", "v_coordinates"], [0], "no key 'v_coordinates'"),
    (["periodic"], "top", "periodic"),
    (["periodic"], [1], "names of nodes"),
    (["periodic"], ["tip"], "tip"),
    (["periodic"], ["top"], "cannot be fixed as well"),
    (["cost"], [], "cost"),
    (["cost"], {}, "optimal"),
    (["cost", "running"], {}, "running"),
    (["cost", "runing"], [], "running"),
    (["cost", "running", 0, "of"], "motor.m5", "motor.m5"),
    (["cost", "running", 0, "of"], "top.x[4]", "top.x[4]"),
    (["cost", "running", 0, "of"], "top.x[a]", "top.x[a]"),
    (["cost", "running", 0, "of"], "top.x", "components"),
    (["cost", "running", 0, "of"], "top.y[1]", "top.y[1]"),
    (["cost", "running", 0, "weight"], "1", "weight"),
    (["cost", "running", 0, "power"], 3, "power"),
    (["cost", "running", 0, "target"], [], "target"),
    (["bounds"], {}, "bounds"),
    (["bounds", 0, "of"], "|joint.lambda|", "joint"),
    (["bounds", 0, "max"], -1, "positive max"),
    (["bounds", 0, "min"], 1, "no min"),
    (["bounds", 0, "at"], "start", "at"),
    (["bounds", 0, "mx"], 1, "max"),
    (["steps"], 1, "steps"),
    (["steps"], 10.5, "steps"),
    (["step"], 10, "steps"),
]
for path, value, part in MISTAKES:
    refuses(part, written(changed(path, value)))
for path in (["system"], ["system", "name"], ["actuators", 0, "type"], ["actuators", 0, "node"], ["horizon"], ["cost"],
             ["cost", "running", 0, "of"], ["bounds", 0, "of"]):
    refuses(path[-1] if isinstance(path[-1], str) else "", written(changed(path, remove=True)))
refuses("no controls", written(changed(["actuators"], remove=True)))
refuses("is no JSON: it ends where more is expected", written('{"system": '))
refuses("is no JSON: line 2, column 2 has a comma too many before '}'; remove it", written('{"horizon": 1,\n }'))
refuses("is no JSON: line 1, column 13 has 'x', where something else is expected", written('{"horizon": x}'))
refuses("an object", written("[1]"))
refuses("cannot be read", scratch + "/nothing.json")
refuses("--set is for built-in problems", written(PROBLEM), "--set", "T=1")

# --- problems that have no solution, and problems that make none ---

refuses("is violated by the initial values",
        written(changed(["bounds", 0], {"of": "top.v[1]", "min": 1})))
refuses("outside its bounds", written(changed(["controls", "motor.m3"], {"min": 1, "max": 2}) |
                                      {"horizon": {"guess": 1, "min": 2}}))
refuses("horizon", "reorientation", "--set", "T=0")
refuses("at least 2", "reorientation", "--steps", 1)
refuses("did you mean", "reorientatoin")
refuses("did you mean", "reorientation", "--transcription", "shootin")
refuses("linear-solver", "reorientation", "--linear-solver", "ma27")
refuses("takes NAME=VALUE", "reorientation", "--ipopt", "max_iter")
refuses("segments", "reorientation", "--transcription", "multiple-shooting", "--steps", 10, "--segments", 11)

unreachable = changed(["bounds"], []) | {"controls": {"motor.m%d" % i: {"min": -0.1, "max": 0.1} for i in (1, 2, 3)}}
s = summary(written(unreachable), "--out", scratch + "/motion.csv", status=3)
expect(s["status"] != "solved" and s["certificate"] is None, s["status"])
expect(len(s["violations"]) == 5 and s["violations"][0]["size"] >= s["violations"][4]["size"] > 0, s["violations"])
expect(all(v["name"] and 0 <= v["step"] <= 20 and abs(v["time"] - v["step"] / 20) < 1e-12 for v in s["violations"]),
       s["violations"])
expect(s["violations"][0]["name"] in s["stderr"], s["stderr"])
with open(scratch + "/motion.csv") as file:
    rows = list(csv.DictReader(file))
expect(len(rows) == 21 and all(abs(float(rows[10]["motor.m%d" % i])) <= 0.1 + 1e-6 for i in (1, 2, 3)), len(rows))

# --- searches that begin with others ---

solution_file = scratch + "/solution.json"
first = summary("spherical_pendulum", "--steps", 40, "--set", "reaction_limit=13", "--write", solution_file)
again = summary("spherical_pendulum", "--steps", 40, "--set", "reaction_limit=13", "--warm-start", solution_file)
expect(again["iterations"] <= 3 < first["iterations"], "warm start:", first["iterations"], again["iterations"])
expect(abs(again["cost"] / first["cost"] - 1) < 1e-8, first["cost"], again["cost"])
finer = summary("spherical_pendulum", "--steps", 80, "--set", "reaction_limit=13", "--warm-start", solution_file)
expect(finer["status"] == "solved", finer["status"])
for field, value, part in (("problem", "crane", "crane"), ("points", 3, "points"), ("formulation", "index4", "index3"),
                           ("x", "x", "numbers"), ("status", "fine", "status"), ("cots", 1, "cost"),
                           ("parameters", [1], "another system")):
    with open(solution_file) as file:
        content = json.load(file)
    content[field] = value
    with open(scratch + "/bad.json", "w") as file:
        json.dump(content, file)
    refuses(part, "spherical_pendulum", "--steps", 40, "--warm-start", scratch + "/bad.json")
refuses("cannot be read", "spherical_pendulum", "--warm-start", scratch + "/none.json")

# --- Radau steps ---

radau = ["spherical_pendulum", "--method", "radau-3", "--steps", 20]
s = summary(*radau, "--write", scratch + "/radau.json")
expect(s["method"] == "radau-3" and abs(s["cost"] - 27.068388) < 1e-5, "cost of Radau steps", s["cost"])
expect(s["certificate"]["local_minimum"] and s["certificate"]["resimulation_miss"] < 1e-5, s["certificate"])
again = summary(*radau, "--warm-start", scratch + "/radau.json")
expect(again["iterations"] <= 1, "iterations from a solution with stages:", again["iterations"])
from_radau = summary("spherical_pendulum", "--steps", 20, "--warm-start", scratch + "/radau.json")
expect(from_radau["method"] == "lie-alpha" and from_radau["status"] == "solved", "a start from another method", from_radau["status"])
with open(scratch + "/radau.json") as file:
    stages_file = json.load(file)
for wrong, part in ((3, "a list of stages"), ([[{"t": 0}]], "stages 1")):
    with open(scratch + "/bad.json", "w") as file:
        json.dump({**stages_file, "stages": wrong}, file)
    refuses(part, *radau, "--warm-start", scratch + "/bad.json")
stages_file["stages"][0][0]["eta"] = []
with open(scratch + "/bad.json", "w") as file:
    json.dump(stages_file, file)
refuses("0 stabilising multipliers, not 3", *radau, "--warm-start", scratch + "/bad.json")
refuses("did you mean 'radau-2' or 'radau-3'", "reorientation", "--method", "radau-4")
refuses("--rho belongs to lie-alpha, not to radau-2", "reorientation", "--method", "radau-2", "--rho", 0.8)
refuses("need the simultaneous transcription", "reorientation", "--method", "radau-2", "--transcription", "shooting")
refuses("gains are there for generalized-alpha", "reorientation", "--method", "radau-2", "--gains", scratch + "/g.csv")
refuses("constant controls need Radau steps", "reorientation", "--controls", "constant")
refuses("choose one", "reorientation", "--refine", "1e-4", "--starts", 2)
refuses("leave --warm-start out", "reorientation", "--starts", 2, "--warm-start", solution_file)
refuses("--starts takes", "reorientation", "--starts", 0)
refuses("--continue takes", "reorientation", "--continue", "angle")
refuses("--continue takes", "reorientation", "--continue", "angle=1")
refuses("angle", "reorientation", "--continue", "angel=1,2")
refuses("positive", "reorientation", "--refine", 0)

s = summary("reorientation", "--steps", 10, "--refine", "1e-4")
grids = s["refinement"]["grids"]
expect(s["refinement"]["reached"] and [g["steps"] for g in grids] == [10 * 2 ** k for k in range(len(grids))], grids)
expect(abs(grids[-1]["order"] - 2) < 0.05, grids[-1])
true_error = abs(grids[-1]["cost"] - 48)
expect(true_error / 3 < grids[-1]["error"] < 3 * true_error and abs(grids[-1]["extrapolated"] - 48) < 1e-4, grids[-1])

s = summary("spherical_pendulum", "--steps", 20, "--continue", "reaction_limit=20,13,4")
path = s["continuation"]["path"]
expect(s["continuation"]["reached"] and path[-1]["value"] == 13 and path[0]["value"] == 20, path)
expect(path[-1]["cost"] > path[0]["cost"] and len(path) >= 5, path)
direct = summary("spherical_pendulum", "--steps", 20, "--set", "reaction_limit=13")
expect(abs(direct["cost"] / s["cost"] - 1) < 1e-7, direct["cost"], s["cost"])

# Two valleys of the cart-pole, both minima: the cart moves back first, or not.
s = summary("cart_pole", "--steps", 40, "--starts", 6)
basins = s["starts"]["basins"]
expect(sorted(i for b in basins for i in b["starts"]) + [u["start"] for u in s["starts"]["unsolved"]] and
       sum(len(b["starts"]) for b in basins) + len(s["starts"]["unsolved"]) == 6, s["starts"])
expect(s["cost"] == basins[0]["cost"] or abs(s["cost"] / basins[0]["cost"] - 1) < 1e-6, s["cost"], basins)

# --- meshes ---

refuses("choose one", "reorientation", "--steps", 10, "--mesh", "0,0.5,1")
refuses("from 0 at its start to 1", "reorientation", "--mesh", "0,0.5,2")
refuses("--mesh", "reorientation", "--mesh", "0,a,1")
refuses("give both", "reorientation", "--adapt-mesh")
refuses("mesh", written(PROBLEM | {"mesh": [0, 1]}))
s = summary("reorientation", "--mesh", "0,0.1,0.2,0.4,0.6,0.8,0.9,1", "--out", scratch + "/motion.csv")
with open(scratch + "/motion.csv") as file:
    times = [float(row["t"]) for row in csv.DictReader(file)]
expect(s["status"] == "solved" and s["steps"] == 7 and abs(times[3] - 0.4) < 1e-12, s["status"], times)
s = summary("time_optimal_reorientation", "--steps", 20, "--refine", "1e-3", "--adapt-mesh")
expect(s["refinement"]["reached"] and s["refinement"]["grids"][-1]["step_ratio"] > 1.5, s["refinement"])

# --- several phases ---

s = summary("drop_payload", "--steps", 40, "--out", scratch + "/motion.csv", "--plot", scratch + "/plot.svg")
expect(s["status"] == "solved" and s["certificate"]["local_minimum"] and len(s["phases"]) == 2, s["status"])
expect(abs(s["t_end"] - 6) < 1e-9 and abs(s["cost"] - sum(p["cost"] for p in s["phases"])) < 1e-9 * s["cost"], s["cost"])
with open(scratch + "/motion.csv") as file:
    rows = list(csv.DictReader(file))
expect(len(rows) == 82 and rows[40]["phase"] == "1" and rows[41]["phase"] == "2" and
       abs(float(rows[40]["t"]) - float(rows[41]["t"])) < 1e-12 and abs(float(rows[40]["payload.x.1"]) - 3) < 1e-6,
       rows[40], rows[41])
for option, part in ((("--gains", scratch + "/gains.csv"), "--gains"), (("--mesh", "0,0.5,1"), "--mesh"),
                     (("--transcription", "shooting"), "simultaneous")):
    refuses("has phases", "drop_payload", *option)
    refuses(part, "drop_payload", *option)
first = summary("drop_payload", "--steps", 20, "--write", solution_file)
again = summary("drop_payload", "--steps", 20, "--warm-start", solution_file)
expect(again["iterations"] <= 3 < first["iterations"] and abs(again["cost"] / first["cost"] - 1) < 1e-8,
       "warm start of phases:", first["iterations"], again["iterations"])
refuses("a solution of several phases", "crane", "--steps", 20, "--warm-start", solution_file)
with open(solution_file) as file:
    content = json.load(file)
content["phases"].pop()
with open(scratch + "/bad.json", "w") as file:
    json.dump(content, file)
refuses("a list of 2 phases", "drop_payload", "--steps", 20, "--warm-start", scratch + "/bad.json")
s = summary("drop_payload", "--steps", 10, "--refine", "1e-2")
expect(s["refinement"]["reached"] and [g["steps"] for g in s["refinement"]["grids"]][:2] == [20, 40], s["refinement"])
s = summary("drop_payload", "--steps", 20, "--continue", "T=6,5.5,2")
expect(s["continuation"]["reached"] and abs(s["t_end"] - 5.5) < 1e-9, s["continuation"])
s = summary("drop_payload", "--steps", 15, "--starts", 2)
expect(sum(len(b["starts"]) for b in s["starts"]["basins"]) + len(s["starts"]["unsolved"]) == 2, s["starts"])

TURN = {
    "name": "through_anywhere", "steps": 20,
    "system": {"name": "free_body", "set": {}},
    "actuators": [{"name": "motor", "type": "torque", "node": "body", "axes": "body"}],
    "initial": {"body": {"v": [0, 0, 0, 0, 0, 0]}},
    "cost": {"running": [{"of": "motor.m1"}, {"of": "motor.m2"}, {"of": "motor.m3"}]},
    "phases": [{"horizon": 0.5},
               {"horizon": 0.5, "end": {"body": {"q": [0.8775825618903728, 0, 0, 0.479425538604203, 0, 0, 0],
                                                 "coordinates": [0, 1, 2], "v": [0, 0, 0],
                                                 "velocity_coordinates": [0, 1, 2]}}}],
    "links": [{"keep_controls": ["motor.m1", "motor.m2", "motor.m3"]}]}
ONE = {key: value for key, value in TURN.items() if key not in ("phases", "links")} | TURN["phases"][1] | {
    "horizon": 1, "steps": 40}
both, one = summary(written(TURN)), summary(written(ONE))
expect(both["status"] == "solved" and abs(both["cost"] / one["cost"] - 1) < 1e-7, both["cost"], one["cost"])
fewer = summary(written(TURN), "--steps", 10)
expect(fewer["steps"] == 20 and [p["steps"] for p in fewer["phases"]] == [10, 10], fewer["phases"])
for key, value, part in (("phases", {}, "phases"), ("phases", [], "phases"), ("phases", [1], "an object"),
                         ("links", [{}, {}], "but the first"), ("links", [{"free_velocities": ["bodi"]}], "body"),
                         ("links", [{"free_velocities": "body"}], "a list"), ("links", [{"keep": []}], "keep_controls"),
                         ("links", [{"conditions": [{"name": "c"}]}], "terms"),
                         ("links", [{"conditions": [{"name": "c", "terms": [{"of": "body.v[1]", "side": "left"}]}]}],
                          "before"),
                         ("total_time", 1, "no phase has a free horizon"), ("total_time", "1", "total_time")):
    refuses(part, written(TURN | {key: value}))

# --- limits of time and of iterations, Ctrl-C: the best iterate is written ---

began = time.monotonic()
s = summary("spherical_pendulum", "--steps", 8000, "--set", "reaction_limit=12", "--time-limit", 1, status=3)
expect(s["status"] == "time limit", s["status"])
expect(time.monotonic() - began < 30, "a time limit of 1 s ends after", time.monotonic() - began)

# A compiler that never ends is ended with the search that needs it.
slow = scratch + "/slow-compiler"
with open(slow, "w") as file:
    file.write("#!/bin/sh\nexec sleep 300\n")
os.chmod(slow, 0o755)
began = time.monotonic()
ended = subprocess.run([program, "control", "two_link_arm", "--steps", "7", "--time-limit", "1", "--quiet"],
                       capture_output=True, text=True, env=os.environ | {"LIEGRAD_CC": slow, "XDG_CACHE_HOME": scratch + "/kernels"})
expect(ended.returncode in (0, 3) and time.monotonic() - began < 30, "a compiler outlives the time limit:",
       ended.returncode, ended.stderr, time.monotonic() - began)

# --- long grids begin with coarse ones, and figures have units ---

s = summary("reorientation", "--steps", 1100, "--plot", scratch + "/plot.svg")
expect(s["status"] == "solved" and abs(s["cost"] / 48 - 1) < 4 / 1100 ** 2 and
       any("began with 137 steps" in choice for choice in s["choices"]), s["cost"], s["choices"])
with open(scratch + "/plot.svg") as file:
    figure = file.read()
for words in ("controls (N m)", "velocities (rad/s)", "costates of positions (cost/rad)", "Hamiltonian (cost/s)", "t (s)"):
    expect(words in figure, words, "is not in the figure")
s = summary("spherical_pendulum", "--steps", 4000, "--set", "reaction_limit=12")
expect(s["status"] == "solved" and s["certificate"]["local_minimum"] and s["iterations"] < 40 and
       any("index2" in choice for choice in s["choices"]), s["status"], s["iterations"], s["choices"])

s = summary("spherical_pendulum", "--steps", 800, "--set", "reaction_limit=12", "--max-iterations", 5,
            "--out", scratch + "/motion.csv", "--write", solution_file, status=3)
expect(s["status"] == "iteration limit" and s["iterations"] > 0, s["status"], s["iterations"])
expect(len(s["violations"]) > 0, s["violations"])
with open(scratch + "/motion.csv") as file:
    expect(len(file.readlines()) == 802, "rows of the best iterate")
s = summary("spherical_pendulum", "--steps", 800, "--set", "reaction_limit=12", "--warm-start", solution_file,
            "--max-iterations", 1, status=3)
expect(s["status"] == "iteration limit", s["status"])

process = subprocess.Popen([program, "control", "spherical_pendulum", "--steps", "4000", "--set", "reaction_limit=12",
                            "--quiet", "--json", summary_file, "--write", solution_file],
                           stderr=subprocess.PIPE, text=True,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
time.sleep(1)
process.send_signal(signal.SIGINT)
try:
    _, err = process.communicate(timeout=60)
    expect(process.returncode == 130, "interrupted:", process.returncode, err)
    with open(summary_file) as file:
        expect(json.load(file)["status"] == "interrupted", "status of an interrupted search")
    with open(solution_file) as file:
        expect(len(json.load(file)["points"]) == 4001, "points of an interrupted search")
except subprocess.TimeoutExpired:
    process.kill()
    expect(False, "an interrupted search does not end")
sys.exit(1 if failures else 0)
END

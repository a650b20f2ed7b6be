#!/bin/sh
# `liegrad static` and `liegrad modes`: tables, summaries, figures and what is refused.
# usage: statics_commands_test.sh PROGRAM
set -u
. "$(dirname "$0")/command_test.sh"

says 0 'equilibrium found' static cantilever
says 0 'tip.displacement' static cantilever --set tip.load.f3=-5
says 0 'frequency/Hz' modes cantilever --count 3
says 0 'Usage: liegrad static' static --help
says 0 'Usage: liegrad modes' modes --help
says 2 "there is no parameter 'tip.load.f4'" static cantilever --set tip.load.f4=1
says 2 "element 'beam.beam1' has EI2 = -1; it must be positive." static cantilever --set EI=-1
says 2 'the number of elements must be a whole number from 1 to 10 million' static cantilever --set elements=0
says 2 'there are 0 load steps; at least 1 is needed' static cantilever --load-steps 0
says 2 'the number of modes is 0; it must be at least 1' modes cantilever --count 0
says 2 'velocities; modes are found with dense matrices' modes cantilever --set elements=600
says 3 'where the system can move freely; hold it there' static free_body

"$program" static cantilever --set tip.moment.m3=1099.557428756 gravity3=0 --load-steps 10 --quiet \
  --json "$scratch/static" --out "$scratch/path.csv" --plot "$scratch/shape.svg" || fail 'static failed'
"$program" modes cantilever --set gravity3=0 elements=40 --quiet --json "$scratch/modes" \
  --out "$scratch/modes.csv" --plot "$scratch/modes.svg" || fail 'modes failed'
python3 - "$scratch" <<'END' || failures=$((failures + 1))
import csv, json, math, sys
import xml.etree.ElementTree as tree
folder = sys.argv[1]
# A moment of 2 pi EI/L: the tip is back at the root.
static = json.load(open(folder + "/static"))
assert static["converged"] and static["load"] == 1 and static["load_steps"] == 10
assert max(abs(x) for x in static["final"]["tip.x"]) < 1e-6, static["final"]["tip.x"]
rows = list(csv.DictReader(open(folder + "/path.csv")))
assert len(rows) == static["load_steps"] and float(rows[-1]["load"]) == 1
modes = json.load(open(folder + "/modes"))
assert modes["undamped"] and modes["degrees_of_freedom"] == 240 and len(modes["modes"]) == 10
# Two directions of bending have the same frequency.
first = 1.8751**2 / (2 * math.pi) * math.sqrt(175 / 0.785)
for mode in modes["modes"][:2]:
    assert abs(mode["frequency"] - first) < 2e-3 * first, mode
rows = list(csv.DictReader(open(folder + "/modes.csv")))
assert len(rows) == 10 and len(rows[0]) == 3 + 2 * 246
for name in ("shape", "modes"):
    tree.parse(folder + "/" + name + ".svg")
END

exit $failures

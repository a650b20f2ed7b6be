#!/bin/sh
# Ctrl-C and SIGTERM end a run at its next step: what there is is written, and the status is 130.
# usage: interrupt_test.sh PROGRAM
set -u
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 - "$program" "$scratch" <<'END'
import csv, json, os, signal, subprocess, sys, time
program, scratch = sys.argv[1:]
failures = 0

def expect(holds, *what):
    global failures
    if not holds:
        failures += 1
        print(*what)

def default_signals():
    signal.signal(signal.SIGINT, signal.SIG_DFL)

# Sends signals after so many seconds each; returns the status and what was said on standard error.
def interrupt(arguments, signals=(signal.SIGINT,), after=1.0, preparation=default_signals):
    process = subprocess.Popen([program] + arguments.split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, preexec_fn=preparation)
    for one in signals:
        time.sleep(after)
        process.send_signal(one)
    try:
        out, err = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        return None, "does not end", ""
    return process.returncode, err, out

summary_file, rows_file = scratch + "/summary", scratch + "/rows.csv"

def summary():
    with open(summary_file) as file:
        result = json.load(file)
    os.remove(summary_file)
    return result

# A run: rows up to the last, and a summary that belongs to it.
for one in signal.SIGINT, signal.SIGTERM:
    status, err, out = interrupt(f"simulate heavy_top --t-end 1e5 --out {rows_file} --json {summary_file}", [one])
    expect(status == 130, one, "status", status, err)
    expect(err.strip().splitlines()[-1].startswith("liegrad: interrupted at t = "), err)
    expect("ended                  = interrupted" in out, out)
    s = summary()
    with open(rows_file) as file:
        text = file.read()
    rows = list(csv.DictReader(text.splitlines()))
    expect(s["termination"] == "interrupted" and s["steps"] > 0, s["termination"])
    expect(text.endswith("\n") and None not in rows[-1].values() and len(rows) == s["steps"] + 1, len(rows), s["steps"])
    expect(float(rows[-1]["t"]) == s["final"]["time"], rows[-1]["t"], s["final"]["time"])

# The other commands: in the reference, in the run, in sweeps and in differences.
status, err, out = interrupt(f"converge heavy_top --steps 1e-3 --t-end 2e4 --json {summary_file}")
s = summary()
expect(status == 130 and s["termination"] == "interrupted" and s["rows"] == [], status, err, s)
run = f"heavy_top --of top.x --wrt top.m --quiet --json {summary_file}"
for arguments in ("sensitivity --t-end 2000 --memory 10", "sensitivity --t-end 100 --mode difference",
                  "sensitivity --t-end 2000 --memory 0.1", "check-derivatives --t-end 100 --taylor"):
    command, options = arguments.split(" ", 1)
    status, err, out = interrupt(f"{command} {run} {options}")
    expect(status == 130 and err == "liegrad: interrupted.\n" and out == "", arguments, status, err, out)
    expect(summary()["termination"] == "interrupted", arguments)

# The second one ends at once, without a summary.
# Here the first waits for the reader of a pipe.
os.mkfifo(scratch + "/pipe")
status, err, out = interrupt(f"simulate heavy_top --t-end 1e5 --quiet --json {scratch}/pipe", [signal.SIGINT] * 2)
expect(status == 130 and err == "", status, err)

# A compiler that is running ends as well, and leaves nothing.
os.mkdir(scratch + "/tmp")
with open(scratch + "/slow-cc", "w") as file:
    file.write('#!/bin/sh\n[ "$1" = --version ] && exec echo slow\nexec sleep 60\n')
os.chmod(scratch + "/slow-cc", 0o700)

def slow_compiler():
    default_signals()
    os.environ.update(TMPDIR=scratch + "/tmp", LIEGRAD_CC=scratch + "/slow-cc", LIEGRAD_KERNELS="none",
                      XDG_CACHE_HOME=scratch)

for one in signal.SIGINT, signal.SIGTERM:
    status, err, out = interrupt("simulate heavy_top --t-end 1e5", [one], preparation=slow_compiler)
    expect(status == 130 and "the C compiler was interrupted" in err, one, status, err)
    expect(os.listdir(scratch + "/tmp") == [], os.listdir(scratch + "/tmp"))

# What the caller ignores stays ignored.
def ignore_signals():
    signal.signal(signal.SIGINT, signal.SIG_IGN)

status, err, out = interrupt("simulate heavy_top --t-end 30", preparation=ignore_signals, after=0.3)
expect(status == 0, "ignored:", status, err)
sys.exit(failures)
END

# What tests of the command have in common. A test sources it at its start, with its first argument still in place:
#
#     set -u
#     command=simulate    # or several, or none
#     . "$(dirname "$0")/command_test.sh"
#     …
#     exit $failures
#
# It has $program, a folder $scratch that is removed at the end, and these functions.
program=$1
: "${command=}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

fail() {
  failures=$((failures + 1))
  echo "$*"
}

# says STATUS TEXT [ARGUMENT...]: the text is in what is printed, on one stream or the other.
says() {
  status=$1 text=$2
  shift 2
  "$program" $command "$@" >"$scratch/printed" 2>&1
  actual=$?
  if [ $actual -ne "$status" ] || ! grep -qF -- "$text" "$scratch/printed"; then
    fail "liegrad $command $*: expected status $status and '$text', got status $actual and
$(cat "$scratch/printed")"
  fi
}

# refuses SENTENCE [ARGUMENT...]: status 2, the sentence alone on standard error, nothing else.
refuses() {
  refuses_with_status 2 "$@"
}

# refuses_with_status STATUS SENTENCE [ARGUMENT...]: the same with another status.
refuses_with_status() {
  status=$1 sentence=$2
  shift 2
  printed=$("$program" $command "$@" 2>"$scratch/stderr")
  actual=$?
  if [ $actual -ne "$status" ] || [ -n "$printed" ] || [ "$(cat "$scratch/stderr")" != "liegrad: $sentence" ]; then
    fail "liegrad $command $*: expected status $status and '$sentence', got status $actual and
$printed$(cat "$scratch/stderr")"
  fi
}

# draws WORDS [ARGUMENT...]: --plot writes a figure, well-formed SVG, that has these words.
draws() {
  words=$1
  shift
  "$program" $command "$@" --quiet --plot "$scratch/figure.svg" || fail "liegrad $command $* --plot: status $?"
  python3 - "$scratch/figure.svg" "$words" <<'END' || fail "liegrad $command $* --plot: no figure with '$words'"
import sys, xml.etree.ElementTree as xml
svg = "{http://www.w3.org/2000/svg}"
figure = xml.parse(sys.argv[1]).getroot()
texts = ["".join(text.itertext()) for text in figure.iter(svg + "text")]
marks = list(figure.iter(svg + "polyline")) + list(figure.iter(svg + "rect"))
sys.exit(not (figure.tag == svg + "svg" and len(marks) > 1 and any(sys.argv[2] in text for text in texts)))
END
}

#!/bin/sh
# `liegrad cache`: what it lists and removes, and what it refuses.
# usage: cache_command_test.sh PROGRAM
set -u
. "$(dirname "$0")/command_test.sh"
XDG_CACHE_HOME="$scratch/it's a cache"
export XDG_CACHE_HOME
cache="$XDG_CACHE_HOME/liegrad"

# expect STATUS TEXT [ARGUMENT...]: all that is printed, on one stream or the other.
expect() {
  status=$1 text=$2
  shift 2
  printed=$("$program" cache "$@" 2>"$scratch/stderr")
  actual=$?
  [ $actual -eq 0 ] || [ -z "$printed" ] && printed=$printed$(cat "$scratch/stderr")
  if [ $actual -ne "$status" ] || [ "$printed" != "$text" ]; then
    failures=$((failures + 1))
    printf 'liegrad cache %s: expected status %s and\n%s\ngot status %s and\n%s\n' \
      "$*" "$status" "$text" $actual "$printed"
  fi
}

# Nothing there: said, and nothing made.
expect 0 "0 files, 0 B in $cache"
expect 0 "removed 0 files, 0 B in $cache" --clear
[ ! -e "$XDG_CACHE_HOME" ] || { echo "looking made $XDG_CACHE_HOME"; failures=$((failures + 1)); }

mkdir -p "$cache"
chmod 700 "$cache"
head -c 3000 /dev/zero >"$cache/first-1.so"
head -c 20 /dev/zero >"$cache/second-2.so"
head -c 7 /dev/zero >"$cache/unfinished-old"
head -c 9 /dev/zero >"$cache/unfinished-new"
touch -d '2 days ago' "$cache/first-1.so"
touch -d '2 hours ago' "$cache/second-2.so" "$cache/unfinished-old"
expect 0 "name            size         age
first-1      2.9 KiB    2.0 days
second-2        20 B       2.0 h
2 files, 2.9 KiB in $cache"
expect 0 '' --quiet
expect 0 '' --quiet --json "$scratch/summary"
"$program" cache --verbose | grep -qF "$cache/first-1.so" || failures=$((failures + 1))
"$program" cache --json - >"$scratch/list"
python3 - "$scratch/list" "$scratch/summary" "$cache" <<'END' || failures=$((failures + 1))
import json, sys
first, second = (json.load(open(name)) for name in sys.argv[1:3])
for summary in first, second:
    assert summary["directory"] == sys.argv[3], summary
    assert summary["total_bytes"] == 3020, summary
    assert [(e["name"], e["bytes"]) for e in summary["entries"]] == \
        [("first-1", 3000), ("second-2", 20)], summary
    assert 0 <= summary["entries"][0]["age_seconds"] - 172800 < 600, summary
END

expect 2 "liegrad: $scratch/none/x cannot be written: No such file or directory." \
  --quiet --json "$scratch/none/x"
expect 0 "removed 3 files, 3.0 KiB in $cache" --clear
expect 0 "0 files, 0 B in $cache"
[ -e "$cache/unfinished-new" ] || { echo "unfinished work was removed"; failures=$((failures + 1)); }

chmod 770 "$cache"
expect 2 "liegrad: $cache is not safe to load code from: others may write to it."
expect 2 "liegrad: $cache is not safe to load code from: others may write to it." --clear
unset XDG_CACHE_HOME HOME
expect 2 "liegrad: neither XDG_CACHE_HOME nor HOME names a directory."
expect 2 'liegrad: unexpected argument '\''clear'\''; `liegrad cache --help` shows what is accepted.' clear

exit $failures

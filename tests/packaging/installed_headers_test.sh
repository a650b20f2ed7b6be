#!/bin/sh
# What a user finds in an installed tree: the headers that are named, what these include, and nothing else.
# usage: installed_headers_test.sh PREFIX PUBLIC_HEADERS SOURCES
set -eu
include=$1/include
public=$2
sources=$3

fail() {
  printf 'installed_headers_test: %s\n' "$*" >&2
  exit 1
}

installed=$(cd "$include" && find liegrad -name '*.hpp' -not -path 'liegrad/third_party/*' | sort)

# Whatever is marked is there, and whatever a page or an example tells to include is marked.
while read -r header; do
  [ -f "$include/$header" ] || fail "$header is public and not installed"
done <"$public"
told=$(grep -rhoE '#include [<"]liegrad/[^>"]+' "$sources/README.md" "$sources/docs" "$sources/examples" |
  sed 's/.*[<"]//' | sort -u)
[ -n "$told" ] || fail "no page has an #include"
for header in $told; do
  grep -qxF "$header" "$public" || fail "$header is in a page or an example, and not public"
done

# What they include is there, and nothing else is.
reached=$(sort -u "$public")
while :; do
  next=$({
    printf '%s\n' "$reached"
    for header in $reached; do sed -n 's|^#include "\(liegrad/[^"]*\)".*|\1|p' "$include/$header"; done
  } | sort -u)
  [ "$next" != "$reached" ] || break
  reached=$next
done
[ "$installed" = "$reached" ] || {
  printf '%s\n' "$installed" >installed.txt
  printf '%s\n' "$reached" >reached.txt
  fail "installed headers and those that users reach differ:
$(diff installed.txt reached.txt)"
}

# The insides stay inside.
for header in control/ipopt_blocks.hpp dae/equations/assembly.hpp dae/run/newton.hpp dae/linear/block_lu.hpp \
  ad/codegen/derive.hpp sensitivity/step/entries.hpp optimize/fit/engine.hpp; do
  [ -f "$sources/$header" ] || [ -f "$sources/optimize/$header" ] || fail "there is no $header any more: name another"
  [ ! -e "$include/liegrad/$header" ] || fail "$header is installed"
done
count=$(printf '%s\n' "$installed" | wc -l)
[ "$count" -le 170 ] || fail "$count headers are installed; keep what users reach small"

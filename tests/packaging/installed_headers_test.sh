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
  case $header in
    liegrad/lie/* | liegrad/elements/*) ;;
    *) grep -qF "\`${header#liegrad/}\`" "$sources/docs/README.md" || fail "$header is not in docs/README.md" ;;
  esac
done <"$public"
told=$(grep -rhoE '#include [<"]liegrad/[^>"]+' "$sources/README.md" "$sources/docs" "$sources/examples" |
  sed 's/.*[<"]//' | sort -u)
[ -n "$told" ] || fail "no page has an #include"
for header in $told; do
  grep -qxF "$header" "$public" || fail "$header is in a page or an example, and not public"
done

# reached_from HEADERS: these and all that they include of ours.
reached_from() {
  from=$(printf '%s\n' "$1" | sort -u)
  while :; do
    next=$({
      printf '%s\n' "$from"
      for header in $from; do sed -n 's|^#include "\(liegrad/[^"]*\)".*|\1|p' "$include/$header"; done
    } | sort -u)
    [ "$next" != "$from" ] || break
    from=$next
  done
  printf '%s\n' "$from"
}

# What they include is there, and nothing else is.
reached=$(reached_from "$(cat "$public")")
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
# Programs that use what the library has compiled do not read CppAD, which takes longer than all else.
for header in dae/integrate.hpp dae/simulator.hpp models/models.hpp elements/bodies/rigid_body.hpp \
  elements/joints/revolute_joint.hpp elements/coordinates/driven_coordinate.hpp elements/mechanism/mechanism.hpp \
  sensitivity/sensitivity.hpp optimize/fit/fit.hpp; do
  list=$(reached_from "liegrad/$header")
  ! printf '%s\n' "$list" | grep -qx 'liegrad/ad/scalar.hpp' || fail "$header reads CppAD"
  brought=$(printf '%s\n' "$list" | wc -l)
  [ "$brought" -le 50 ] || fail "$header brings $brought headers"
done
[ "$(reached_from liegrad/dae/integrate.hpp | wc -l)" -le 36 ] || fail 'dae/integrate.hpp brings more than 36 headers'

count=$(printf '%s\n' "$installed" | wc -l)
[ "$count" -le 170 ] || fail "$count headers are installed; keep what users reach small"

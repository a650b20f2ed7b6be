#!/bin/bash
# Completions in bash, asked for as the shell does when Tab is pressed.
# usage: completion_command_test.sh PROGRAM
set -u
program=$1
failures=0

source <("$program" completion bash) || exit 1

# offers "WORDS TYPED" EXPECTED…: the words that are offered for the last one, among them all that are expected;
# a word after ! is not offered.
offers() {
  # A space at the end begins a new word.
  read -ra COMP_WORDS <<<"$1"
  [[ $1 == *' ' ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  local typed=$1 word
  shift
  COMPREPLY=()
  _liegrad
  for word in "$@"; do
    if [[ $word == !* ]]; then
      [[ " ${COMPREPLY[*]} " != *" ${word:1} "* ]] && continue
      echo "after '$typed' ${word:1} is offered: ${COMPREPLY[*]}"
    else
      [[ " ${COMPREPLY[*]} " == *" $word "* ]] && continue
      echo "after '$typed' $word is not offered: ${COMPREPLY[*]}"
    fi
    failures=$((failures + 1))
  done
}

offers 'liegrad si' simulate '!static'
offers 'liegrad --' --version --help
offers 'liegrad simulate ' heavy_top andrews four_bar '!time_optimal_reorientation'
offers 'liegrad simulate he' heavy_top '!andrews'
offers 'liegrad control ti' time_optimal_reorientation '!heavy_top'
offers 'liegrad models ch' chain
offers 'liegrad simulate heavy_top --me' --method '!--mode'
offers 'liegrad sensitivity heavy_top --mo' --mode
offers 'liegrad simulate heavy_top --method r' radau-3 rkmk-54 '!lie-alpha'
offers 'liegrad simulate heavy_top --formulation ' index3 index2 stabilized
offers 'liegrad fit x --format ' csv tum euroc
offers 'liegrad completion ' bash zsh fish
offers 'liegrad reference ' options elements
offers 'liegrad simulate heavy_top --rho ' '!heavy_top'  # a number

# Every option of every --help is in the scripts of all shells.
for shell in bash zsh fish; do
  script=$("$program" completion $shell)
  for command in simulate fit control report; do
    for option in $("$program" $command --help | grep -oE '^  (-h,)?--[a-z-]+' | sed 's/.*--//'); do
      [[ $script == *"-$option"* || $script == *"-l $option"* ]] && continue
      echo "$shell: --$option of $command is missing"
      failures=$((failures + 1))
    done
  done
done
# Where these shells are there, they accept their scripts.
for shell in zsh fish; do
  type -P $shell >/dev/null || continue
  "$program" completion $shell | $shell -n || failures=$((failures + 1))
done

text=$("$program" completion tcsh 2>&1)
if [ $? -ne 2 ] || [[ $text != "liegrad: there is no shell 'tcsh'"* ]]; then
  echo "another shell: $text"
  failures=$((failures + 1))
fi
exit $failures

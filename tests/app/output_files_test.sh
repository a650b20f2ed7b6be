#!/bin/sh
# Files that commands write: standard output, names that are refused, links, and devices without room.
# usage: output_files_test.sh PROGRAM
set -u
. "$(dirname "$0")/command_test.sh"
run='simulate heavy_top --t-end 0.02'
study='converge heavy_top --steps 2e-3,1e-3 --t-end 0.02'

cd "$scratch" || exit 1

# - is standard output, which then has nothing else.
"$program" $run --out - >printed.csv || fail '--out - fails'
"$program" $run --out file.csv --quiet
cmp -s printed.csv file.csv || fail '--out - differs from a file'
[ ! -e ./- ] || fail 'a file has the name -'
"$program" $run --out - --json summary >printed.csv || fail '--out - with a summary fails'
cmp -s printed.csv file.csv || fail '--out - differs with a summary'
"$program" $study --out - >printed.csv && head -1 printed.csv | grep -q '^step,error_q' || fail 'no table on standard output'
[ "$(wc -l <printed.csv)" -eq 3 ] || fail 'more than a table on standard output'
"$program" $study --plot - | head -1 | grep -q '<svg' || fail 'no plot on standard output'

# One name for one file.
refuses_with_status 2 '--json and --out name the same file, -; choose two.' $run --out - --json -
refuses_with_status 2 '--json and --out name the same file, x; choose two.' $run --out "$scratch/x" --json x
refuses_with_status 2 '--out and --plot name the same file, x.svg; choose two.' $study --out x.svg --plot ./x.svg
ln -s file.csv link
refuses_with_status 2 '--json and --out name the same file, link; choose two.' $run --out file.csv --json link
refuses_with_status 2 '--out and --reference name the same file, file.csv; choose two.' $study --out file.csv --reference file.csv
refuses_with_status 2 '--plot and --reference name the same file, ref.svg; choose two.' $study --plot ref.svg --reference ref.svg
"$program" $run --quiet --json /dev/null --out /dev/null || fail 'a device cannot be named twice'
for option in --out --json; do
  refuses_with_status 2 "$option: the name of the file is empty; \`liegrad simulate --help\` shows what is accepted." $run $option ''
done
refuses_with_status 2 '--plot p.png: plots are written as SVG; give the file the name p.svg.' $study --plot p.png

# A link stays one, and leads to what is written.
ln -s nowhere dangling
refuses_with_status 2 'none/x.csv cannot be written: No such file or directory.' $run --json dangling --out none/x.csv
[ -h dangling ] || fail 'a link was deleted'
[ ! -e nowhere ] || fail 'a run that did not start made a file'
"$program" $run --quiet --json dangling || fail 'a summary through a link fails'
[ -h dangling ] && grep -q reached_end nowhere || fail 'a link did not lead to the summary'

# Without room: status 3, a sentence, and no half file. An earlier message of a run may come before it.
full='cannot be written: No space left on device.'
for option in --json --out; do
  "$program" $run --quiet $option /dev/full 2>stderr
  [ $? -eq 3 ] && grep -q "/dev/full $full" stderr || fail "$option /dev/full: $(cat stderr)"
done
for option in --json --out --plot; do
  "$program" $study --quiet $option /dev/full 2>stderr
  [ $? -eq 3 ] && grep -q "/dev/full $full" stderr || fail "converge $option /dev/full: $(cat stderr)"
done
for command in models "$run" "$study" "$run --out -" "$run --json -" cache --help 'simulate --help' --version \
  'sensitivity heavy_top --of top.x --wrt top.m --t-end 0.02' 'models --json -'; do
  "$program" $command >/dev/full 2>stderr
  [ $? -eq 3 ] && grep -q "liegrad: standard output $full" stderr || fail "$command >/dev/full: $(cat stderr)"
done
[ -c /dev/full ] || fail 'a device was removed'
for option in --json --out; do
  (ulimit -f 1 && "$program" $run --step 1e-4 --quiet $option long 2>stderr)
  [ $? -eq 3 ] && grep -q 'long cannot be written: File too large' stderr || fail "a long file by $option: $(cat stderr)"
  [ ! -e long ] || fail "half a file is left by $option"
done

exit $failures

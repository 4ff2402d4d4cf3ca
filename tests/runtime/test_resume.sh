#!/bin/bash
# Runs with checkpoints that are killed again and again, and resumed: the result file ends with the same
# bytes as that of a run that was never cut.
. "$(dirname "$0")/../support/shell.sh"

cat >Road.sol <<'END'
model Car
interface:
  static Real x;
  dynamic Car next;
implementation:
  static Real v;
  der(x=x, start=random(x=1)) = v;
  if x > 2 then
    static Real far;
    far = x;
    v = 0.5;
  else then
    v = 1;
  end;
end Car;
model Road
implementation:
  dynamic Car first{};
  dynamic Car buffer;
  static Real wave;
  wave = sin(x=time);
  when Sample(interval=20) then
    buffer <- first;
    first <- Car{};
    if buffer? then first.next <- buffer; end;
  end;
end Road;
END
# Last in the queue for the processor, so that whoever kills it comes in time however busy the machine is.
run=(nice -n 19 "$SOLSTICE" run Road.sol --stop 300 --interval 0.01 --checkpoint 5 --quiet)
"${run[@]}" --output whole.solr || fail "the whole run"

# Ten kills soon after a checkpoint, however fast the machine; then some more at any moment.
kills=0
"${run[@]}" --output cut.solr 2>err &
for i in $(seq 20); do
    before=$(stat -c %i cut.check 2>/dev/null)
    while [ "$i" -le 10 ] && kill -0 $! 2>/dev/null &&
        [ "$(stat -c %i cut.check 2>/dev/null)" = "$before" ]; do :; done
    sleep "0.00$((RANDOM % 10))"
    { kill -9 $! && wait $!; } 2>/dev/null
    code=$?
    [ $code -eq 137 ] || break
    kills=$((kills + 1))
    resume=()
    [ -e cut.check ] && resume=(--resume cut.check)
    "${run[@]}" --output cut.solr "${resume[@]}" 2>err &
done
wait $! 2>/dev/null
[ -s err ] && fail "$(cat err)"
cmp whole.solr cut.solr || fail "after $kills kills the result is another one"
[ $kills -ge 5 ] || fail "only $kills kills"

# What does not fit is refused, with a reason.
expect() { # exit code, text that stderr must contain, command...
    local code=$1 text=$2
    shift 2
    "$@" >out 2>err
    local got=$?
    [ "$got" -eq "$code" ] || fail "$*: exit code $got, not $code: $(cat err)"
    grep -qF -- "$text" err || fail "$*: no '$text' in: $(cat err)"
}
expect 2 "saved by a run with other options" "${run[@]}" --seed 3 --output cut.solr --resume cut.check
expect 2 "give it again" "$SOLSTICE" run Road.sol --stop 300 --resume cut.check
expect 4 "No such file" "${run[@]}" --output cut.solr --resume none.check
head -c 300 cut.check >short.check
expect 4 "its checksum is wrong" "${run[@]}" --output cut.solr --resume short.check
# Damaged anywhere, cut anywhere, or of another version: a message, never a crash.
damage() { # offset: that byte of cut.check is another one
    cp cut.check bad.check
    local old
    old=$(od -An -tu1 -j "$1" -N1 cut.check)
    printf "\\x$(printf %x $((old ^ 64)))" | dd of=bad.check bs=1 seek="$1" conv=notrunc 2>/dev/null
}
size=$(stat -c %s cut.check)
for i in $(seq 8 $((size / 12)) $((size - 1))); do
    damage "$i"
    expect 4 "its checksum is wrong" "${run[@]}" --output cut.solr --resume bad.check
    head -c "$i" cut.check >bad.check
    expect 4 "bad.check: " "${run[@]}" --output cut.solr --resume bad.check
done
damage 0
expect 4 "not a checkpoint" "${run[@]}" --output cut.solr --resume bad.check
expect 4 "other.solr: No such file" "${run[@]}" --output other.solr --resume cut.check
head -c 200 whole.solr >other.solr
expect 4 "does not fit the checkpoint" "${run[@]}" --output other.solr --resume cut.check
expect 2 "is too small for times up to 300" "$SOLSTICE" run Road.sol --stop 300 --checkpoint 1e-300
sed -i 's/sin(x=time)/cos(x=time)/' Road.sol
expect 2 "the text of the model, or of a library, has changed since" "${run[@]}" --output cut.solr --resume cut.check
cmp whole.solr cut.solr || fail "a resume that was refused changed the result"

exit $((failures > 0))

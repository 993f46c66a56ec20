#!/usr/bin/env bash
# Builds the environments in which the proofs run the real libraries, here or in
# $TRL_DOCTOR_ENVIRONMENTS. Without names it builds all; one no older than its pins stays, and two
# are built at a time.
#
# NAME.txt is what pip installs. Its first line may be "# over: BASE": the environment then starts
# as a hard-linked copy of BASE, so that all of them share one torch on the disk.
set -euo pipefail
pins="$(cd "$(dirname "$0")" && pwd)"
mkdir -p "${TRL_DOCTOR_ENVIRONMENTS:-$pins}"
cd "${TRL_DOCTOR_ENVIRONMENTS:-$pins}"
python="${PYTHON:-python3}"

packages() { echo "$1"/lib/python*/site-packages; }

build() {
  local name="$1" base
  [ -f "$pins/$name.txt" ] || { echo "$name: there is no environment of that name" >&2; exit 2; }
  base="$(sed -n '1s/^# over: //p' "$pins/$name.txt")"
  [ -z "$base" ] || build "$base"
  if [ -f "$name/ready" ] && [ ! "$pins/$name.txt" -nt "$name/ready" ] \
    && { [ -z "$base" ] || [ ! "$base/ready" -nt "$name/ready" ]; }; then
    return
  fi
  SECONDS=0
  # the packages of the base have pip
  "$python" -m venv --clear ${base:+--without-pip} "$name"
  if [ -n "$base" ]; then
    rm -r "$(packages "$name")"
    cp --archive --link "$(packages "$base")" "$(dirname "$(packages "$base" | sed "s|^$base/|$name/|")")"
  fi
  "$name/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$pins/$name.txt"
  if [ -f "$pins/$name.without" ]; then
    xargs "$name/bin/python" -m pip uninstall --quiet --yes <"$pins/$name.without"
  fi
  touch "$name/ready"
  echo "$name: built in $SECONDS s"
}

if [ $# = 0 ]; then
  set -- engine vision vision-four ppo-first ppo-last grpo-silent grpo-shapes cluster mismatched no-triton
fi
if [ $# = 1 ]; then
  build "$1"
  echo "$1: ready"
  exit
fi
# all that is over the same number of others is built at a time, two at once
over() { sed -n '1s/^# over: //p' "$pins/$1.txt"; }
heights="$(for name in "$@"; do
  chain="$name"
  while base="$(over "$name")" && [ -n "$base" ]; do
    name="$base" chain="$base $chain"
  done
  printf '%s\n' $chain | awk '{ print NR, $0 }'
done | awk '!seen[$0]++')"
for height in $(cut -d ' ' -f 1 <<<"$heights" | sort --numeric-sort --unique); do
  sed -n "s/^$height //p" <<<"$heights" | xargs --max-args=1 --max-procs=2 "$pins/make.sh"
done

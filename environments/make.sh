#!/usr/bin/env bash
# Builds environments/NAME, where the proofs run the real libraries: torch first, then the pins.
# Without names it builds all of them; one that is ready, and no older than its pins, stays.
set -euo pipefail
cd "$(dirname "$0")"

if [ $# = 0 ]; then set -- ppo-first grpo-first four ppo-last current; fi
for name in "$@"; do
  if [ "$name" = torch ] || [ ! -f "$name.txt" ]; then
    echo "$name: there is no environment of that name" >&2
    exit 2
  fi
  if [ -f "$name/ready" ] && [ ! "$name.txt" -nt "$name/ready" ] && [ ! torch.txt -nt "$name/ready" ]; then
    echo "$name: ready"
    continue
  fi
  SECONDS=0
  "${PYTHON:-python3}" -m venv --clear "$name"
  "$name/bin/pip" install --quiet --disable-pip-version-check --requirement torch.txt
  "$name/bin/pip" install --quiet --disable-pip-version-check --constraint torch.txt --requirement "$name.txt"
  touch "$name/ready"
  echo "$name: built in $SECONDS s"
done

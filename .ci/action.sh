#!/usr/bin/env bash
# What action.yml runs: its inputs come through the environment, and none is read by the shell.
set -uo pipefail

[ "$VERSION" = installed ] || python -m pip install --quiet "${VERSION:-$GITHUB_ACTION_PATH}" || exit 3
mapfile -t named < <(printf '%s\n' "$TARGETS" | sed '/^[[:space:]]*$/d; s|^-|./-|')
more=()
while IFS= read -r line; do # `--with trl==1.16.0` in a line are an option and its value
  if [[ $line =~ ^[[:space:]]*(--?[[:alpha:]][[:alnum:]-]*)[[:space:]]+([^[:space:]].*)$ ]]; then
    more+=("${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}")
  elif [[ $line =~ [^[:space:]] ]]; then
    more+=("$line")
  fi
done <<<"$OPTIONS"
status=0
trl-doctor check "${named[@]}" --level "$LEVEL" --fail-on "$FAIL_ON" "${more[@]}" \
  --output github --output "sarif=$SARIF_FILE" || status=$?
echo "status=$status" >>"$GITHUB_OUTPUT"

#!/usr/bin/env bash
# Explores the SPIN models exhaustively. Usage: spin.sh MODEL [-DNAME[=VALUE]…]; prints the state count, fails on a violation.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
model=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
spin -a "$@" "$here/$model.pml" >/dev/null
gcc -O1 -w -DSAFETY -DMEMLIM=2048 -o pan pan.c
./pan -m1000000 >out || { cat out; exit 1; }
grep -E 'assertion violated|errors:|states, stored' out
grep -q 'errors: 0' out && ! grep -q 'error: max search depth too small' out

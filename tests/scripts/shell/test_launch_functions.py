"""Functions of a shell script give a training the words that bash gives it at each call."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from trl_doctor.files.launch import reading
from trl_doctor.files.launch.flags import argv
from trl_doctor.files.unknown_word import OPEN

BASH = shutil.which("bash")

SCRIPTS = {
    "a variable that is set later": """\
BASE=a
run() {
  python train.py --m "$BASE" --o "x/${1}_$2"
}
# run nothing
BASE=b
run one two
BASE=c
run three
""",
    "on one line": """\
run() { python train.py --m "$1" ${2:-x}; }
function all { run a; run b c; }
all
run ${X:-d}
""",
    "in a condition": """\
run() {
  python train.py "$@" --n $#
}
if ! run --a 1; then exit 1; fi
""",
    "defaults": """\
function run {
  local lr=${2:-0.1}
  python train.py $1 $lr ${3:-}
}
run a
run b 2 "${X:-}"
""",
    "one that calls another": """\
base() {
  python train.py --k $1 $K
}
all() {
  K=7
  base $1
}
all z
""",
    "beside a here-document": """\
cat > f <<EOF
x() {
}
EOF
run()
{
  python train.py $1
}
run q
""",
    "of the file": """\
SIZE=${1:-8}
python train.py --s $SIZE "${2:-}"
""",
    "loops": """\
ALL=(a "b c")
for s in 1 2; do
  python train.py --s $s || echo no
done
for x in "${ALL[@]}" $(seq 3 4); do python train.py --s $s --x "$x"; done
for i in {2..0}; do python train.py --i $i-$s; done
for n in a{1,2}.yaml; do
  if [ "$n" = a2.yaml ]; then K=2; else K=1; fi
  python train.py --n out/$(basename $n .yaml) $K ${n%.*} ${n#a} ${#ALL[@]} ${U:-$n} ${n//a/b}
done
""",
    "its own options": """\
run() {
  while getopts "n:b:v" o; do
    case $o in
      n) N=$OPTARG ;;
      b) B=$OPTARG ;;
      *) V=1 ;;
    esac
  done
  shift $((OPTIND - 1))
  python train.py --n $N --b ${B:-8} --v ${V:-0} "$@"
}
run -n 3 -v -- --x 1
""",
    "its own long options": """\
run() {
  MORE=()
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --lr) LR=$2; shift 2 ;;
      --fast) FAST=1; shift ;;
      *) MORE+=("$1"); shift ;;
    esac
  done
  python train.py --lr ${LR:-1} --fast ${FAST:-0} "${MORE[@]}"
}
run --lr 2 --seed 4 --fast
""",
    "words in one argument": """\
run() {
  python train.py $1
}
run "--a 1 --b"
""",
}


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_words_are_those_of_bash(name: str, tmp_path: Path) -> None:
    shown = "python() { printf '%s|' \"${@:2}\"; echo; }\n" + SCRIPTS[name]
    done = subprocess.run(
        [str(BASH), "-c", shown], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    launches = reading.read_launches(tmp_path / "a.sh", SCRIPTS[name].encode(), "a shell script")
    read = ["".join(f"{word}|" for word in argv(launch.words, {})) for launch in launches]
    assert read == done.stdout.split("\n")[:-1]


@pytest.mark.parametrize(
    "text",
    [
        "run() {\n  python train.py --m $1 --n=$1 --k 2\n}\n",
        "# run a\nrun() {\n  python train.py --m $1 --n=$1 --k 2\n}\n",
        "run() {\n  set -- $1\n  python train.py --m $1 --n=$1 --k 2\n}\nrun a b\n",
    ],
)
def test_words_that_are_not_known_keep_their_option(text: str, tmp_path: Path) -> None:
    (launch,) = reading.read_launches(tmp_path / "a.sh", text.encode(), "a shell script")
    words = [word.partition(OPEN)[0] for word in argv(launch.words, {})]
    assert words == ["--m", "", "--n=", "--k", "2"]


def test_a_function_keeps_its_line(tmp_path: Path) -> None:
    text = "run() {\n  echo $1\n  python train.py --m $1\n}\nrun a\nrun b\n"
    launches = reading.read_launches(tmp_path / "a.sh", text.encode(), "a shell script")
    assert [launch.line for launch in launches] == [3, 3]


def test_the_line_of_a_call_tells_several_apart(tmp_path: Path) -> None:
    text = "run() {\n  python train.py $1\n}\nall() { run a; run b; }\nall\nrun c\n"
    launches = reading.read_launches(tmp_path / "go.sh", text.encode(), "a shell script")
    shown = [launch.shown for launch in launches]
    called = ["line 2 (called in line 5)", "line 2 (called in line 5)", "line 2 (called in line 6)"]
    assert shown == called

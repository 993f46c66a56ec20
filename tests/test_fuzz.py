"""A thousand mutated targets: no crash, no hang, bounded memory, reports that can be read."""

from __future__ import annotations

import json
import multiprocessing
import random
import shutil
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import fuzz
import pytest
from click.testing import CliRunner, Result
from fuzzing import ground as grounds
from fuzzing.ground import Case, Failure, Ground, Instead
from fuzzing.oddities import HEAVY
from fuzzing.originals import BESIDE, INSIDE, TARGETS, WORLDS, seeds

from trl_doctor.commands.cli import main

RUNS, WORKERS, MEMORY = 1_000, 2, 300
"""Targets, processes for them, and MiB by which the memory of one may grow."""


def share(seed: int, folder: Path) -> tuple[dict[str, Failure], float]:
    """One worker's targets: what went wrong, and how much its memory grew in MiB."""
    before = fuzz.peak()
    folder.mkdir()
    return dict(fuzz.run(RUNS // WORKERS, seed, folder, diff_every=4)), fuzz.peak() - before


@pytest.fixture
def ground(tmp_path: Path) -> Path:
    """A folder in memory where there is one: files are written by the ten thousand."""
    memory = fuzz.memory()
    folder = memory / f"trl-doctor-{tmp_path.name}-{random.randrange(10**9)}" if memory else None
    if folder is None:
        return tmp_path
    folder.mkdir()
    yield folder  # type: ignore[misc]
    shutil.rmtree(folder)


@pytest.mark.slow
def test_no_mutated_target_crashes_hangs_or_spoils_a_report(ground: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(WORKERS, mp_context=context) as pool:
        shares = [pool.submit(share, seed, ground / str(seed)) for seed in range(WORKERS)]
        results = [share.result() for share in shares]
    failures = {key: failure for by_key, _ in results for key, failure in by_key.items()}
    details = "\n\n".join(
        f"{failure.key}\n{failure.detail}\n{failure.case}" for failure in failures.values()
    )
    assert not failures, details
    assert max(grown for _, grown in results) < MEMORY


def test_no_named_pipe_is_waited_for(ground: Path) -> None:
    place = Ground(ground)
    with fuzz.hasty_renderer():
        for pointed in dict.fromkeys(TARGETS):
            inside = INSIDE.get(pointed, pointed.partition("/")[0])
            matter = [name for name in place.known if name.startswith(inside)]
            for name in (*matter, *BESIDE.get(pointed, ())):
                failed = place.failure(Case(pointed, {name: Instead.PIPE}))
                assert failed is None, failed


MODEL = "models/healthy"
LAUGHS = "a0: &a0 [x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 8)}]\n" for n in range(1, 9)
)
LONG = "\x1b[31m<b>\u202e\x9b`$(x)\n|" * 200_000
CASES = {
    "a lone surrogate in an added token": Case(
        MODEL,
        {f"{MODEL}/tokenizer_config.json":
         b'{"added_tokens_decoder": {"297": {"content": "a\\udfffb", "special": true}}}'},
    ),
    "a lone surrogate in a key of an added token": Case(
        MODEL,
        {f"{MODEL}/tokenizer_config.json":
         b'{"added_tokens_decoder": {"297": {"special": "a\\udfffb"}}}'},
    ),
    "numbers without an end": Case(
        "run.json",
        {"run.json": b'{"trainer": "grpo", "num_generations": Infinity, "num_processes": 2}'},
        world=2,
    ),
    "numbers that are none": Case(
        "run.json",
        {"run.json": b'{"trainer": "grpo", "num_generations": NaN, "max_completion_length": -NaN,'
         b' "per_device_train_batch_size": 1e400, "generation_batch_size": "nan"}'},
    ),
    "an integer that is no float": Case(
        "run.json",
        {"run.json": b'{"trainer": "ppo", "response_length": 1' + b"0" * 400 + b"}"},
        world=1,
    ),
    "a folder's name that is too long": Case(
        "run.json",
        {"run.json": b'{"trainer": "grpo", "model_name_or_path": "' + b"x/" * 4000 + b'"}'},
    ),
    "a user that is nobody": Case(
        "run.json",
        {"run.json": b'{"trainer": "grpo", "model_name_or_path": "~nobody-of-that-name/x"}'},
    ),
    "an accelerate config's name that is too long": Case(
        "run.json", {"run.json": b'{"trainer": "grpo", "accelerate_config": "' + b"x" * 999 + b'"}'}
    ),
    "a template that takes all memory": Case(
        MODEL,
        {f"{MODEL}/tokenizer_config.json": None,
         f"{MODEL}/chat_template.jinja": b"{{ [1] * 10 ** 9 }}"},
    ),
    "a template that never ends": Case(
        MODEL,
        {f"{MODEL}/chat_template.jinja": HEAVY[-1].encode()},
    ),
    "aliases of aliases": Case(
        "ppo.yaml", {"ppo.yaml": LAUGHS.encode() + b"trainer: ppo\n"}
    ),
    "brackets by the thousand": Case("ppo.yaml", {"ppo.yaml": b"[" * 20_000}),
    "a header of two to the sixty-fourth": Case(
        MODEL, {f"{MODEL}/model.safetensors": b"\xff" * 8 + b"{}"}
    ),
    "an index that names everything": Case(
        MODEL,
        {f"{MODEL}/model.safetensors.index.json": json.dumps(
            {"weight_map": {"a": "../x", "b": "\0", "c": 3, "d": "x" * 999, "e": "\ud800", "f": ""}}
        ).encode()},
    ),
    "a model type that is a list": Case(MODEL, {f"{MODEL}/config.json": b'{"model_type": []}'}),
    "parts of a tokenizer whose kinds are no texts": Case(
        MODEL, {f"{MODEL}/tokenizer.json": b'{"model": {}, "decoder": {"type": {}}, "normalizer":'
                b' {"type": []}, "pre_tokenizer": [], "post_processor": 3}'},
    ),
    "a value of megabytes": Case(
        "run.json", {"run.json": json.dumps({"trainer": "grpo", "run_name": LONG}).encode()}
    ),
    "a key of megabytes": Case(
        "run.json", {"run.json": json.dumps({"trainer": "grpo", LONG: 1}).encode()}
    ),
    "a special token of megabytes": Case(
        MODEL,
        {f"{MODEL}/tokenizer_config.json": json.dumps(
            {**json.loads(seeds()[f"{MODEL}/tokenizer_config.json"]), "eos_token": LONG}
        ).encode()},
    ),
    "a small file whose disk fails": Case(MODEL, {f"{MODEL}/config.json": Instead.ERRING}),
    "weights whose disk fails": Case(MODEL, {f"{MODEL}/model.safetensors": Instead.ERRING}),
    "rows in one endless line": Case("grpo.yaml", {"data/prompts/train.jsonl": Instead.HUGE}),
    "a pipe for each file of a model": Case(
        MODEL, {name: Instead.PIPE for name in seeds() if name.startswith(MODEL)}
    ),
    "files that go while they are read": Case(
        "run.json", {}, later={
            number: {name: None} for number, name in enumerate(seeds()) if name.startswith(MODEL)
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_once_went_wrong_or_well_might(name: str, tmp_path: Path) -> None:
    with fuzz.hasty_renderer():
        for world in range(len(WORLDS)):
            case = CASES[name]
            again = replace(case, world=world)
            failure = Ground(tmp_path).failure(again, diff=True)
            assert failure is None, failure


def test_the_mutations_are_the_same_for_the_same_seed_and_change_something() -> None:
    originals = seeds()

    def drawn(seed: int) -> list[Case]:
        chance = random.Random(seed)
        return [grounds.case(chance, originals) for _ in range(200)]

    cases = drawn(1)
    assert cases == drawn(1) != drawn(2)
    changed = [
        any(originals.get(name) != data for name, data in case.files.items()) for case in cases
    ]
    assert sum(changed) > 180
    assert {case.pointed for case in cases} == set(TARGETS)


def doctor(*arguments: str) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def contents(folder: Path) -> dict[str, bytes]:
    by_name = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and ".trl-doctor" not in path.parts:
            with suppress(OSError):
                by_name[str(path.relative_to(folder))] = path.read_bytes()
    return by_name


def test_the_command_examines_repairs_and_takes_back_whatever_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    chance, repaired = random.Random(3), 0
    clean = tmp_path / "clean"
    originals = Ground(clean, ()).known
    for number in range(40):
        case = grounds.case(chance, originals)
        folder = tmp_path / str(number)
        shutil.copytree(clean, folder)
        for name, data in case.files.items():
            Ground.put(folder / name, data)
        before = contents(folder)
        pointed = str(folder / case.pointed)
        result = doctor("check", pointed, "--offline", "--trainer", "grpo", "--format", "json")
        assert result.exit_code in (0, 1, 3)
        assert json.loads(result.stdout)["exit_code"] == result.exit_code
        mend = ("check", pointed, "--offline", "--trainer", "grpo", "--fix", "--unsafe-fixes")
        fixed = doctor(*mend)
        assert fixed.exit_code in (0, 1, 3)
        if "wrote " in fixed.stderr:
            repaired += 1
            after = contents(folder)
            assert after != before
            again = doctor(*mend).stderr
            assert "nothing to repair" in again or "nothing was repaired" in again
            assert contents(folder) == after
            undone = doctor("undo", pointed)
            assert undone.exit_code == 0, undone.stderr
        assert contents(folder) == before
    assert repaired >= 3

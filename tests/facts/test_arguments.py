"""The rules about arguments against the history: what a release has is never called strange."""

import json
from pathlib import Path

import pytest
from packaging.version import Version

from trl_doctor.checkup.checkup import examine
from trl_doctor.checkup.discover import discover
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.outcome import Outcome
from trl_doctor.core.finding import Finding
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.facts.library import accepted, releases
from trl_doctor.files.target import NotRead, target
from trl_doctor.machine.environment import Environment, environment

NULL = "argument-is-none"
"""This rule is about the values: each argument here is null."""

RULES = [
    rule for rule in discover().rules if rule.name.startswith("argument-") and rule.name != NULL
]
PAIRS = {"0.15.2": "4.48.3", "0.24.0": "4.57.6", "1.12.0": "5.20.0", "1.16.0": "5.23.0"}


def world(trl: str) -> Environment:
    stated = (f"trl=={trl}", f"transformers=={PAIRS[trl]}")
    return environment(None, stated, installed=False)


def outcomes(folder: Path, trl: str, arguments: dict[str, object]) -> dict[str, Outcome]:
    """The outcomes of the rules; the run's trainer is given as on the command line."""
    trainer_name = str(arguments.get("trainer", ""))
    file = folder / "run.json"
    file.write_text(json.dumps({key: arguments[key] for key in arguments if key != "trainer"}))
    options = Options(trainer=TRAINERS.get(trainer_name), offline=True)
    run = open_run(target(str(file), offline=True), world(trl), options)
    return {outcome.rule.name: outcome for outcome in examine(run, world(trl), RULES).outcomes}


def findings(folder: Path, trl: str, arguments: dict[str, object]) -> list[Finding]:
    return [
        finding
        for outcome in outcomes(folder, trl, arguments).values()
        for finding in outcome.findings
    ]


@pytest.mark.parametrize("trl", PAIRS)
def test_a_run_with_all_arguments_of_its_release_has_nothing_strange(
    trl: str, tmp_path: Path
) -> None:
    for trainer in TRAINERS.values():
        result = accepted(world(trl), trainer)
        if not result.absent:
            arguments = {"trainer": trainer.name, **dict.fromkeys(result.fields)}
            assert findings(tmp_path, trl, arguments) == [], trainer


@pytest.mark.parametrize("trl", PAIRS)
def test_an_argument_of_another_release_is_reported_with_that_release(
    trl: str, tmp_path: Path
) -> None:
    here = releases.fields(Version(trl), "GRPOConfig")
    fields = accepted(world(trl), TRAINERS["grpo"]).fields
    assert here is not None
    others = {
        key
        for other in PAIRS
        for key in releases.fields(Version(other), "GRPOConfig") or ()
        if key not in fields
    }
    by_rule = outcomes(tmp_path, trl, {"trainer": "grpo", **dict.fromkeys(sorted(others))})
    findings = by_rule["argument-gone-from-trl"].findings
    assert {finding.place.pointer[1:] for finding in findings} == others
    assert by_rule["argument-unknown"].findings == ()


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("num_generation", "num_generations"),
        ("max_completion_len", "max_completion_length"),
        ("gradient-accumulation-steps", "gradient_accumulation_steps"),
        ("Learning_Rate", "learning_rate"),
        ("temprature", "temperature"),
        ("model_name_or_pat", "model_name_or_path"),
        ("per_device_batch_size", "per_device_train_batch_size"),
        ("per_device_evl_batch_size", "per_device_eval_batch_size"),
        ("lr", "learning_rate"),
        ("gradient_accumulation", "gradient_accumulation_steps"),
        ("grad_accum_steps", "gradient_accumulation_steps"),
    ],
)
def test_a_misspelling_is_understood(key: str, expected: str, tmp_path: Path) -> None:
    arguments = {"trainer": "grpo", "output_dir": "out", "seed": 1, "max_steps": 5, key: 8}
    (results,) = findings(tmp_path, "1.16.0", arguments)
    assert results.message == f"GRPOTrainer takes no {key}; did you mean {expected}?"
    assert results.fix and not results.fix.safe


def short(folder: Path, trainer: str, trl: str = "1.16.0", **key: int) -> Finding:
    arguments = {"trainer": trainer, "output_dir": "o", "seed": 1, "max_steps": 5, **key}
    (finding,) = findings(folder, trl, arguments)
    return finding


def test_a_name_that_can_mean_two_arguments_is_not_rewritten(tmp_path: Path) -> None:
    finding = short(tmp_path, "grpo", "0.24.0", warmup=10)
    assert finding.message.endswith("did you mean warmup_steps or warmup_ratio?")
    assert finding.fix is None
    finding = short(tmp_path, "grpo", warmup=10)  # transformers 5 takes a ratio as steps, too
    assert finding.message.endswith("did you mean warmup_steps?")
    assert finding.fix


def test_a_short_name_means_what_the_trainer_has(tmp_path: Path) -> None:
    message = short(tmp_path, "sft", max_len=512).message
    assert message == "SFTTrainer takes no max_len; did you mean max_length?"
    message = short(tmp_path, "grpo", max_len=512).message
    assert message == "TRL does not know this key: max_len"


def test_a_name_that_is_set_as_well_is_not_what_was_meant(tmp_path: Path) -> None:
    arguments = {"trainer": "grpo", "output_dir": "o", "num_generation": 4, "num_generations": 8}
    (results,) = findings(tmp_path, "1.16.0", arguments)
    assert results.message == "TRL does not know this key: num_generation"


@pytest.mark.parametrize(
    "arguments",
    [
        {"base_model": "m", "sequence_len": 2048, "learning_rat": 1},
        {"stage": "sft", "finetuning_type": "lora", "model_name_or_path": "m"},
        {"model": {}, "training": {}, "output_dir": "o"},
    ],
)
def test_keys_of_another_programs_file_are_not_examined(
    arguments: dict[str, object], tmp_path: Path
) -> None:
    by_rule = outcomes(tmp_path, "1.16.0", {**arguments, "learning_rate": "fast"})
    judges = [by_rule[name] for name in ("argument-gone-from-trl", "argument-unknown")]
    assert {judge.state for judge in judges} == {"skipped"}
    assert len({judge.reason for judge in judges}) == 1


def test_a_trainer_on_the_command_line_overrules_what_the_keys_look_like(tmp_path: Path) -> None:
    arguments: dict[str, object] = {
        "model": {},
        "training": {},
        "learning_rat": 1,
        "max_steps": "many",
    }
    by_rule = outcomes(tmp_path, "1.16.0", {**arguments, "trainer": "sft"})
    found = [(finding.message[:30], finding.severity)
             for finding in by_rule["argument-unknown"].findings]  # fmt: skip
    assert found == [
        ("SFTTrainer takes no learning_r", "warning"),
        ("TRL does not know these keys: ", "warning"),
    ]
    assert by_rule["argument-of-wrong-type"].state == "found"
    named: dict[str, object] = {"stage": "sft", "finetuning_type": "lora", "learning_rat": 1}
    by_rule = outcomes(tmp_path, "1.16.0", {**named, "trainer": "sft"})
    assert by_rule["argument-unknown"].state == "skipped"


@pytest.mark.parametrize(
    "arguments",
    [
        {"rlhf_type": "grpo", "model": "m", "num_generations": 8},
        {"actor_rollout_ref": {}, "trainer": {}, "data": {}},
    ],
)
def test_another_programs_file_is_called_by_its_name(
    arguments: dict[str, object], tmp_path: Path
) -> None:
    with pytest.raises(NotRead, match=r"ms-swift|verl"):
        outcomes(tmp_path, "1.16.0", arguments)


@pytest.mark.parametrize(
    ("key", "remedy"),
    [
        ("group_by_length", 'train_sampling_strategy{}"group_by_length"'),
        ("include_inputs_for_metrics", 'include_for_metrics{}["inputs"]'),
    ],
)
def test_what_replaces_an_argument_is_written_as_its_file_writes_it(
    key: str, remedy: str, tmp_path: Path
) -> None:
    (finding,) = findings(tmp_path, "1.16.0", {"trainer": "sft", "output_dir": "o", key: True})
    in_yaml = remedy.format(": ").replace('"', "")
    assert finding.remedy == f"write {in_yaml} instead of {key}"
    script = tmp_path / "train.py"
    script.write_text(f"from trl import SFTConfig, SFTTrainer\nargs = SFTConfig('o', {key}=True)\n"
                      "SFTTrainer('org/m', args=args, train_dataset=rows)\n")  # fmt: skip
    run = open_run(target(str(script), offline=True), world("1.16.0"), Options(offline=True))
    outcomes = examine(run, world("1.16.0"), RULES).outcomes
    (finding,) = (finding for outcome in outcomes for finding in outcome.findings)
    assert finding.remedy == f"write {remedy.format('=')} instead of {key}"

"""Files of accelerate, DeepSpeed and FSDP: what the files alone tell, the first process dies of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import answered, checks, known_environment
from jobs import AUTO, DS, GATHERED, TWO, Settings, acc, ends_with, laid, zero
from laid import Interpreter

from trl_doctor.facts.library.accelerate import keys_of_accelerate, kinds_of_accelerate

pytestmark = pytest.mark.environment("cluster")
NAMED = {"deepspeed_config": {"deepspeed_config_file": "ds.json"}}
SAVE = 'trainer.save_model("final")'

INLINE = {"deepspeed_config": {"zero_stage": 2}}
BROKEN: dict[str, tuple[str, Settings, Settings, dict[str, Any], str, str]] = {
    "a key that accelerate does not know": (
        "accelerate-file-refused", acc(num_proceses=2), None, {},
        "had unknown keys (['num_proceses'])", "did you mean num_processes?",
    ),
    "a key of older releases": (
        "accelerate-file-refused", acc(ipex_config={"ipex": False}), None, {},
        "had unknown keys (['ipex_config'])", "remove ipex_config",
    ),
    "a no without quotes": (
        "accelerate-file-refused", acc(mixed_precision=False), None, {},
        "'bool' object has no attribute 'lower'", "with quotes",
    ),
    "a name for DeepSpeed's settings": (
        "accelerate-file-refused", acc(deepspeed_config="ds.json"), None, {},
        "'str' object has no attribute 'keys'", "`deepspeed_config_file: ds.json` below",
    ),
    "a file of DeepSpeed in its place": (
        "accelerate-file-is-of-deepspeed", TWO, None, {},
        "`distributed_type` must be specified", "--deepspeed_config_file",
    ),
    "a number as a text": (
        "accelerate-file-refused", {**acc("MULTI_GPU"), "num_machines": "1"}, None, {},
        "'>' not supported between instances of 'str' and 'int'", "without quotes",
    ),
    "a policy that FSDP does not have": (
        "fsdp-settings-refused",
        acc("FSDP", fsdp_config={"fsdp_auto_wrap_policy": "TRANSFORMER_WRAP"}), None, {},
        "Invalid auto wrap policy", "did you mean TRANSFORMER_BASED_WRAP?",
    ),
    "a backend of torch.compile that does not exist": (
        "accelerate-file-refused", acc("NO", dynamo_backend="INDUCTORR"), None, {},
        "Unknown dynamo backend: INDUCTORR", "did you mean INDUCTOR?",
    ),
    "a file of DeepSpeed that is not there": (
        "launcher-file-not-found", acc(**NAMED), None, {},
        "Expected a string path to an existing deepspeed config", "",
    ),
    "a parameter that the scheduler does not take": (
        "deepspeed-parameter-refused", None,
        {**TWO, "scheduler": {"type": "WarmupLR", "params": {"warmup_num_step": 5}}}, DS,
        "unexpected keyword argument 'warmup_num_step'", "did you mean warmup_num_steps?",
    ),
    "two files": (
        "deepspeed-said-twice", acc(**NAMED, mixed_precision="no"), TWO, {},
        "config variables will be ignored", "remove mixed_precision from acc.yaml",
    ),
    "accumulation in accelerate's file": (
        "deepspeed-differs-from-run",
        acc(deepspeed_config={"zero_stage": 2, "gradient_accumulation_steps": 4}), None, {},
        "ds gradient_accumulation_steps=4 vs hf gradient_accumulation_steps=1", "write",
    ),
    "precision in accelerate's file": (
        "deepspeed-differs-from-run", acc(**INLINE, mixed_precision="bf16"), None, {},
        "ds bf16.enabled=True vs hf bf16|bf16_full_eval=False", "set bf16: true in the run",
    ),
    "precision by the old key": (
        "deepspeed-differs-from-run", acc(**INLINE, fp16=True), None, {},
        "ds fp16.enabled=True vs hf fp16|fp16_full_eval=False", "set fp16: true in the run",
    ),
    "a batch that is no multiple": (
        "deepspeed-differs-from-run", None, {**TWO, "train_batch_size": 7}, DS,
        "ds train_batch_size=7 vs hf train_batch_size (calculated)=8", "train_batch_size",
    ),
    "a key of ZeRO that does not exist": (
        "deepspeed-file-refused", None, zero(stage=2, overlap_com=True), DS,
        "validation error for DeepSpeedZeroConfig", "did you mean overlap_comm?",
    ),
    "auto where nobody fills it in": (
        "deepspeed-file-refused", None, zero(stage=3, sub_group_size="auto"), DS,
        "`zero_optimization.sub_group_size` not found in kwargs", "remove sub_group_size",
    ),
    "a scheduler in lower case": (
        "deepspeed-optimizer-refused", None,
        {**TWO, "scheduler": {"type": "warmuplr", "params": {"warmup_num_steps": "auto"}}}, DS,
        "DeepSpeed does not recognize LR scheduler warmuplr", "did you mean WarmupLR?",
    ),
    "a scheduler without its steps": (
        "deepspeed-optimizer-refused", None,
        {**TWO, "scheduler": {"type": "WarmupDecayLR", "params": {}}}, DS,
        "missing 1 required positional argument: 'total_num_steps'", '"total_num_steps": "auto"',
    ),
    "an optimizer of torch in lower case": (
        "deepspeed-optimizer-refused", None,
        {**TWO, "optimizer": {"type": "sgd"}, "zero_allow_untested_optimizer": True}, DS,
        "sgd is not a supported DeepSpeed Optimizer", "did you mean SGD?",
    ),
    "an optimizer that ZeRO has not tested": (
        "deepspeed-optimizer-refused", None, {**TWO, "optimizer": {"type": "SGD"}}, DS,
        "You are using an untested ZeRO Optimizer", '"zero_allow_untested_optimizer": true',
    ),
    "an optimizer of older releases": (
        "deepspeed-optimizer-refused", None, {**TWO, "optimizer": {"type": "OneBitAdam"}}, DS,
        "OneBitAdam is not a supported DeepSpeed Optimizer", "write one of Adadelta,",
    ),
    "true for a section": (
        "deepspeed-section-refused", None, {**AUTO, "zero_optimization": True}, DS,
        "'bool' object has no attribute 'get'", 'write "zero_optimization": {"stage": 2}',
    ),
    "a text for a section": (
        "deepspeed-section-refused", None, zero(stage=2, offload_optimizer="cpu"), DS,
        "'str' object has no attribute 'get'", 'write "offload_optimizer": {"device": "cpu"}',
    ),
    "null for a section": (
        "deepspeed-section-refused", None, {**TWO, "scheduler": None}, DS,
        "'NoneType' object has no attribute 'keys'", "or remove scheduler",
    ),
    "a section that DeepSpeed has lost": (
        "deepspeed-section-refused", None, {**TWO, "elasticity": {"enabled": False}}, DS,
        "Elastic training has been removed", "remove elasticity",
    ),
    "a batch size to be found with ZeRO-3": (
        "deepspeed-unfit-for-run", None, zero(**GATHERED), {**DS, "auto_find_batch_size": True},
        "isn't supported yet with DeepSpeed Zero-3", "use stage 2",
    ),
}  # fmt: skip
BOTH = {
    "optimizer": {"type": "ADAMW", "params": {"lr": "auto", "torch_adam": True}},
    "scheduler": {"type": "WarmupDecayLR", "params": {"total_num_steps": "auto"}},
}
HEALTHY: dict[str, tuple[Settings, Settings, dict[str, Any]]] = {
    "accelerate's file alone": (acc(**INLINE, mixed_precision="no"), None, {}),
    "both files": (acc(**NAMED), zero(**GATHERED), {"auto_find_batch_size": False}),
    "an optimizer and a scheduler": (None, {**TWO, **BOTH}, DS),
    "the run's own file": (None, {**TWO, "gradient_clipping": "auto"}, DS),
}


@pytest.mark.parametrize("case", BROKEN)
def test_the_first_process_dies_and_the_files_show_why(
    case: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("cluster")
    rule, accelerate, deepspeed, own, dies, says = BROKEN[case]
    target, arguments = laid(tmp_path / "job", accelerate, deepspeed, own)
    assert dies in ends_with(python, target.parent, arguments)
    outcomes = checks(target, python, "--level", "files")
    findings = {
        name: outcome["findings"] for name, outcome in outcomes.items() if outcome["findings"]
    }
    assert [name for name in findings if findings[name][0]["severity"] == "error"] == [rule]
    assert says in findings[rule][0]["remedy"]


@pytest.mark.parametrize("case", HEALTHY)
def test_the_same_files_corrected_train(
    case: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("cluster")
    target, arguments = laid(tmp_path / "job", *HEALTHY[case])
    assert ends_with(python, target.parent, arguments) == ""
    outcomes = checks(target, python, "--level", "files")
    assert not [name for name, outcome in outcomes.items() if outcome["findings"]]


MISSING = {
    "accelerate's": (["--config_file", "acc.yaml"], "configuration file `acc.yaml` does not exist"),
    "DeepSpeed's": (
        ["--use_deepspeed", "--num_processes", "1", "--deepspeed_config_file", "ds.json"],
        "Expected a string path to an existing deepspeed config",
    ),
}


@pytest.mark.parametrize("case", MISSING)
def test_a_file_that_the_launch_line_names_is_missing(
    case: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, (options, dies) = interpreter("cluster"), MISSING[case]
    target, arguments = laid(tmp_path / "job", None, None, {})
    assert dies in ends_with(python, target.parent, [*arguments, *options])
    job = target.with_name("job.sh")
    for name, number in (
        (options[-1], 1),
        (f"{target.parent}/{options[-1]}", 1),
        ("/no/x.yaml", 0),
    ):
        job.write_text(f"accelerate launch {' '.join(options[:-1])} {name} train.py\n")
        check = checks(job, python, "--level", "files", statuses=(0, 1, 3))[
            "launcher-file-not-found"
        ]
        assert (len(check["findings"]), check["state"]) == (
            number,
            "found" if number else "skipped",
        )


KNOWN = """import json
from accelerate.commands.config.config_args import ClusterConfig
from accelerate.commands.launch import launch_command_parser
from accelerate.utils import DistributedType
options = [action.dest for action in launch_command_parser()._actions]
kinds = [kind.value for kind in DistributedType]
print(json.dumps([[*ClusterConfig.__dataclass_fields__], options, kinds]))
"""


def test_what_accelerate_knows_is_read_from_its_sources(
    interpreter: Interpreter,
) -> None:
    python = interpreter("cluster")
    fields, options, kinds = answered(python, ["-c", KNOWN], noisy=True)
    world = known_environment(python)
    keys = keys_of_accelerate(world)
    assert keys.top == {*fields, "fp16", "dynamo_backend"}
    assert {*options} - {"help", "config_file"} <= keys.deepspeed
    assert {name for name in options if name.startswith("fsdp")} <= keys.fsdp
    assert set(kinds_of_accelerate(world)) == set(kinds)


def test_zero3_saves_weights_where_it_gathers_them(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    python, rule = interpreter("cluster"), "zero3-saves-no-weights"
    for name, settings in (("lost", {"stage": 3}), ("kept", GATHERED)):
        target, arguments = laid(tmp_path / name, None, zero(**settings), DS, SAVE)
        assert ends_with(python, target.parent, arguments) == ""
        saved = (target.parent / "final" / "model.safetensors").is_file()
        outcomes = checks(target, python, "--level", "files")[rule]["findings"]
        assert (saved, len(outcomes)) == ((False, 1) if name == "lost" else (True, 0))

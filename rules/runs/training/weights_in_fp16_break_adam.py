"""AdamW does not work with weights in float16.

Without `fp16` all of the optimizer is in float16, too. There its epsilon of 1e-8 is 0, and so are
the squares of usual gradients. AdamW then divides by 0: after the first step the weights are nan.
The log shows a loss of 0 from then on, because transformers writes 0 in place of nan, and an
evaluation gives nan. The fused AdamW computes in float32, but stores the squares in float16: they
are forgotten, and its steps are 4 to 70 times as large as in float32.

Remedy: load the weights in float32 (`dtype: float32`, in older releases `torch_dtype`) and set
`bf16: true`, or `fp16: true` on a GPU without bf16; or train an adapter, whose weights PEFT keeps
in float32.

Versions: every release. AdamW is fused by default from transformers 4.54 on, with torch 2.8 or
newer. transformers 5 loads a script's model in the dtype of its checkpoint. With DeepSpeed or FSDP,
which may keep float32 copies, the rule does not apply.

Seen: trl#1789. Reproduced with SFT on weights in float16: after one step all weights are nan, with
trl 0.12.2 and 0.19.1, and with 0.24.0 and 1.16.0 and `optim="adamw_torch"`; in float32 none. AdamW
of torch 2.13.0 on gradients of 5e-5, in float16: nan after one step; fused, steps of 4.6 times the
learning rate after 10 steps and 12.6 times after 300, in float32 0.3 and 0.2.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, Severity, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.measured.step import step_gradients
from trl_doctor.facts.measured.weights_that_move import refuse_copies, stated_dtype
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.training.schedule import refuse_other_schedules

from ..._recorded.candidate import CONFIG, candidate, config_files

HALF = ("float16", "fp16", "half")
ELSE = {"use_peft": "an adapter is trained, in float32",
        "load_in_4bit": "the weights are quantised", "load_in_8bit": "the weights are quantised",
        "fp16": "fp16 is on"}  # fmt: skip
PLAIN, FUSED = ("adamw_torch", "adamw_hf"), "adamw_torch_fused"
FUSED_SINCE = {"transformers": Version("4.54.0"), "torch": Version("2.8.0")}
SMALLEST = 3e-8
"""A smaller number is 0 in float16."""


def check(facts: Facts) -> Iterator[Finding]:
    run, (trainer, accepted) = facts.run, known_to_trl(facts)
    for key, reason in ELSE.items():
        if run.flag(key):
            raise NotConcerned(reason)
    route, dtype = stated_dtype(facts, accepted)
    if dtype not in HALF:
        return
    optimizer = _optimizer(facts)
    if optimizer not in (*PLAIN, FUSED):
        raise NotConcerned(f"the optimizer is {optimizer}")
    refuse_other_schedules(facts)
    refuse_copies(facts)
    divides = optimizer in PLAIN and (run.number("adam_epsilon") or 1e-8) < SMALLEST
    alone = run.processes == 1
    yield Finding(
        run.place(*route),
        f"{trainer.trainer} trains weights in float16 with {optimizer}: "
        + ("they become nan in the first step" if divides else "its steps become far too large")
        + ("" if alone else ", unless DeepSpeed or FSDP keeps float32 copies"),
        evidence=_measured(facts),
        fix=Fix(
            "load the weights in float32",
            (Put(run.target.path, pointer(*route), "float32"),),
            safe=False,
        ),
        severity=_severity(divides, alone),
    )


def _severity(divides: bool, alone: bool) -> Severity:
    if divides:
        return "error" if alone else "warning"
    return "warning" if alone else "note"


def _optimizer(facts: Facts) -> str:
    """The optimizer that the run names, or the default of the installed releases."""
    optimizer = facts.run.arguments.get("optim")
    if isinstance(optimizer, str):
        return optimizer.lower().removeprefix("optimizernames.")
    versions = facts.environment.known_version
    return FUSED if all(versions(name) >= at for name, at in FUSED_SINCE.items()) else PLAIN[0]


def _measured(facts: Facts) -> tuple[str, ...]:
    """The weights that a step of a small model loses, if one was run."""
    gradients = step_gradients(facts)
    if not gradients or not gradients.not_finite_count:
        return ()
    of = f"{gradients.not_finite_count} of {gradients.parameters} parameters"
    return (f"measured: one step of a small model leaves nan in {of}",)


RUN: dict[str, Json] = {
    "trainer": "dpo",
    "model_name_or_path": "model",
    "dtype": "float16",
    "bf16": False,
    "num_processes": 1,
}
FLOAT: dict[str, Json] = {**RUN, "dtype": "float32"}
OLD: dict[str, Json] = {
    **{key: value for key, value in RUN.items() if key != "dtype"},
    "model_init_kwargs": {"torch_dtype": "float16"},
}
NOW = {"trl": "1.16.0", "transformers": "5.23.0", "torch": "2.13.0"}
BEFORE = {"trl": "0.19.1", "transformers": "4.51.3", "torch": "2.13.0"}
FORGETS = "DPOTrainer trains weights in float16 with adamw_torch_fused: its steps become far too"
SCRIPT = """\
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
model = AutoModelForCausalLM.from_pretrained("model"){cast}
args = SFTConfig("out")
trainer = SFTTrainer(model=model, args=args, train_dataset=rows)
trainer.train()
"""
CHECKPOINT = candidate({}, config_files({"dtype": "float16"}))


def _script(cast: str = "") -> dict[str, Json]:
    return {**CHECKPOINT, "train.py": SCRIPT.format(cast=cast)}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate(OLD, CONFIG),
            versions=BEFORE,
            says="DPOTrainer trains weights in float16 with adamw_torch: they become nan",
            severity="error",
            fixed={"run.json": {**OLD, "model_init_kwargs": {"torch_dtype": "float32"}}},
        ),
        Bad(
            candidate(RUN, CONFIG),
            versions=NOW,
            says=FORGETS,
            severity="warning",
            fixed={"run.json": FLOAT},
        ),
        Bad(
            candidate({**RUN, "optim": "adamw_torch", "num_processes": 8}, CONFIG),
            versions=NOW,
            says="they become nan in the first step, unless DeepSpeed or FSDP",
            severity="warning",
            fixed={"run.json": {**FLOAT, "optim": "adamw_torch", "num_processes": 8}},
        ),
        Bad(
            _script(),
            "train.py",
            versions=NOW,
            says="SFTTrainer trains weights in float16",
            severity="note",
        ),
        Bad(
            _script("\nprint(sum(part.numel() for part in model.parameters()))"),
            "train.py",
            versions=NOW,
            says="SFTTrainer trains weights in float16",
            severity="note",
        ),
        Good(_script(".float()"), "train.py", versions=NOW, skipped="calls float of the model"),
        Good(_script(), "train.py", versions={**NOW, "transformers": "4.57.6", "trl": "0.24.0"}),
        Good(candidate(FLOAT, CONFIG), versions=NOW),
        Good(candidate({**RUN, "use_peft": True}, CONFIG), versions=NOW),
        Good(candidate({**RUN, "fp16": True}, CONFIG), versions=NOW),
        Good(candidate({**RUN, "optim": "adafactor"}, CONFIG), versions=NOW),
        Good(candidate({**RUN, "deepspeed": "z.json"}, CONFIG), versions=NOW, skipped="DeepSpeed"),
    ),
)

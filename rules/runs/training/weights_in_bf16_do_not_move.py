"""bf16 weights do not move at a small learning rate.

bfloat16 has 8 bits of precision: the number next to 0.02 is 0.0001 away. An AdamW step is about as
large as the learning rate. A step smaller than half that distance is rounded away, every time. The
loss is computed and logged as usual, but most weights never change.

Remedy: set `dtype: float32` (`torch_dtype` before trl 0.23.0) with `bf16: true`: that still
computes in bfloat16 and keeps the weights in float32, for twice the memory of weights, gradients
and optimizer. Or train an adapter, whose weights PEFT keeps in float32.

Versions: every release, full fine-tuning with AdamW on weights in bfloat16. If the run sets no
dtype, TRL 1.16.0 trains in float32. It is an error where one process trains at a rate at which less
than 3 % of the weights move, and a note where the number of processes is not known. A notebook that
starts no others has one. With DeepSpeed or FSDP the rule does not apply: ZeRO keeps
float32 copies unless `bf16_master_weights_and_grads` is set, and accelerate 0.34.2 to 1.15.0
converts the weights to float32 under FSDP if mixed precision is on (`bf16: true`). Both were read
in the sources and not tested.

Seen: trl#4770. Measured with AdamW of torch 2.13.0 on weights of N(0, 0.02), 100 steps; the share
of the weights that changed at all, and the average change compared with float32: learning rate
1e-7: 0.1 % and 0.1 %; 1e-6: 1.9 % and 1 %; 5e-6: 7.6 % and 5 %; 1e-5: 15 % and 10 %; 5e-5: 55 % and
47 %; in float32 all of them move. The same in 10 steps of DPO at 1e-6: 2.1 % and 3 % with trl
0.24.0 and 1.16.0.
"""

from collections.abc import Iterator
from itertools import pairwise

from trl_doctor.core.finding import Finding, Fix, Json, Put, Severity, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.trained_with import default_number
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.measured.step import step_gradients
from trl_doctor.facts.measured.weights_that_move import HARDLY, LITTLE, refuse_copies, stated_dtype
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import with_own_adapter

from ..._recorded.candidate import CONFIG, TOKENIZER, candidate, config_files

SHARES = {1e-7: 0.2, 5e-7: 1.0, 1e-6: 2.0, 5e-6: 8.0, 1e-5: 15.0}
"""The measured share of the weights that move, in per cent, by learning rate."""

ELSE = {"use_peft": "an adapter is trained", "load_in_4bit": "the weights are quantised",
        "load_in_8bit": "the weights are quantised"}  # fmt: skip


def check(facts: Facts) -> Iterator[Finding]:
    run, (trainer, arguments_of_trl) = facts.run, known_to_trl(facts)
    for key, reason in ELSE.items():
        if run.flag(key):
            raise NotConcerned(reason)
    if run.script.passed and with_own_adapter(run.script.passed.values.get("model")):
        raise NotConcerned("an adapter is trained")
    optimizer = run.arguments.get("optim")
    if isinstance(optimizer, str) and not optimizer.removeprefix("paged_").startswith("adamw"):
        raise NotConcerned(f"the optimizer is {optimizer}")
    route, dtype = stated_dtype(facts, arguments_of_trl)
    rate = run.number("learning_rate", default_number(arguments_of_trl, "learning_rate"))
    if dtype != "bfloat16" or rate is None or rate >= max(SHARES):
        return
    refuse_copies(facts)
    alone = run.processes == 1 or (run.processes is None and _is_notebook(facts))
    share = next(share for limit, share in SHARES.items() if rate <= limit)
    yield Finding(
        run.place(*route),
        f"{trainer.trainer} trains weights in bfloat16 at a learning rate of {rate:g}: "
        f"about {_between(rate):.2g} % of them move at all"
        + ("" if alone else ", unless DeepSpeed or FSDP keeps float32 copies"),
        evidence=_measured(facts),
        fix=Fix(
            _message(facts),
            (Put(run.target.path, pointer(*route), "float32"),),
            safe=False,
        ),
        severity=_severity(facts, alone, share),
    )


def _between(rate: float) -> float:
    """The share that moves at a rate, between those that were measured."""
    points = [(0.0, 0.0), *SHARES.items()]
    for (lower, few), (upper, many) in pairwise(points):
        if rate <= upper:
            return few + (many - few) * (rate - lower) / (upper - lower)
    return points[-1][1]


def _message(facts: Facts) -> str:
    """What the repair does, in words that are enough where it cannot be made by --fix."""
    if facts.run.script.passed is None:
        return "keep the weights in float32"
    return 'load the model with dtype="float32" (torch_dtype before transformers 4.56)'


def _is_notebook(facts: Facts) -> bool:
    """Whether the run is in a notebook, which trains in one process if it starts no others."""
    file = facts.run.file
    if file is None or isinstance(file, Unavailable) or file.path.suffix != ".ipynb":
        return False
    return b"_launcher" not in file.data


def _severity(facts: Facts, alone: bool, share: float) -> Severity | None:
    """As bad as what a step in bfloat16 measured of it, else by the share of the table."""
    moved = _moved(facts)
    if not alone:
        return "note" if moved is None else "warning"
    gradients = step_gradients(facts)
    if moved is None and gradients and "bfloat16" in gradients.dtypes:
        return None  # the step moved more than the table says
    return "error" if (share / 100 if moved is None else moved) < HARDLY else None


def _moved(facts: Facts) -> float | None:
    """The share that the step moved; None if none was run, or of weights in another dtype."""
    gradients = step_gradients(facts)
    if not gradients or not gradients.elements or gradients.moved >= LITTLE:
        return None
    return gradients.moved


def _measured(facts: Facts) -> tuple[str, ...]:
    """The share that one step of a small model moved, if one was run with such weights."""
    moved = _moved(facts)
    if moved is None:
        return ()
    return (f"measured: one step of a small model moves {moved:.1%} of its weights",)


RUN: dict[str, Json] = {
    "trainer": "dpo",
    "model_name_or_path": "model",
    "dtype": "bfloat16",
    "learning_rate": 1e-6,
    "num_processes": 1,
}
AUTO: dict[str, Json] = {**RUN, "dtype": "auto"}
SAID: dict[str, Json] = {**RUN, "dtype": None, "model_init_kwargs": {"torch_dtype": "bfloat16"}}
NOW = {"trl": "1.16.0", "transformers": "5.23.0"}
FLOAT = {**RUN, "dtype": "float32"}
SHARDED: dict[str, Json] = {**RUN, "accelerate_config": "acc.yaml"}
UNSTATED = {key: value for key, value in RUN.items() if key != "num_processes"}
ALONE = (
    "from transformers import AutoModelForCausalLM\nfrom trl import SFTConfig, SFTTrainer\n"
    "model = AutoModelForCausalLM.from_pretrained('model')\n"
    "SFTTrainer(model, SFTConfig('out', learning_rate=1e-6)).train()\n"
)
ADDED = ALONE.replace("SFTTrainer(m", "model.add_adapter(LoraConfig(r=8))\nSFTTrainer(m")
LAUNCHED = f"from accelerate import notebook_launcher\n{ALONE}"


def _notebook(source: str) -> dict[str, Json]:
    cell: Json = {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}
    notebook: Json = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return {
        **candidate({}, TOKENIZER, config_files({"dtype": "bfloat16"})),
        "train.ipynb": notebook,
    }


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            candidate(RUN, CONFIG),
            versions=NOW,
            severity="error",
            says="weights in bfloat16 at a learning rate of 1e-06: about 2 % of them move at all",
            fixed={"run.json": FLOAT},
        ),
        Bad(
            candidate(AUTO, config_files({"dtype": "bfloat16"})),
            versions=NOW,
            severity="error",
            fixed={"run.json": FLOAT},
        ),
        Bad(
            candidate(SAID, CONFIG),
            versions=NOW,
            severity="error",
            fixed={"run.json": {**SAID, "model_init_kwargs": {"torch_dtype": "float32"}}},
        ),
        Bad(
            candidate({**RUN, "num_processes": 8}, CONFIG),
            versions=NOW,
            says="unless DeepSpeed or FSDP keeps float32 copies",
            severity="note",
            fixed={"run.json": {**FLOAT, "num_processes": 8}},
        ),
        Bad(
            {**candidate(SHARDED, CONFIG), "acc.yaml": "distributed_type: MULTI_GPU\n"},
            versions=NOW,
            severity="error",
            fixed={"run.json": {**FLOAT, "accelerate_config": "acc.yaml"}},
        ),
        Bad(
            candidate({**RUN, "learning_rate": 4e-6}, CONFIG),
            versions=NOW,
            severity="warning",
            fixed={"run.json": {**FLOAT, "learning_rate": 4e-6}},
        ),
        Bad(
            candidate(UNSTATED, CONFIG),
            versions=NOW,
            severity="note",
            fixed={"run.json": {**UNSTATED, "dtype": "float32"}},
        ),
        Bad(_notebook(ALONE), "train.ipynb", NOW, says="about 2 %", severity="error"),
        Bad(_notebook(LAUNCHED), "train.ipynb", NOW, says="unless DeepSpeed", severity="note"),
        Good(candidate({**RUN, "learning_rate": 1e-5}, TOKENIZER, CONFIG), versions=NOW),
        Good(candidate({**RUN, "use_peft": True}, CONFIG), versions=NOW),
        Good(
            {
                **candidate({}, TOKENIZER, config_files({"dtype": "bfloat16"})),
                "train.py": f"from peft import LoraConfig\n{ADDED}",
            },
            "train.py",
            versions=NOW,
        ),
        Good(candidate({**RUN, "optim": "sgd"}, CONFIG), versions=NOW),
        Good(candidate({**RUN, "dtype": None}, CONFIG), versions=NOW),
        Good(candidate({**RUN, "trainer": "sft", "learning_rate": None}, CONFIG), versions=NOW),
        Good(
            candidate({**RUN, "deepspeed": "zero.json"}, CONFIG), versions=NOW, skipped="deepspeed"
        ),
        Good(candidate({**RUN, "fsdp": "full_shard"}, CONFIG), versions=NOW, skipped="with fsdp"),
        Good(
            {**candidate(SHARDED, CONFIG), "acc.yaml": "distributed_type: FSDP\n"},
            versions=NOW,
            skipped="with accelerate_config float32 copies",
        ),
    ),
)

"""The checkpoint to resume from has another adapter.

A resumed run loads the adapter's weights and the optimizer's state into the adapter that its own
arguments describe. With another rank or other target modules they do not fit; a run without an
adapter finds no model in the checkpoint of an adapter, and a run with an adapter cannot use the
checkpoint of a whole model. It fails after the model was loaded and the rows were prepared.

Remedy: describe the adapter as in the checkpoint's adapter_config.json, or start a new run without
`resume_from_checkpoint`.

Versions: every release that resumes; trl up to 1.16.0, PEFT up to 0.21.2.

Seen: reproduced with `trl sft` of trl 1.16.0. Another lora_r: "size mismatch for
base_model.model.…lora_A.default.weight"; other target modules, or a whole model's checkpoint with
use_peft: "loaded state dict contains a parameter group that doesn't match the size of optimizer's
group"; an adapter's checkpoint without use_peft: "Can't find a checkpoint index". Another
lora_alpha raises nothing.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Document, Folder, Unreadable, read
from trl_doctor.facts.rule import Bad, Files, Good, Rule
from trl_doctor.facts.training.resuming import KEY, is_named, named_folder

from ..._recorded.candidate import under, weights

CONFIG, TARGETS = "adapter_config.json", "lora_target_modules"
USUAL_RANK = 16
"""That of TRL's commands."""


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    folder = named_folder(facts) if is_named(facts) else None
    if folder is None or not folder.is_dir():
        raise NotConcerned("the run names no checkpoint that is here")
    checkpoint, at = Folder(folder, folder.name), run.place(KEY)
    trains, saved = run.flag("use_peft"), checkpoint.has(CONFIG)
    if not saved and trains and _whole(checkpoint):
        yield Finding(
            at,
            f"{folder.name} is of a whole model, and the run trains an adapter (use_peft)",
        )
    elif saved and not trains and not _elsewhere(facts):
        yield Finding(
            at, f"{folder.name} is of an adapter, and the run trains none (use_peft is not true)"
        )
    elif saved and trains:
        try:
            adapter = read(checkpoint.file(CONFIG))
        except Unreadable as reason:
            raise Unavailable(str(reason)) from reason
        for key, differs in _differing(facts, adapter):
            place = run.place(key) if key in run.arguments else at
            yield Finding(place, f"the adapter of {folder.name} is another one: {differs}")


def _whole(checkpoint: Folder) -> bool:
    return any(name.startswith(("model", "pytorch_model")) for name in checkpoint.names())


def _elsewhere(facts: Facts) -> bool:
    """Whether the adapter may be made where the arguments do not show it."""
    policy = facts.run.policy
    return facts.run.by_class or isinstance(policy, Unavailable) or policy.has(CONFIG)


def _differing(facts: Facts, adapter: Document) -> Iterator[tuple[str, str]]:
    """The arguments that describe another adapter than the checkpoint's."""
    run = facts.run
    if adapter.get("peft_type") != "LORA" or adapter.get("rank_pattern"):
        return
    rank = run.number("lora_r", 0 if run.by_class else USUAL_RANK)
    r = adapter.get("r")
    if rank and isinstance(r, int) and rank != r:
        yield "lora_r", f"its r is {r}, and lora_r is {rank:g}"
    targets, saved = run.arguments.get(TARGETS), adapter.get("target_modules")
    if isinstance(targets, list) and isinstance(saved, list) and targets != ["all-linear"]:
        here, there = ({str(name) for name in names} for names in (targets, saved))
        if len(targets) > 1 and here != there:
            yield TARGETS, f"its target modules are {', '.join(sorted(there))}"


HERE = "out/checkpoint-1"
RUN: dict[str, Json] = {
    "trainer": "sft",
    "model_name_or_path": "m",
    "output_dir": "out",
    "max_steps": 2,
    KEY: HERE,
}
LORA: dict[str, Json] = {**RUN, "use_peft": True, "lora_r": 8}
STORED = weights(embed=(4, 2))
ADAPTER: Files = {
    CONFIG: {"peft_type": "LORA", "r": 8, "target_modules": ["v_proj", "q_proj"]},
    "adapter_model.safetensors": STORED,
}
TRL = {"trl": "1.16.0"}


def _files(run: dict[str, Json], saved: Files = ADAPTER) -> Files:
    return {"run.json": run, **under("m", {"model.safetensors": STORED}), **under(HERE, saved)}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="parameter group that doesn't match|Can't find a checkpoint index",
    examples=(
        Bad(_files({**LORA, "lora_r": 32}), versions=TRL, says="its r is 8, and lora_r is 32"),
        Bad(
            _files({**LORA, TARGETS: ["q_proj", "k_proj", "v_proj"]}),
            versions=TRL,
            says="its target modules are q_proj, v_proj",
        ),
        Bad(_files(RUN), versions=TRL, says="checkpoint-1 is of an adapter, and the run trains"),
        Bad(
            _files(LORA, {"model.safetensors": STORED}),
            versions=TRL,
            says="checkpoint-1 is of a whole model, and the run trains an adapter",
        ),
        Good(_files(LORA), versions=TRL),
        Good(_files({**LORA, TARGETS: ["q_proj", "v_proj"]}), versions=TRL),
        Good(_files({**LORA, TARGETS: "all-linear"}), versions=TRL),
        Good(_files(RUN, {"model.safetensors": STORED}), versions=TRL),
        Good(_files({**RUN, KEY: None}), versions=TRL),
    ),
)

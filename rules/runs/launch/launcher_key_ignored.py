"""A misspelt key of accelerate, DeepSpeed or FSDP is ignored.

accelerate refuses unknown keys at the top of its file, but takes from `deepspeed_config` and
`fsdp_config` only what it looks for. DeepSpeed does the same at the top of its own file, and
transformers in `fsdp_config` of the run. A misspelt key has no effect, and there is no warning:
nothing is offloaded, clipped or wrapped as intended.

Remedy: correct the key, or remove it.

Versions: every release. The keys of accelerate are read from the installed release; if none is
installed, the keys of 0.34.2 to 1.15.0 count. The keys of DeepSpeed are those of 0.14.5 to 0.19.8;
at the top of its file only a key that looks like one of its own is reported.

Seen: reproduced with SFT of trl 1.16.0, accelerate 1.15.0 and DeepSpeed 0.19.8: with
`offload_optimizer_devise: cpu` nothing is offloaded, with `gradient_cliping: 0.1` gradients are
clipped at 1.0, and with `transformer_layer_cls_to_warp` no class is wrapped. All of them train.
"""

from collections.abc import Iterator, Mapping

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.files import (
    Settings,
    accelerate_settings,
    deepspeed_settings,
    fsdp_settings,
    if_named,
)
from trl_doctor.facts.library.accelerate import keys_of_accelerate
from trl_doctor.facts.library.launcher_keys import OF_DEEPSPEED, OF_FSDP, OF_RUNS_FSDP, TOP
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.launcher import INSTALLED

PARTS: Mapping[str, tuple[str, frozenset[str]]] = {
    "deepspeed_config": ("DEEPSPEED", OF_DEEPSPEED),
    "fsdp_config": ("FSDP", OF_FSDP),
}
"""The parts of accelerate's file: the `distributed_type` that reads them, what to suggest."""

ALIKE = 0.8
"""How much a key at the top of DeepSpeed's file must look like one of its own, up to 1."""


def check(facts: Facts) -> Iterator[Finding]:
    concerned = False
    for settings_of, judge in JUDGES.items():
        if settings := if_named(facts, settings_of):
            concerned = True
            yield from judge(facts, settings)
    if not concerned:
        raise NotConcerned("the run names no settings of accelerate, DeepSpeed or FSDP")


def _of_accelerate(facts: Facts, file: Settings) -> Iterator[Finding]:
    keys = keys_of_accelerate(facts.environment)
    sections = {"deepspeed_config": keys.deepspeed, "fsdp_config": keys.fsdp}
    for part, (kind, part_name) in PARTS.items():
        if file.get("distributed_type") != kind:
            continue
        for key in file.part(part):
            whole = f"fsdp_{key}" if kind == "FSDP" and not key.startswith("fsdp") else key
            if whole not in sections[part]:
                close = ALIKE if whole in part_name else 0.6  # of an older release: not misspelt
                suggestions = similar(whole, part_name & sections[part], alike=close)
                yield _ignored(file, (part, key), suggestions, keys.reader)


def _of_deepspeed(_: Facts, settings: Settings) -> Iterator[Finding]:
    for key in settings.value:
        if key not in TOP and (suggestions := similar(key, TOP, alike=ALIKE)):
            yield _ignored(settings, (key,), suggestions, "DeepSpeed")


def _of_the_run(_: Facts, settings: Settings) -> Iterator[Finding]:
    for key in settings.value:
        if key.removeprefix("fsdp_") not in OF_RUNS_FSDP:
            yield _ignored(settings, (key,), similar(key, OF_RUNS_FSDP), "transformers")


JUDGES = {
    accelerate_settings: _of_accelerate,
    deepspeed_settings: _of_deepspeed,
    fsdp_settings: _of_the_run,
}


def _ignored(
    settings: Settings, keys: tuple[str, ...], suggestions: list[str], reader: str
) -> Finding:
    return Finding(
        settings.place(*keys),
        f"{'.'.join(keys)} of {settings.name} has no effect: {reader} does not know it",
        fix=settings.renamed(keys, suggestions[0]) if _clear(keys[-1], suggestions) else None,
        remedy=f"did you mean {suggestions[0]}?" if suggestions else f"remove {keys[-1]}",
    )


def _clear(key: str, suggestions: list[str]) -> bool:
    return bool(suggestions) and bool(similar(key, suggestions, alike=ALIKE))


def _files(**arguments: Json) -> dict[str, Json]:
    return {"run.json": {"trainer": "sft", "model_name_or_path": "m", **arguments}}


def _accelerate(kind: str, **settings: Json) -> dict[str, Json]:
    acc: Json = {"distributed_type": kind, **settings}
    return {**_files(accelerate_config="acc.yaml"), "acc.yaml": acc}


def _deepspeed(**settings: Json) -> dict[str, Json]:
    return {**_files(deepspeed="ds.json"), "ds.json": settings}


OFFLOADED: Json = {
    "distributed_type": "DEEPSPEED",
    "deepspeed_config": {"offload_optimizer_device": "cpu"},
}
WRAPPED = _files(fsdp="full_shard", fsdp_config={"transformer_layer_cls_to_wrap": ["A"]})
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _accelerate("DEEPSPEED", deepspeed_config={"offload_optimizer_devise": "cpu"}),
            fixed={"acc.yaml": OFFLOADED},
            says="deepspeed_config.offload_optimizer_devise of acc.yaml has no effect",
        ),
        Bad(
            _accelerate("FSDP", fsdp_config={"fsdp_cpu_ofload": True}),
            says="fsdp_config.fsdp_cpu_ofload of acc.yaml has no effect",
        ),
        Bad(
            _deepspeed(gradient_cliping=0.1),
            fixed={"ds.json": {"gradient_clipping": 0.1}},
            says="gradient_cliping of ds.json has no effect",
        ),
        Bad(
            _files(fsdp="full_shard", fsdp_config={"transformer_layer_cls_to_warp": ["A"]}),
            fixed=WRAPPED,
            says="transformer_layer_cls_to_warp of fsdp_config has no effect",
        ),
        Bad(
            {**INSTALLED, **_accelerate("FSDP", fsdp_config={"backward_prefetch_policy": "NONE"})},
            says="of acc.yaml has no effect: accelerate 1.15.0 does not know it",
        ),
        Good(
            {**INSTALLED, **_accelerate("FSDP", fsdp_config={"new_setting": 1, "version": 2})},
        ),
        Good({**INSTALLED, **_accelerate("DEEPSPEED", deepspeed_config={"num_processes": 2})}),
        Good(_files(fsdp="full_shard", fsdp_config={"fsdp_version": 2, "min_num_params": 1})),
        Good(_accelerate("FSDP", fsdp_config={"version": 2, "fsdp_offload_params": True})),
        Good(_accelerate("MULTI_GPU", fsdp_config={"fsdp_cpu_ofload": True})),
        Good(_deepspeed(gradient_clipping=0.1, _comment="ours")),
        Good(_files()),
    ),
)

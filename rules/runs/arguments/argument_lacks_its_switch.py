"""An argument has no effect without another one.

`vllm_mode: colocate` without `use_vllm: true` generates with transformers, many times slower;
`packing_strategy` without `packing: true` packs nothing; `discopop_tau` counts for one loss only.
TRL accepts the argument and does not read it. There is no warning.

Remedy: set what the finding names, or remove the argument.

Versions: every release that has both arguments, and whose default leaves the first one off. Nothing
is reported if the run itself turns it off.

Seen: reproduced with `python benchmarks/quiet_arguments.py` in trl 0.24.0 and 1.16.0: with each of
these arguments alone the weights and the log are those of the run without it, bit for bit; those of
vLLM were read in the sources.
"""

from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl, no_other_program
from trl_doctor.facts.library import releases
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of


class Switch(Struct, frozen=True):
    """An argument without which others have no effect, and the value that turns it on."""

    key: str
    on: Json
    beginnings: tuple[str, ...]
    does: str


SWITCHES = (
    Switch("use_vllm", True, ("vllm_",), "the run generates with transformers, which is slow"),
    Switch("sync_ref_model", True, ("ref_model_sync_steps", "ref_model_mixup_alpha"),
           "the reference model never moves"),
    Switch("packing", True, ("packing_strategy",), "rows are not packed"),
    Switch("use_adaptive_entropy", True,
           ("entropy_coef_min", "entropy_coef_max", "entropy_coef_delta", "entropy_target"),
           "entropy_coef does not change"),
    Switch("loss_type", "sapo", ("sapo_temperature_",), "the loss is another one"),
    Switch("loss_type", "vespo", ("vespo_",), "the loss is another one"),
    Switch("loss_type", "discopop", ("discopop_tau",), "the loss is another one"),
    Switch("f_divergence_type", "alpha_divergence", ("f_alpha_divergence_coef",),
           "the divergence is another one"),
)  # fmt: skip
CONFIGS = {"sft": "SFTConfig", "dpo": "DPOConfig", "grpo": "GRPOConfig", "rloo": "RLOOConfig",
           "kto": "KTOConfig"}  # fmt: skip


def check(facts: Facts) -> Iterator[Finding]:
    no_other_program(facts)
    run, config = facts.run, CONFIGS.get(known_trainer(facts) or "")
    trl = trl_of(facts)
    if config is None or trl is None:
        raise NotConcerned("the arguments of this trainer are not known")
    _, accepted = known_to_trl(facts)
    for switch in SWITCHES:
        if switch.key not in accepted.fields or run.arguments.get(switch.key) is not None:
            continue
        idle = [key for key in run.arguments if key.startswith(switch.beginnings)
                and key in accepted.fields and run.arguments[key] is not None]  # fmt: skip
        usual = releases.default(trl, config, switch.key)
        if not idle or usual is None or _is_on(switch, usual):
            continue
        if switch.key == "packing" and run.flag("eval_packing"):
            continue
        wanted = "true" if switch.on is True else switch.on
        edit = Put(run.target.path, pointer(switch.key), switch.on)
        yield Finding(
            run.place(idle[0]),
            f"{', '.join(idle)} {'has' if len(idle) == 1 else 'have'} no effect without "
            f"{switch.key}: {wanted}: {switch.does}",
            fix=None if run.by_class else Fix(f"set {switch.key} to {wanted}", (edit,), safe=False),
        )


def _is_on(switch: Switch, usual: str) -> bool:
    """Whether a default, as the sources write it, may be what turns the arguments on."""
    return usual != "False" if switch.on is True else str(switch.on) in usual


def _files(trainer: str, **arguments: Json) -> dict[str, Json]:
    return {"run.json": {"trainer": trainer, "model_name_or_path": "m", **arguments}}


SCRIPT = """\
from trl import GRPOConfig, GRPOTrainer
args = GRPOConfig("out", vllm_mode="colocate"{})
trainer = GRPOTrainer(model="m", args=args, train_dataset=rows, reward_funcs=len)
trainer.train()
"""
NEW, OLD = {"trl": "1.16.0"}, {"trl": "0.24.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_files("grpo", vllm_mode="colocate"), versions=NEW,
            says="vllm_mode has no effect without use_vllm: true: the run generates with trans",
            fixed=_files("grpo", vllm_mode="colocate", use_vllm=True)),
        Bad({"train.py": SCRIPT.format("")}, "train.py", versions=NEW, says="vllm_mode has no"),
        Bad(_files("sft", packing_strategy="bfd"), versions=OLD,
            says="packing_strategy has no effect without packing: true: rows are not packed",
            fixed=_files("sft", packing_strategy="bfd", packing=True)),
        Bad(_files("dpo", ref_model_sync_steps=64, ref_model_mixup_alpha=0.5), versions=OLD,
            says="ref_model_sync_steps, ref_model_mixup_alpha have no effect without sync_ref",
            fixed=_files("dpo", ref_model_sync_steps=64, ref_model_mixup_alpha=0.5,
                         sync_ref_model=True)),
        Bad(_files("grpo", vespo_k_pos=1.0), versions=NEW, says="without loss_type: vespo",
            fixed=_files("grpo", vespo_k_pos=1.0, loss_type="vespo")),
        Good(_files("grpo", vllm_mode="colocate", use_vllm=False), versions=NEW),
        Good({"train.py": SCRIPT.format(", use_vllm=True")}, "train.py", versions=NEW),
        Good(_files("dpo", discopop_tau=0.2, loss_type="discopop"), versions=NEW),
        Good(_files("sft", eval_packing=True, packing_strategy="bfd"), versions=NEW),
    ),
)  # fmt: skip

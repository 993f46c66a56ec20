"""An argument has no effect without another one.

`vllm_mode: colocate` without `use_vllm: true` generates with transformers, many times slower;
`packing_strategy` without `packing: true` packs nothing; `discopop_tau` counts for one loss only;
AdamW of torch does not read `optim_args`; GRPO and RLOO draw their rows in their own way. TRL
accepts the argument and does not read it. There is no warning.

A note says that `epsilon`, `epsilon_high` or `delta` clip nothing in GRPO: with one iteration, and
no more steps than one for each generation, the policy that learns is the one that has generated, so
the ratio of both is always 1.

Remedy: set what the finding names, or remove the argument.

Versions: every release that has both arguments, and whose default leaves the first one off. Nothing
is reported if the run itself turns it off, or if the script reads the argument in code of its own.

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
from trl_doctor.facts.library import Fields, releases
from trl_doctor.facts.measured.rehearsal import filled_in
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trainer, trl_of
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.syntax.code import reads_itself


class Switch(Struct, frozen=True):
    """An argument without which others have no effect, and the value that turns it on.

    `done_by` is a class of TRL with which a script does the same itself.
    """

    key: str
    on: Json
    beginnings: tuple[str, ...]
    does: str
    done_by: str = ""


SWITCHES = (
    Switch("use_vllm", True, ("vllm_",), "the run generates with transformers, which is slow"),
    Switch("sync_ref_model", True, ("ref_model_sync_steps", "ref_model_mixup_alpha"),
           "the reference model never moves", "SyncRefModelCallback"),
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
GROUPS = ("grpo", "rloo")
BOUNDS = ("epsilon", "epsilon_high", "delta")
STRATEGY, OPTIONS = "train_sampling_strategy", "optim_args"
ADAM = ("adamw_torch", "adamw_torch_fused")
"""Optimizers that do not read `optim_args`; one of them is the default."""

CONFIGS = {"sft": "SFTConfig", "dpo": "DPOConfig", "grpo": "GRPOConfig", "rloo": "RLOOConfig",
           "kto": "KTOConfig"}  # fmt: skip


def check(facts: Facts) -> Iterator[Finding]:
    no_other_program(facts)
    run, name, trl = facts.run, known_trainer(facts) or "", trl_of(facts)
    config = CONFIGS.get(name)
    if config is None or trl is None:
        raise NotConcerned("the arguments of this trainer are not known")
    _, accepted = known_to_trl(facts)
    yield from _ignored(facts, name, accepted.fields)
    for switch in SWITCHES:
        if switch.key not in accepted.fields or run.arguments.get(switch.key) is not None:
            continue
        idle = [key for key in run.arguments if key.startswith(switch.beginnings)
                and key in accepted.fields and run.arguments[key] is not None
                and not reads_itself(facts, key, switch.done_by)]  # fmt: skip
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


def _ignored(facts: Facts, name: str, fields: Fields) -> Iterator[Finding]:
    """Arguments of transformers that this trainer, or its optimizer, does not read."""
    run = facts.run
    strategy = run.arguments.get(STRATEGY)
    keeps_order = {STRATEGY, "shuffle_dataset"} <= set(fields)
    own_order = reads_itself(facts, STRATEGY)
    if name in GROUPS and strategy not in (None, "random") and keeps_order and not own_order:
        yield Finding(
            run.place(STRATEGY),
            f"{STRATEGY} has no effect: {trainer(facts)} draws its rows in its own way",
            remedy="set shuffle_dataset: false to keep the rows in their order",
        )
    if name == "grpo":
        yield from _clips_nothing(facts, fields)
    values = facts.get(passed)
    optimizer = run.arguments.get("optim") or ADAM[0]
    own = bool(values and values.has("optimizers")) or reads_itself(facts, OPTIONS)
    if run.arguments.get(OPTIONS) and optimizer in ADAM and OPTIONS in fields and not own:
        yield Finding(
            run.place(OPTIONS),
            f"{OPTIONS} has no effect with the optimizer {optimizer}",
            remedy="set adam_beta1, adam_beta2, adam_epsilon or weight_decay",
        )


def _clips_nothing(facts: Facts, fields: Fields) -> Iterator[Finding]:
    """Bounds of a ratio that is always 1: each generation is learned from in one step."""
    run = facts.run
    bounds = [key for key in BOUNDS if run.number(key) is not None and key in fields]
    once = run.number("num_iterations", 1) == 1 and "num_iterations" in fields
    steps = run.number("steps_per_generation") or 0
    batches = run.number("gradient_accumulation_steps", 1) or 1
    if filled_in(facts):
        return
    if bounds and once and steps <= batches and run.number("generation_batch_size") is None:
        yield Finding(
            run.place(bounds[0]),
            f"{', '.join(bounds)} {'clips' if len(bounds) == 1 else 'clip'} nothing: with "
            "num_iterations 1 each batch is learned from once, and the ratio is always 1",
            remedy="set num_iterations above 1, or leave it as it is: nothing has to be clipped",
            severity="note",
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
SYNCS = """\
from trl import DPOConfig, DPOTrainer, SyncRefModelCallback
args = DPOConfig("out", ref_model_sync_steps=64)
trainer = DPOTrainer("m", args=args, train_dataset=rows)
trainer.add_callback(SyncRefModelCallback(trainer.ref_model, trainer.accelerator))
"""
NEW, OLD = {"trl": "1.16.0"}, {"trl": "0.24.0"}
TF = {**NEW, "transformers": "5.23.0"}
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
        Bad(_files("grpo", train_sampling_strategy="sequential"), versions=TF,
            says="has no effect: GRPOTrainer of trl 1.16.0 draws its rows in its own way"),
        Bad(_files("sft", optim_args="betas=0.9"), versions=TF,
            says="optim_args has no effect with the optimizer adamw_torch"),
        Bad(_files("grpo", epsilon=0.2, epsilon_high=0.28), versions=NEW, severity="note",
            says="epsilon, epsilon_high clip nothing: with num_iterations 1 each batch is learned"),
        Good(_files("grpo", epsilon=0.2, num_iterations=2), versions=NEW),
        Good(_files("grpo", epsilon=0.2, steps_per_generation=4), versions=NEW),
        Good(_files("sft", optim_args="momentum=0.9", optim="sgd"), versions=TF),
        Good(_files("sft", train_sampling_strategy="sequential"), versions=TF),
        Good(_files("grpo", vllm_mode="colocate", use_vllm=False), versions=NEW),
        Good({"train.py": SCRIPT.format(", use_vllm=True")}, "train.py", versions=NEW),
        Good(_files("dpo", discopop_tau=0.2, loss_type="discopop"), versions=NEW),
        Good({"train.py": SCRIPT.format("") + "print(args.vllm_mode)\n"}, "train.py", versions=NEW),
        Good({"train.py": SYNCS}, "train.py", versions=NEW),
        Good(_files("sft", eval_packing=True, packing_strategy="bfd"), versions=NEW),
    ),
)  # fmt: skip

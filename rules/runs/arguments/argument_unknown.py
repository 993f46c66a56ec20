"""The run file has a key that its trainer does not take.

A misspelt key has no effect. A script fails when it creates the config. TRL's command line passes
the key to `accelerate launch`, which refuses it, or drops it without a warning and trains with the
default: this depends on the release.

Remedy: correct the name, or remove the key. If a script of your own reads keys that TRL does not
know, ignore this rule. If more than a third of the keys were never TRL's, the file is taken for
another program's and its keys are not judged; with `--trainer` they are, as warnings.

Versions: `trl grpo`, `trl dpo` and `trl rloo` drop an unknown key from 0.22.0 to 0.28.0 and
refuse it from 0.29.0 on; `trl sft` refuses it since 0.18.0. TrlParser, with which scripts read
`--config`, drops it before 0.19.0 and refuses it since. `accelerate launch -m trl.scripts.grpo`
drops a key of the file, and refuses an option of the line since 1.0.0.

Seen: reproduced with `trl grpo --config` and `trl sft --config` with `learning_rat`. trl 1.16.0:
"Accelerate launch command: error: unrecognized arguments: --learning_rat". trl 0.24.0: `trl sft`
fails in the same way, and `trl grpo` drops the key and trains with the default. `cpu: true` in trl
1.16.0: "python: can't open file 'True'".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, Severity
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments import meant
from trl_doctor.facts.arguments import unknown as unknown_arguments
from trl_doctor.facts.arguments.other_names import ANOTHER_KIND
from trl_doctor.facts.arguments.renaming import rename_fix
from trl_doctor.facts.arguments.unknown import UnknownArguments
from trl_doctor.facts.launch.launch_line import of_launcher
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    unknown = unknown_arguments.unknown_arguments(facts)
    unexplained = []
    for key in unknown.keys:
        if unknown.lifetimes(key):
            continue
        if unknown.plain and unknown_arguments.lifetimes_of(unknown.trainer, key):
            yield _of_trainers_config(facts, unknown, key)
        elif remedy := of_launcher(facts, key):
            message = f"{key} comes after the script, which does not take it"
            yield Finding(facts.run.place(key), message, unknown.evidence(key), remedy=remedy)
        elif former := meant.former(key, unknown):
            yield _of_other_release(facts, unknown, key, former)
        elif near := meant.near(key, unknown, facts.run.arguments):
            yield _misspelt(facts, unknown, key, near)
        elif key in unknown.later:
            continue  # a setting of the script's own
        elif owners := "" if unknown.script else _owners(facts, key):
            message = f"{unknown.trainer.trainer} takes no {key}; {owners} it"
            yield Finding(
                facts.run.place(key), message, unknown.evidence(key), severity=_harm(unknown, key)
            )
        else:
            unexplained.append(key)
    if unexplained and (unknown.strange or not unknown.script):
        problem = (
            "TRL does not know this key"
            if len(unexplained) == 1
            else "TRL does not know these keys"
        )
        message = f"{problem}: {', '.join(unexplained)}"
        evidence = (*meant.hints(unexplained, unknown), *unknown.evidence(unexplained[0]))
        # a file with the doctor's own key is read by a script of the user's
        names_trainer = facts.run.trainer_from.startswith("trainer:")
        own = names_trainer or unknown.strange
        severity = "warning" if own else _harm(unknown, unexplained[0])
        remedy = "correct the name, or remove it" if facts.run.by_class else ""
        place = facts.run.place(unexplained[0])
        yield Finding(place, message, evidence, severity=severity, remedy=remedy)
    yield from _switches(facts, unknown)
    unknown.refuse_to_be_clear()


def _of_trainers_config(facts: Facts, unknown: UnknownArguments, key: str) -> Finding:
    """A key that only the trainer's own config has, given to a class of transformers."""
    config = unknown.trainer.config
    return Finding(
        facts.run.place(key),
        f"{unknown.config} takes no {key}: it is an argument of {config}",
        unknown.evidence(key),
        severity=unknown.severity(key),
        remedy=f"give these arguments to {config} of trl instead",
    )


def _of_other_release(facts: Facts, unknown: UnknownArguments, key: str, former: str) -> Finding:
    """A misspelt name that this release does not have either."""
    span = unknown_arguments.lifetimes_of(unknown.trainer, former)[-1]
    release = (
        f"trl {span.last} was the last with it"
        if span.gone_in
        else f"it comes with trl {span.first}"
    )
    message = f"{unknown.trainer.trainer} takes no {key}; did you mean {former}? {release}"
    place = facts.run.place(key)
    severity = unknown.severity(key)
    return Finding(place, message, unknown.evidence(key), None, severity, f"remove {key}")


def _misspelt(facts: Facts, unknown: UnknownArguments, key: str, near: list[str]) -> Finding:
    message = f"{unknown.trainer.trainer} takes no {key}; did you mean {' or '.join(near)}?"
    alone = len(near) == 1 and key not in ANOTHER_KIND
    fix = rename_fix(facts, key, near[0], safe=False) if alone else None
    severity = unknown.severity(key)
    return Finding(facts.run.place(key), message, unknown.evidence(key), fix, severity)


def _switches(facts: Facts, unknown: UnknownArguments) -> Iterator[Finding]:
    """The options of the launcher that have no value, so that a file cannot set them."""
    for key in unknown.switches if unknown.accepted.unknown == "launched" else ():
        message = (
            f"{key} is a switch of accelerate launch: TRL turns it into "
            f"`--{key} {facts.run.arguments[key]}`, and accelerate takes the value as the script"
        )
        yield Finding(facts.run.place(key), message, remedy="set it in accelerate_config")


def _harm(unknown: UnknownArguments, key: str) -> Severity:
    return "warning" if unknown.drops(key) else "error"


def _owners(facts: Facts, key: str) -> str:
    """Which other trainers have a key, as a clause; "" for none."""
    names, still = unknown_arguments.takers(facts.environment, key)
    if not names:
        return ""
    if len(names) == 1:
        return f"only {names[0]} {'takes' if still else 'took'}"
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} others"]
    return f"{', '.join(shown[:-1])} and {shown[-1]} {'take' if still else 'took'}"


GRPO: dict[str, Json] = {"trainer": "grpo", "output_dir": "out", "num_generations": 8, "beta": 0.1}
MEANT: dict[str, Json] = {"trainer": "grpo", "output_dir": "out", "learning_rate": 1e-6}
NEW = {"trl": "1.16.0", "transformers": "5.23.0"}
OLD = {"trl": "0.24.0", "transformers": "4.57.6"}
PARSED = """
from transformers import HfArgumentParser
from trl import GRPOConfig, GRPOTrainer

given = {"output_dir": "out", "wandb_entity": "me"}
(args,) = HfArgumentParser(GRPOConfig).parse_dict(given)
GRPOTrainer("org/m", args=args, reward_funcs=len, train_dataset=None)
"""
ANY_KEYS = PARSED.replace("(given)", "(given, allow_extra_keys=True)")
OTHERS = (
    "model_name: org/m\noutput_dir: out\nlearning_rate: 1.0e-4\nlora_r: 8\nseed: 1\n"
    "use_wandb: false\nexperiment_name: first\n"
)
PLAIN = """
from transformers import TrainingArguments
from trl import SFTTrainer

args = TrainingArguments("out", packing=True)
SFTTrainer("org/m", args=args, train_dataset=None)
"""
LATER = """
from trl import SFTConfig, SFTTrainer

args = SFTConfig("out")
args.mine = 3
SFTTrainer("org/m", args=args, train_dataset=None)
"""
OWN_CLASS = """
from dataclasses import dataclass
from transformers import TrainingArguments
from trl import SFTTrainer

@dataclass
class Own(TrainingArguments):
    max_length: int = 512

SFTTrainer("org/m", args=Own("out", max_length=8), train_dataset=None)
"""
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="not used by the HfArgumentParser.*|Unknown arguments from config file.*",
    examples=(
        Bad(
            {"run.json": {"trainer": "grpo", "output_dir": "out", "learning_rat": 1e-6}},
            versions=NEW,
            says="GRPOTrainer takes no learning_rat; did you mean learning_rate?",
            fixed={"run.json": MEANT},
        ),
        Bad(
            {"run.json": {**GRPO, "use_lora": True}},
            versions=NEW,
            says="GRPOTrainer takes no use_lora; did you mean use_peft?",
            fixed={"run.json": {**GRPO, "use_peft": True}},
        ),
        Bad(
            {"run.json": {**GRPO, "kl_coef": 0.1}},
            versions=NEW,
            says="GRPOTrainer takes no kl_coef; RLOOTrainer and PPOTrainer took it",
        ),
        Bad(
            {"run.json": {**GRPO, "max_promt_length": 512}},
            versions=NEW,
            says="takes no max_promt_length; did you mean max_prompt_length? trl 0.27.2 was the "
            "last with it",
        ),
        Bad({"run.json": {**GRPO, "packing": True}}, versions=OLD, severity="warning"),
        Bad(
            {"run.json": {**GRPO, "image_folders": "a", "max_pixels": 1}},
            versions=NEW,
            says="TRL does not know these keys: image_folders, max_pixels",
            severity="warning",
        ),
        Bad({"run.json": {**GRPO, "multi_gpu": True}}, versions=NEW, says="is a switch"),
        Good({"run.json": {**GRPO, "num_processes": 2, "reward_funcs": ["accuracy_reward"]}}),
        Good({"run.json": {**GRPO, "system_prompt": "Think.", "delta1": 1, "pass_rate_max": 1}}),
        Good({"run.json": {**GRPO, "max_prompt_length": 512}}, versions=NEW),
        Bad({"train.py": PARSED}, "train.py", versions=NEW, says="takes no wandb_entity"),
        Bad({"train.py": PLAIN}, "train.py", versions=NEW, says="is an argument of SFTConfig"),
        Bad(
            {"train.py": LATER.replace("mine", "learning_rat")},
            "train.py",
            versions=NEW,
            severity="warning",
        ),
        Good({"train.py": LATER}, "train.py", versions=NEW),
        Good({"train.py": OWN_CLASS}, "train.py", versions=NEW),
        Good(
            {"train.py": ANY_KEYS}, "train.py", versions=NEW, skipped="not all arguments are known"
        ),
        Good(
            {"run.json": {"trainer": "sft", "stage": "sft", "finetuning_type": "lora"}},
            skipped="a file of LLaMA-Factory",
        ),
        Good(
            {"run.json": {"output_dir": "out", "model": {}, "grpo": {}, "data": {}}},
            skipped="another program reads this file",
        ),
        Good(
            {"run.yaml": OTHERS},
            "run.yaml",
            skipped="another program reads this file: TRL never had 2 of its 7 keys (",
        ),
    ),
)

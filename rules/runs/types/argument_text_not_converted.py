"""A config class gets a number or a truth value as a text.

TRL's commands and parsers convert texts; a config class that a script makes converts nothing. A
number in quotation marks, or `1e-5` from `yaml.safe_load`, stays a text, and the run fails where it
counts with it. The text "false" counts as true, like every text that is not empty: the run does the
opposite of what is written, and there is no error.

Remedy: write the value without quotation marks, or convert it: `float(cfg["learning_rate"])`.

Versions: every release.

Seen: reproduced with trl 0.24.0 and 1.16.0: `SFTConfig(learning_rate="1e-5")` "'<=' not supported
between instances of 'float' and 'str'", and so do 36 others, each alone with SFT or GRPO. Any other
number that is a text is a warning. `use_vllm="false"` "vLLM is not available and
`use_vllm` is set to True".
"""

import ast
import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Reasons
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.placeholders import is_placeholder
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.library.classes import Field
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.scripts import script

FAILS = frozenset({
    "learning_rate", "weight_decay", "adam_beta1", "adam_beta2", "adam_epsilon", "max_grad_norm",
    "num_train_epochs", "max_steps", "warmup_steps", "logging_steps", "save_steps", "seed",
    "per_device_train_batch_size", "gradient_accumulation_steps", "label_smoothing_factor",
    "max_length", "save_total_limit", "neftune_noise_alpha", "dataloader_num_workers",
    "dataset_num_proc", "torch_empty_cache_steps", "beta", "num_generations", "temperature",
    "top_p", "top_k", "min_p", "repetition_penalty", "num_iterations", "epsilon", "epsilon_high",
    "delta", "max_completion_length", "max_prompt_length", "steps_per_generation",
    "generation_batch_size", "top_entropy_quantile",
})  # fmt: skip
"""Numbers that fail as texts in a training that uses nothing else: no class converts them."""

FALSE = ("false", "no", "off", "f", "n", "0")


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if not run.by_class or run.parser:
        raise NotConcerned("the command line converts texts")
    _, accepted = known_to_trl(facts)
    reasons = Reasons()
    for key in run.arguments:
        field = accepted.fields.get(key)
        if field is None or key in run.beside:
            continue
        with reasons.collected():
            value = run.arguments[key]
            if not isinstance(value, str) or is_placeholder(value):
                continue
            if finding := _finding(facts, field, value):
                yield finding
    reasons.raise_any()


def _finding(facts: Facts, field: Field, text: str) -> Finding | None:
    """What is wrong with the text, if the argument takes none."""
    kind, place = _kind(field), facts.run.place(field.name)
    if kind == "truth value" and text.strip().lower() in FALSE:
        return Finding(
            place,
            f"{field.name} is the text {text!r}, which a config class counts as true",
            remedy=f"write {field.name}=False",
        )
    number = _number(text)
    if number is None or kind != "number":
        return None
    return Finding(
        place,
        f"{field.name} is the text {text!r}, but a config class does not convert it to a number",
        ("YAML reads 1e-6 as a text, and 1.0e-6 as a number",) if "e" in text.lower() else (),
        remedy=f"write {number} without quotation marks, or convert it with float() or int()",
        severity=None if field.name in FAILS else "warning",
    )


def _kind(field: Field) -> str:
    """What the argument takes: "truth value", "number", or "" for a text or what is not known."""
    if field.name in FAILS:
        return "number"
    if field.annotation:
        words = set(re.findall(r"\w+", field.annotation)) - {"None", "Optional", "Union"}
        return "truth value" if words == {"bool"} else "number" if words <= {"int", "float"} else ""
    default = field.literal
    if isinstance(default, bool):
        return "truth value"
    return "number" if isinstance(default, int | float) else ""


def _number(text: str) -> Json:
    """The number that a text spells; None for other texts."""
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError):
        return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


PARSED = (
    "import argparse\np = argparse.ArgumentParser()\n"
    "p.add_argument('--lr', type=float, default='1e-5')\na = p.parse_args()\n"
)
PARSER = {
    "train.py": "from trl import SFTConfig, SFTTrainer, TrlParser\n"
    "(args,) = TrlParser(SFTConfig).parse_args_and_config()\nSFTTrainer('m', args=args).train()\n"
}
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="not supported between|unsupported operand|cannot be interpreted",
    examples=(
        Bad(
            script("SFT", "model='m'", "learning_rate='1e-5'"),
            "train.py",
            versions=TRL,
            says="learning_rate is the text '1e-5', but a config class does not convert it",
        ),
        Bad(
            script("SFT", "model='m'", "packing='false'"),
            "train.py",
            versions=TRL,
            says="packing is the text 'false', which a config class counts as true",
        ),
        Good(
            script("SFT", "model='m'", "learning_rate=a.lr", before=PARSED),
            "train.py",
            versions=TRL,
        ),
        Good(script("SFT", "model='m'", "packing=False, report_to='0'"), "train.py", versions=TRL),
        Good(
            {**PARSER, "job.sh": "python train.py --learning_rate 1e-5 --packing no\n"},
            "job.sh",
            versions=TRL,
        ),
        Good(
            {"run.yaml": "trainer: sft\nlearning_rate: 1e-5\npacking: 'no'\n"},
            "run.yaml",
        ),
    ),
)

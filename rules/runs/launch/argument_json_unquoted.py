"""A dictionary on the command line is not valid JSON.

`--gradient_checkpointing_kwargs {"use_reentrant": false}` without quotation marks around it is not
what the shell hands on: it removes the inner marks and splits the text at the blank. The run ends
with "JSONDecodeError" after the libraries are loaded, in each process. So does a dictionary as
Python writes it, `"{'use_reentrant': False}"`.

Remedy: write JSON in single quotes: `'{"use_reentrant": false}'`.

Versions: `gradient_checkpointing_kwargs`, `lr_scheduler_kwargs`, `model_init_kwargs`,
`accelerator_config` and `fsdp_config`, every transformers that has them.

Seen: reproduced with the parsers of transformers and TRL, trl 0.15.2, 0.24.0 and 1.16.0: "Expecting
property name enclosed in double quotes". In single quotes all of them read it.
"""

import json
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule

KEYS = ("gradient_checkpointing_kwargs", "lr_scheduler_kwargs", "model_init_kwargs",
        "accelerator_config", "fsdp_config")  # fmt: skip


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if run.target.launch is None and not run.target.argv:
        raise NotConcerned("no command line is known")
    for key in KEYS:
        value = run.arguments.get(key)
        text = _text(value)
        if not text.startswith("{") or (isinstance(value, str) and _is_json(text)):
            continue
        why = "it has other quotation marks"
        if '"' not in text and "'" not in text:
            why = "the shell took its quotation marks"
        elif isinstance(value, list):
            why = f"the shell splits it into {len(value)} words"
        message = f"{key} is {text}, which is not JSON: {why}"
        remedy = f"write JSON in single quotes: --{key} '{{\"name\": value}}'"
        yield Finding(run.place(key), message, remedy=remedy)


def _text(value: Json) -> str:
    """What the option is given; the words of several."""
    words = value if isinstance(value, list) else [value]
    return " ".join(words_of for words_of in words if isinstance(words_of, str))


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _job(value: str, before: str = "") -> dict[str, Json]:
    script = (
        "from trl import ModelConfig, SFTConfig, SFTTrainer, TrlParser\n"
        "args, model = TrlParser((SFTConfig, ModelConfig)).parse_args_and_config()\n"
        "SFTTrainer(model.model_name_or_path, args=args).train()\n"
    )
    line = "python train.py --model_name_or_path org/m --output_dir out"
    return {
        "job.sh": f"{before}{line} --gradient_checkpointing_kwargs {value}\n",
        "train.py": script,
    }


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="Expecting property name enclosed in double quotes.*",
    examples=(
        Bad(_job('{"use_reentrant": false}'), "job.sh", says="the shell took its quotation marks"),
        Bad(_job('{"use_reentrant":false}'), "job.sh", says="is {use_reentrant:false}, which is"),
        Bad(_job("\"{'use_reentrant': False}\""), "job.sh", says="it has other quotation marks"),
        Good(_job("'{\"use_reentrant\": false}'"), "job.sh"),
        Good(_job('"{\\"use_reentrant\\": false}"'), "job.sh"),
        Bad(
            _job("$WITH", "WITH='{\"use_reentrant\": false}'\n"),
            "job.sh",
            says="the shell splits it into 2 words",
        ),
        Good(_job('"$WITH"', "WITH='{\"use_reentrant\": false}'\n"), "job.sh"),
        Good(_job("$OPTIONS"), "job.sh", skipped="the variable OPTIONS gives it"),
    ),
)

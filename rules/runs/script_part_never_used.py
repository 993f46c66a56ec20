"""The script prepares something and never uses it.

A function that formats the rows, adds the eos or gives a reward, a class with a loss of its own, a
collator, a callback, a model or the result of `dataset.map(…)` is made, and its name comes nowhere
again. The run trains without it: on the rows as they were loaded, or with the library's loss. No
error is raised.

Remedy: use it where it belongs (`dataset = dataset.map(…)`, `reward_funcs=[…]`, `callbacks=[…]`,
the own class instead of TRL's), or remove it.

Versions: any. Reported are functions whose names say that they prepare rows, score or measure, and
those that add tokens, resize embeddings or put an adapter into a model; texts whose names say that
they are a system prompt, an instruction or a template; classes that extend a
trainer, a collator or a callback; and names for such objects, for models and for data sets. Nothing
is reported if the script may read names that it does not write, as `globals()` does. Rows that
`filter` or `map` makes of those that are trained on are also reported where the script only prints
them, if their name is that of a result (`rows_clean`) and not of a count (`rows_too_long`).

Seen: unsloth#683. Reproduced with SFT of trl 0.12.2: `formatting_prompts_func` adds the eos and is
given to no `map`; no row ends with the eos, and with the `map` each does.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.plain import listed
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import NO_CODE

from .._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    idle = facts.run.script.unused_parts
    if not idle and facts.run.script.passed is None:
        raise NotConcerned(NO_CODE)
    if not idle:
        raise NotConcerned("the script uses all that it makes for its training")
    yield Finding(
        idle[0].place,
        f"nothing in the script uses {listed([part.name for part in idle])}: the run trains "
        f"without {'it' if len(idle) == 1 else 'them'}",
        follows=("ppo-model-missing",),
    )


FORMAT = "def formatting_func(row):\n    return {'text': row['text'] + '</s>'}\n"
SYSTEM = "SYSTEM = 'Think in <think> tags, then answer.'\n"
EXPAND = "def expand(model, tokenizer):\n    tokenizer.add_tokens(['<tool>'])\n"
OWN = "class WeightedTrainer(SFTTrainer):\n    pass\n"
MAPPED = "tokenized = rows.map(lambda row: row)\n"
LOADED = (
    "from transformers import AutoModelForCausalLM\n"
    "model = AutoModelForCausalLM.from_pretrained('org/m', dtype='bfloat16')\n"
)
CLEAN = "rows_clean = rows.filter(lambda row: row['text'])\n"
COUNTS = "rows_long = rows.filter(lambda row: len(row['text']) > 99)\nprint(len(rows_long))\n"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            script("SFT", "model='org/m'", before=FORMAT),
            "train.py",
            versions=TRL,
            says="nothing in the script uses function formatting_func: the run trains without it",
        ),
        Bad(
            script("SFT", "model='org/m'", before=OWN + MAPPED),
            "train.py",
            versions=TRL,
            says="class WeightedTrainer and tokenized, which map(…) makes: the run trains without "
            "them",
        ),
        Bad(
            script("SFT", "model='org/m'", before=LOADED),
            "train.py",
            versions=TRL,
            says="nothing in the script uses model, which from_pretrained(…) makes",
        ),
        Bad(
            script("SFT", "model='org/m'", before="import unsloth\n" + FORMAT),
            "train.py",
            versions=TRL,
            says="nothing in the script uses function formatting_func",
        ),
        Bad(
            script("GRPO", "model='org/m'", before=SYSTEM),
            "train.py",
            versions=TRL,
            says="nothing in the script uses text SYSTEM: the run trains without it",
        ),
        Good(script("GRPO", "model='org/m'", before=f"{SYSTEM}print(SYSTEM)\n"), "train.py", TRL),
        Bad(
            script("SFT", "model='org/m'", before=EXPAND),
            "train.py",
            versions=TRL,
            says="nothing in the script uses function expand: the run trains without it",
        ),
        Good(script("SFT", "model='org/m', formatting_func=formatting_func", before=FORMAT),
             "train.py", TRL),
        Bad(
            script("SFT", "model='org/m'", before=f"{CLEAN}print(len(rows_clean))\n"),
            "train.py",
            versions=TRL,
            says="uses rows_clean, which filter(…) makes, but to print it: the run",
        ),
        Good(script("SFT", "model='org/m'", before=f"{CLEAN}rows = rows_clean\n"), "train.py", TRL),
        Good(script("SFT", "model='org/m'", before=COUNTS), "train.py", TRL),
        Good(script("SFT", "model='org/m'", before="def answer(text):\n    return text\n"),
             "train.py", TRL),
        Good(script("SFT", "model='org/m'", before=FORMAT + "print(globals())\n"),
             "train.py", TRL),
    ),
)  # fmt: skip

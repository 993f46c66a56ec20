"""The tokenizer is changed after the rows were read with it.

The trainer renders and tokenizes its rows when it is created. A chat template, an eos token or new
tokens that the script sets between that and `train()` are not in these rows: the run trains with
the old ones and saves the new ones. At inference the model is asked in a form that it has not
learnt. No error is raised.

Remedy: change the tokenizer before the trainer is created.

Versions: every trl: SFT, DPO, KTO, ORPO, CPO and reward models. GRPO and RLOO render their prompts
in each step. A tokenizer that a later trainer gets, too, is left alone.

Seen: reproduced with SFT, DPO, KTO and reward models of trl 0.24.0 and 1.16.0, and with DPO of
0.14.0: the batches have the old template, the saved tokenizer the new one.
"""

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.syntax.after_trainer import after_trainer
from trl_doctor.facts.script.syntax.code import code

from .._recorded.scripts import script

READS_AT_ONCE = ("sft", "dpo", "kto", "orpo", "cpo", "reward")
SETS, CALLS = ("chat_template", "eos_token"), ("add_tokens", "add_special_tokens")
TOKENIZER = ("processing_class", "tokenizer")


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in READS_AT_ONCE:
        raise NotConcerned("the trainer reads its rows when it trains")
    for made, statement in facts[after_trainer]:
        if change := _change(statement, made.names(*TOKENIZER)):
            yield Finding(
                facts[code].place(statement),
                f"{change} comes after the trainer has rendered and tokenized its rows: it trains "
                "without it",
                remedy="move the line before the line that creates the trainer",
            )


def _change(statement: ast.stmt, names: set[str]) -> str:
    """The change of the tokenizer that a statement makes; "" if it makes none."""
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        if not isinstance(target, ast.Attribute) or target.attr not in SETS:
            return ""
        return ast.unparse(target) if ast.unparse(target.value) in names else ""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        ours = call.func.attr in CALLS and ast.unparse(call.func.value) in names
        return f"{ast.unparse(call.func)}(…)" if ours else ""
    return ""


def _script(after: str, trainer: str = "SFT", before: str = "") -> dict[str, str]:
    tokenizer = (
        "from transformers import AutoTokenizer\n"
        f"tok = AutoTokenizer.from_pretrained('org/m')\n{before}trainer = "
    )
    rewards = ", reward_funcs='org/r'" if trainer == "GRPO" else ""
    files = script(trainer, f"model='org/m', processing_class=tok{rewards}", before=tokenizer)
    return {"train.py": files["train.py"] + after}


LATE = "tok.chat_template = 'x'\n"
SECOND = f"{LATE}second = SFTTrainer(model='org/m', processing_class=tok)\nsecond.train()\n"
OTHER = "tok = AutoTokenizer.from_pretrained('org/judge')\n"
SPLIT = "def first(tok):\n    trainer = SFTTrainer(processing_class=tok)\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script(f"{LATE}trainer.train()\n"),
            "train.py",
            says="tok.chat_template comes after the trainer has rendered and tokenized its rows",
        ),
        Bad(
            _script("trainer.processing_class.add_tokens(['<x>'])\ntrainer.train()\n", "DPO"),
            "train.py",
            says="trainer.processing_class.add_tokens(…) comes after",
        ),
        Good(_script("trainer.train()\n", before=LATE), "train.py"),
        Good(_script(f"trainer.train()\n{LATE}"), "train.py"),
        Good(_script(SECOND), "train.py"),
        Good(_script(f"{OTHER}{LATE}trainer.train()\n"), "train.py"),
        Good(_script("trainer.train()\n", before=f"{SPLIT}def second(tok):\n    {LATE}"),
             "train.py"),
        Good(_script(f"{LATE}trainer.train()\n", "GRPO"), "train.py"),
    ),
)  # fmt: skip

"""A mask that says which tokens are learned is thrown away.

A function of the script returns the tokens of a row together with a mask or labels, and no call of
it uses these. The trainer makes labels of all tokens then: the questions are learned as well as the
answers. No error is raised.

Remedy: give the rows `labels` with -100 where the mask is 0, or a column that TRL's SFTTrainer
reads: `completion_mask`, or `assistant_masks` with `assistant_only_loss=True`. If all tokens are
meant to be learned, remove the mask.

Versions: any. Reported are functions that return a tuple with a name such as `mask`, `loss_mask` or
`labels`, where each call names its parts, nothing in the script reads that one, and the tokens
become `input_ids` of rows. A script whose rows or collator have labels of another origin is left
alone, and so is a mask of attention, and a copy of the tokens.

Seen: nanochat#582. Reproduced with SFT of trl 1.16.0: rows of `input_ids` alone, each question has
a loss; with labels of the mask none has.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.unused_masks import unused_masks

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    for mask in facts[unused_masks]:
        yield Finding(
            mask.place,
            f"{mask.function} returns {mask.name}, and nothing uses it: the prompts are learned, "
            "too",
            remedy=f"give the rows labels that are -100 where {mask.name} leaves a token out",
        )


RENDER = "def render(row):\n    ids, mask = [1, 2], [0, 1]\n    return ids, mask\n"
ROWS = "def to_row(row):\n    {0} = render(row)\n    return {1}\nrows = rows.map(to_row)\n"


COPIED = RENDER.replace("[1, 2], [0, 1]", "list(row), list(row)")
ATTENTION = RENDER.replace("[1, 2], [0, 1]", "row['input_ids'], row['attention_mask']")


def files(names: str, row: str, render: str = RENDER) -> dict[str, str]:
    return script("SFT", "model='org/m'", before=render + ROWS.format(names, row))


IDS = "{'input_ids': ids}"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            files("ids, _", IDS),
            "train.py",
            says="render returns mask, and nothing uses it: the prompts are learned, too",
        ),
        Bad(files("ids, kept", IDS), "train.py", says="render returns mask"),
        Good(files("ids, mask", "{'input_ids': ids, 'completion_mask': mask}"), "train.py"),
        Good(files("ids, _", "{'prompt': row['prompt'], 'size': len(ids)}"), "train.py"),
        Good(files("ids, _", "{'input_ids': ids, 'labels': after_answer(ids)}"), "train.py"),
        Good(files("ids, _", IDS, COPIED), "train.py"),
        Good(files("ids, _", IDS, ATTENTION), "train.py"),
        Good(files("both", "{'input_ids': both[0], 'labels': both[1]}"), "train.py"),
    ),
)

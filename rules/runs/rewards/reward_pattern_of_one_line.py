"""A reward's pattern misses answers of several lines.

In a Python pattern the dot matches no line break. A pattern such as `<think>.*?</think>` matches
only if everything between the tags is in one line. Models write several lines there: the function
gives its lowest reward to every completion, and a reward that is the same for all teaches nothing.

Remedy: pass `flags=re.DOTALL`, or begin the pattern with `(?s)`.

Versions: any. Functions that look at one line after another, or make one line of the text first,
are left alone.

Seen: unsloth#1761. Reproduced: with trl 1.16.0 such a function gives 0.0 to a well-formed answer of
several lines, and 0.5 with `re.DOTALL`.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rewards.sources import reward_signatures
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in ("grpo", "rloo"):
        raise NotConcerned("only GRPO and RLOO call reward functions")
    for signature in reward_signatures(facts):
        if signature.one_line:
            yield Finding(
                signature.place,
                f"{signature.name} gives no reward to an answer of several lines: the dot in "
                f"{signature.one_line!r:.80} matches no line break",
            )


HEAD = "import re\n\ndef score(completions, **kwargs):\n"
LOOKS = (
    "    return [1.0 if re.search(r'<think>.*?</think>', one{}) else 0.0 for one in completions]\n"
)
JOINED = "    completions = [' '.join(one.split()) for one in completions]\n"
BOTH = "one) or re.search(r'<think>.*?</think>', one, re.S)"
RUN: dict[str, Json] = {"trainer": "grpo", "reward_funcs": ["mine.score"]}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN, "mine.py": HEAD + LOOKS.format("")},
            says="mine.score gives no reward to an answer of several lines",
        ),
        Bad(
            {"run.json": RUN, "mine.py": HEAD + LOOKS.format(", re.IGNORECASE")},
            says="matches no line break",
        ),
        Bad(
            {
                "run.json": RUN,
                "mine.py": HEAD + LOOKS.format("").replace(".*?", r"\n(.*?)\s*"),
            },
            says="gives no reward to an answer of several lines",
        ),
        Good({"run.json": RUN, "mine.py": HEAD + LOOKS.format(", re.DOTALL | re.IGNORECASE")}),
        Good({"run.json": RUN, "mine.py": HEAD + LOOKS.format(", flags=FLAGS")}),
        Good(
            {"run.json": RUN, "mine.py": HEAD + LOOKS.format("").replace("<think>", "(?s)<think>")}
        ),
        Good({"run.json": RUN, "mine.py": HEAD + LOOKS.format("").replace(".*?", "[\\s\\S]*?")}),
        Good({"run.json": RUN, "mine.py": HEAD + JOINED + LOOKS.format("")}),
        Good({"run.json": RUN, "mine.py": HEAD + LOOKS.format("").replace("one)", BOTH)}),
    ),
)

"""A tool cannot be described to the model.

GRPO describes each tool to the model by its docstring and its type hints. If one is missing, the
run fails when it renders the first prompt, after the model was loaded: "Cannot generate JSON schema
for search because it has no docstring!". The methods of an environment are tools too.

Remedy: give each argument a type hint and the docstring a line for it under `Args:`, in Google's
style: `query: what to search for`, without a type in brackets. A method that is no tool needs a
name with `_` at its beginning.

Versions: every trl with tools for GRPO (0.26.0 and newer).

Seen: reproduced with trl 1.16.0 and transformers 5.23.0: a tool without a docstring, without a type
hint, or without the description of an argument fails in the first step, a lambda too; with them the
run trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.tools import flaw, given, tools

from .._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    places = given(facts)
    for tool in tools(facts):
        if why := flaw(tool):
            yield Finding(
                places[tool.argument],
                f"the tool {tool.name} (line {tool.node.lineno}) {why}: the first prompt fails",
            )


DESCRIBED = (
    "def search(query: str, most: int = 3) -> str:\n"
    '    """Searches.\n\n    Args:\n        query: what for\n        most: how many\n    """\n'
    "    return query\n"
)
ROOM = (
    "class Room:\n    def reset(self, **kwargs):\n        pass\n"
    "    def move(self, steps: int) -> str:\n        return ''\n"
)
TOOLS = "reward_funcs=len, tools=[search]"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            script("GRPO", TOOLS, before="def search(query: str) -> str:\n    return query\n"),
            "train.py",
            versions=TRL,
            says="the tool search (line 4) has no docstring",
        ),
        Bad(
            script("GRPO", TOOLS, before=DESCRIBED.replace("query: str", "query")),
            "train.py",
            versions=TRL,
            says="has no type hint for its argument query",
        ),
        Bad(
            script("GRPO", TOOLS, before=DESCRIBED.replace("most: how", "most (int): how")),
            "train.py",
            versions=TRL,
            says="has no line `most: …` under `Args:`",
        ),
        Bad(
            script("GRPO", "environment_factory=Room", before=ROOM),
            "train.py",
            versions=TRL,
            says="the tool move (line 7) has no docstring",
        ),
        Bad(
            script("GRPO", TOOLS, before="search = lambda query: query\n"),
            "train.py",
            versions=TRL,
            says="the tool lambda (line 4) has no docstring",
        ),
        Good(script("GRPO", TOOLS, before=DESCRIBED), "train.py", versions=TRL),
        Good(script("GRPO", "reward_funcs=len"), "train.py", versions=TRL),
    ),
)

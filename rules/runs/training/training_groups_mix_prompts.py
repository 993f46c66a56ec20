"""The completions of a group answer different prompts.

GRPO and RLOO compare each completion with the others of its group: the group should have
`num_generations` completions of one prompt. The script gives its trainer a data loader or a sampler
of its own that does not repeat the prompts. A completion is then better if its prompt was easier,
and that is what the model learns. No error is raised.

Remedy: use the trainer's own sampler: `sampler=self._get_train_sampler()` in place of
`shuffle=True`.

Versions: every trl with GRPO or RLOO. Only a rehearsal sees it: it looks at the prompts that the
reward functions of the script get, in a run of one process.

Seen: reproduced with GRPO of trl 1.16.0 and 0.24.0: a class that returns
`DataLoader(…, shuffle=True)` in `get_train_dataloader` trains without a warning.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "groups mix prompts"
MESSAGE = (
    "the {0} completions of each group answer different prompts: the script's own data loader or "
    "sampler does not repeat them"
)


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {WHAT: MESSAGE})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "the 4 completions of each group answer different prompts: the script's own data loader"
    return mistake(WHAT, ("4",), "train.py:9", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)

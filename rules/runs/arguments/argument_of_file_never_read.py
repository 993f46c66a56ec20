"""The script does not read an argument of its own settings.

A YAML or JSON file of the script has arguments of its trainer, and the script gives them to the
config one by one, `beta=training["beta"]`, or one section of several. What it leaves out has no
effect: the run trains with the defaults, whatever the file says, and there is no error. A key that
says what the training begins from can be forgotten, too: with an `adapter_path` that nothing reads,
the run begins from the base model.

Remedy: pass it to the config (`beta=training["beta"]`), or all of them (`GRPOConfig(**training)`);
load the adapter, or the checkpoint, that the file names. Give a key the name of its argument, and
let a filter raise for keys that it does not know.

Versions: any. Only a rehearsal sees it. Told are keys named as fields of the trainer's config,
whose value is not the one in use, beside three that reach the config; and only if the script's
code names them nowhere, nor another program beside it that loads such files. A section is told if
the code names it only to print it: one that has no keys of another section, nor the name of another
trainer, an evaluation, or a preset. Of other keys those
of adapters, checkpoints to begin from, further models, tokenizers, templates and LoRA are looked
at, and only in a section that is read key by key. Other names of common arguments, and names that
differ from them by a letter, are also looked at in dictionaries and objects of the script's own.

Seen: FAI-RL#96, Soup#802, Soup#805. Reproduced with GRPO of trl 1.16.0: `beta: 0.04` in the file,
and the trainer has 0.0, so that no KL term is added to the loss. liquid-finetune#35: the policy of
GRPO has no matrices of the adapter that `adapter_path` names.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = "nothing in the script reads {0} of {1}: the trainer's config gets other keys of it"
START = "nothing in the script reads {0} of {1}: the run does without it, whatever the file says"
NAME = (
    "nothing in the script reads {0} of {1}: other keys reach the trainer's config, and it has no "
    "argument of this name"
)
PARAMETER = (
    "nothing in the script reads {0} of {1}: {2}(…) is called without it, and uses its default, {3}"
)
SECTION = "nothing in the script gives the section {0} of {1} to the trainer's config: {2}"
REMEDY = "pass it to the config, as the other keys, or all of them: **section"

LOAD = "load what it names before the trainer is made, or remove the key"
PASS = "pass it to the function that has a parameter of this name"
WHOLE = "pass its values, too: **section"
RENAME = "give the key the name of the argument that it means"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"key of file unread": MESSAGE}, remedy=REMEDY)
    yield from mistake_findings(facts, {"section unread": SECTION}, remedy=WHOLE)
    yield from mistake_findings(facts, {"start of file unread": START}, remedy=LOAD)
    yield from mistake_findings(facts, {"key under another name": NAME}, remedy=RENAME)
    yield from mistake_findings(facts, {"key of parameter unread": PARAMETER}, remedy=PASS)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("beta (0.04, not 0.0)", "recipe.yaml")
    says = "nothing in the script reads beta (0.04, not 0.0) of recipe.yaml"
    start = ("adapter_path (runs/sft)", "recipe.yaml")
    told = "nothing in the script reads adapter_path (runs/sft) of recipe.yaml"
    name = ("lr (1e-06; learning_rate is 2e-05)", "recipe.yaml")
    unnamed = "nothing in the script reads lr (1e-06; learning_rate is 2e-05) of recipe.yaml"
    section = ("grpo", "run.yaml", "beta (0.04, not 0.0), num_generations (4, not 8)")
    whole = "nothing in the script gives the section grpo of run.yaml to the trainer's config: beta"
    watch = ("watches (true)", "recipe.yaml", "Watch", "False")
    default = "watches (true) of recipe.yaml: Watch(…) is called without it, and uses its default"
    return (
        mistake("key of parameter unread", watch, "train.py:30", default),
        mistake("key under another name", name, "train.py:30", unnamed),
        mistake("key of file unread", words, "train.py:30", says),
        mistake("section unread", section, "train.py:30", whole),
        mistake("start of file unread", start, "train.py:30", told),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)

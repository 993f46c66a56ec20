"""The chat template cannot be used with tools.

GRPO with `tools` or `environment_factory` renders the calls of the model and the answers of the
tools, and must find the calls in the model's text. It refuses a chat template that leaves calls out
("does not support tool calling"). It can read calls only of templates that are exact copies of its
own, and refuses any other ("Unrecognized chat template, failed to add response schema"). It also
refuses a template that renders a call differently once the answer follows ("not
training-compatible", "not prefix-preserving"). In all cases the model has been loaded before.

Remedy: take a model whose chat template prints `tool_calls` and messages of the role `tool` (Qwen3,
for example), with its original template; or set `tokenizer.response_template` (older transformers:
`response_schema`) before the trainer is created, and pass the tokenizer as `processing_class`. The
template must render each message independently of the messages after it (no `loop.last`).

Versions: trl 1.4.0 and newer check whether the template prints tool calls; the known templates are
read from the installed release.

Seen: trl#5724. Reproduced with trl 1.16.0 and transformers 5.23.0, with a ChatML template that
prints contents only, and with one that prints tool calls and is not among TRL's own; the second
trains with `tokenizer.response_template`, unless it writes `<think>` into the last message alone.
Of 390 public templates that print calls it refuses 44 for that; the rule reports exactly these.
"""

from collections.abc import Iterator
from typing import Any

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.chat_template import template
from trl_doctor.facts.rows.images import sees
from trl_doctor.facts.rows.rendered import left_out, rewrites_calls
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.tools import given, known_templates, mentions
from trl_doctor.facts.special_tokens import TOKENIZER, tokenizer_facts

from .._recorded.candidate import CONFIG, RUN, candidate, tokenizer_files
from .._recorded.scripts import script

FIRST = Version("1.4.0")
KEYS = ("response_template", "response_schema")


def check(facts: Facts) -> Iterator[Finding]:
    place = next(iter(given(facts).values()))
    version = facts.environment.known_version("trl")
    if facts[sees]:
        raise Unavailable("how a processor renders tool calls is not known")
    missing = left_out(facts)
    if version >= FIRST and missing:
        message = f"the chat template leaves out tool calls ({missing}): GRPOTrainer refuses it"
        yield Finding(place, message)
    elif rewrites_calls(facts) and not _is_known_to_trl(facts, "get_training_chat_template"):
        yield Finding(
            place,
            "the chat template renders a tool call differently once its answer follows: "
            "GRPOTrainer refuses it",
        )
    elif not _parsed(facts):
        yield Finding(
            place,
            f"trl {version} does not know this chat template: it cannot read tool calls, and the "
            f"tokenizer has no {KEYS[0]}",
        )


def _parsed(facts: Facts) -> bool:
    """Whether TRL can read calls: by its own templates, or by what tokenizer or script set."""
    if mentions(facts, *KEYS):
        raise Unavailable(f"the script itself has {KEYS[0]} or {KEYS[1]}")
    owner = tokenizer_facts(facts)
    config = owner.folder.get(TOKENIZER)
    if config is not None and any(config.get(key) for key in KEYS):
        return True
    return _is_known_to_trl(facts, "add_response_schema")


def _is_known_to_trl(facts: Facts, function: str) -> bool:
    """Whether the template is one that a function of TRL knows letter by letter."""
    return tokenizer_facts(facts)[template].text in known_templates(facts, function)


PLAIN = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
CALLS = PLAIN.replace("<|im_end|>", "{{ m.tool_calls | tojson if m.tool_calls }}<|im_end|>")
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}


def files(template: str, arguments: str = "model='model', tools=[len]") -> dict[str, Any]:
    model = candidate(RUN, CONFIG, tokenizer_files(chat_template=template))
    return {**script("GRPO", f"reward_funcs=len, {arguments}"), **model}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            files(PLAIN),
            "train.py",
            versions=TRL,
            says="the chat template leaves out tool calls (the name of the tool, its arguments)",
        ),
        Good(files(CALLS), "train.py", versions=TRL, skipped="shows no templates"),
        Good(
            files(CALLS, "model='model', tools=[len], # response_template\n"),
            "train.py",
            versions=TRL,
            skipped="the script itself has response_template",
        ),
        Good(files(PLAIN, "model='model'"), "train.py", versions=TRL),
    ),
)

"""The installed transformers cannot load the tokenizer.

The job fails when it starts, on every node, before a model is loaded.

Remedy: do what the message asks for. If the message does not help, save the tokenizer with a
release that loads it, `AutoTokenizer.from_pretrained(name).save_pretrained(folder)`.

Versions: any; the transformers of the job's environment loads the tokenizer.

Seen: tested 95 public folders with 4.57.6 and 5.23.0; failures were a config.json that this
transformers refuses, `tiktoken` not installed, a tokenizer.json that its tokenizers cannot parse.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from trl_doctor.core.finding import Finding, Place
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.load import error_line, load, tokenizer_part
from trl_doctor.facts.model.hub_copies import files_left_on_hub
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import tokenizer_facts
from trl_doctor.facts.tokenizer import Unloadable, read_tokenizer
from trl_doctor.probes.answers.load import LoadError

from .._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from .._recorded.load import TOKENIZER as LOADED
from .._recorded.load import answers


def check(facts: Facts) -> Iterator[Finding]:
    raised, view = facts[tokenizer_part].raised, tokenizer_facts(facts)
    if raised is None:
        return
    _refuse_known(view)
    if files_left_on_hub(view.folder):
        raise Unavailable("not all files of the tokenizer are on this machine")
    version = facts.environment.version("transformers")
    yield Finding(
        Place(view.folder.path),
        f"transformers {version} does not load the tokenizer of {view.folder.label}: "
        f"{excerpt(_hidden(raised) or error_line(raised), 200)}",
        evidence=tuple(_evidence(raised)),
        follows=("config-refused-by-transformers", *_of_the_model(facts, raised)),
    )


def _of_the_model(facts: Facts, raised: LoadError) -> tuple[str, ...]:
    """The rule about the model, where the model fails with the same error."""
    loaded = facts.get(load)
    answer = loaded.value.models.get("policy") if loaded and loaded.value else None
    same = answer is not None and error_line(answer.raised) == error_line(raised)
    return ("model-does-not-load",) if same else ()


def _refuse_known(view: Facts) -> None:
    """Raises `Unavailable` if the files alone show why: other rules report that better."""
    version = view.environment.version("transformers")
    tokenizer = read_tokenizer(view.folder, version, trusted=True)
    if isinstance(tokenizer.vocabulary_or_reason, Unloadable):
        raise tokenizer.vocabulary_or_reason


def _hidden(raised: LoadError) -> str:
    """The error behind "requires the protobuf library", by which transformers 4 replaces any
    error."""
    first = " ".join(raised.first.split())
    return "" if raised.type != "ImportError" or first.startswith("ImportError: ") else first


def _evidence(raised: LoadError) -> Iterator[str]:
    if _hidden(raised):
        yield f"the error: {excerpt(error_line(raised), 120)}"
    if raised.frames:
        file, line, function, _ = raised.frames[-1]
        yield f"raised in {file.rpartition('site-packages/')[2]}:{line}, {function}"


RAISED = LoadError(
    "ValueError",
    "`tiktoken` is required to read a `tiktoken` file.",
    frames=(("/x/site-packages/transformers/convert_slow_tokenizer.py", 9, "f", "raise"),),
    first="ModuleNotFoundError: No module named 'tiktoken'",
)
FIVE = {"transformers": "5.23.0"}
BROKEN: dict[str, Any] = {**TOKENIZER, "tokenizer_config.json": {"added_tokens_decoder": []}}

PROTOBUF = replace(
    RAISED,
    type="ImportError",
    message="\n requires the protobuf library but it was not found in your environment.",
    first="Exception: data did not match any variant of untagged enum ModelWrapper",
)
FOUR = {"transformers": "4.57.6"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="[Tt]okenizer|processing class",
    examples=(
        Bad(
            candidate(RUN, TOKENIZER, CONFIG),
            versions=FIVE,
            says="does not load the tokenizer of model: ValueError: `tiktoken` is required",
            answers=answers(tokenizer=RAISED),
        ),
        Bad(
            candidate(RUN, TOKENIZER, CONFIG),
            versions=FOUR,
            says="transformers 4.57.6 does not load the tokenizer of model: Exception: data did",
            answers=answers(tokenizer=PROTOBUF),
        ),
        Good(
            candidate(RUN, BROKEN, CONFIG),
            versions=FIVE,
            answers=answers(tokenizer=RAISED),
            skipped="added_tokens_decoder",
        ),
        Good(
            candidate(RUN, TOKENIZER, CONFIG),
            versions=FIVE,
            answers=answers(tokenizer=LOADED),
        ),
    ),
)

"""transformers tokenizes differently from tokenizer.json.

The class that transformers chooses takes the vocabulary from tokenizer.json but splits text by
rules of its own. Numbers or spaces then become tokens that the model was not trained with: training
text gets worse, and programs that read tokenizer.json itself get other tokens for every prompt.

Remedy: choose a class that uses tokenizer.json as it is: `"tokenizer_class":
"PreTrainedTokenizerFast"`. If the model_type overrides that, pass
`PreTrainedTokenizerFast.from_pretrained(folder)` to the trainer as its processing_class.

Versions: mostly transformers 5, which builds LlamaTokenizer, Qwen2Tokenizer and others itself; the
release in the job's environment loads the tokenizer.

A rehearsal compares the tokens of the rows, also where the script loads its tokenizer from a folder
without a model: transformers 5 then chooses the class by `tokenizer_class` alone.

Seen: open-instruct#1896: reproduced with SFT of trl 1.16.0 and a folder of the class GPT2Tokenizer.
Tested 29 public folders with transformers 5.23.0: 11 get other ids, 9 of them only for text
that begins with spaces, one in every chat prompt; with 4.57.6 none of 28. A qwen2 folder whose
tokenizer.json keeps numbers whole got them digit by digit.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from trl_doctor.core.finding import Edit, Finding, Fix, Place, Put
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Folder
from trl_doctor.facts.measured.load import loaded_tokenizer
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import TOKENIZER as FILE
from trl_doctor.facts.special_tokens import tokenizer_facts
from trl_doctor.probes.answers.load import Difference, LoadedTokenizer, OtherClass

from .._recorded.candidate import (
    CONFIG,
    RUN,
    candidate,
    tokenizer_files,
    without_none,
)
from .._recorded.load import TOKENIZER as LOADED
from .._recorded.load import answers
from .._recorded.rehearsal import mistake

WHAT = "texts split otherwise"
MESSAGES = {
    WHAT: "{0} splits {2} of {3} texts of the rows otherwise than {1}/tokenizer.json: "
    "{5!r} in place of {4!r}, in {6!r}"
}
DIRECT = "load it with PreTrainedTokenizerFast.from_pretrained, which uses tokenizer.json as it is"


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts):
        found = [*mistake_findings(facts, MESSAGES, remedy=DIRECT)]
        yield from found
        if found:
            return
    loaded, folder = facts[loaded_tokenizer], tokenizer_facts(facts).folder
    if not loaded.samples:
        raise Unavailable("there is no tokenizer.json to compare with")
    differs, class_name = loaded.differs, loaded.class_name
    if not differs:
        return
    telling = next((way for way in differs if way.text[0] != " "), differs[0])
    beginning = telling.text[0] == " "
    only = ", only where they begin with spaces" if beginning else ""
    version = facts.environment.version("transformers")
    fix = _fix(folder, loaded)
    yield Finding(
        Place(folder.file(FILE), "/tokenizer_class" if fix else ""),
        f"transformers {version} builds the tokenizer as {class_name}: {len(differs)} of "
        f"{loaded.samples} text samples get other tokens than tokenizer.json gives{only}",
        evidence=tuple(_evidence(telling, class_name)),
        fix=fix,
        severity="warning" if beginning else None,
        remedy="" if fix else _recipe(folder, loaded),
    )


def _evidence(first: Difference, class_name: str) -> Iterator[str]:
    yield f"of the text {excerpt(first.text, 100)!r}"
    yield f"tokenizer.json gives … {_shown(first.meant)} …"
    yield f"{class_name} gives … {_shown(first.made)} …"
    if not first.read_back:
        yield f"decoding the ids of {class_name} does not give the text back"


def _shown(tokens: Iterable[str | None]) -> str:
    return " ".join(token or "?" for token in tokens)


def _fix(folder: Folder, loaded: LoadedTokenizer) -> Fix | None:
    """The first class with which no text differs and everything else stays the same."""
    ways = [way for way in loaded.tried if way.class_name and not way.differs and way.same]
    document = folder.get(FILE)
    if not ways or document is None:
        return None
    name = ways[0].class_name
    edits: list[Edit] = [Put(document.path, "/tokenizer_class", name)]
    if document.get("model_input_names") is None:
        # unasked, this class of transformers 4 gives token_type_ids too
        edits.append(Put(document.path, "/model_input_names", ["input_ids", "attention_mask"]))
    return Fix(f"set tokenizer_class to {name}", tuple(edits), changes_tokens=True)


def _recipe(folder: Folder, loaded: LoadedTokenizer) -> str:
    """The remedy if no tokenizer_class helps; the page's remedy if nothing was found."""
    direct = any(not way.class_name and not way.differs for way in loaded.tried)
    if not direct:
        return ""
    return (
        "No tokenizer_class changes that. Create the trainer in a script of your own, with "
        f"processing_class=PreTrainedTokenizerFast.from_pretrained({folder.label!r}), which gives "
        "the tokens of tokenizer.json; name the eos and pad tokens in tokenizer_config.json."
    )


CLASS = tokenizer_files(tokenizer_class="LlamaTokenizer", model_input_names=None)
NAMES = ["input_ids", "attention_mask"]
FIXED = without_none({**CLASS["tokenizer_config.json"],  # type: ignore[dict-item]
                      "tokenizer_class": "PreTrainedTokenizerFast",
                      "model_input_names": [*NAMES]})  # fmt: skip
SPACES = Difference(
    "  two spaces before",
    at=0,
    made=("▁", "▁two", "▁spaces"),
    meant=("▁▁", "▁two", "▁spaces"),
    lengths=(7, 7),
    read_back=False,
)
DIGITS = Difference(
    "What is 123 plus 4567?",
    at=3,
    made=("Ġ", "1", "2", "3"),
    meant=("Ġ12", "3"),
    lengths=(37, 31),
    read_back=True,
)
FAST = OtherClass("PreTrainedTokenizerFast", differs=0, same=True)
SAME = replace(LOADED, samples=11)
LLAMA = replace(SAME, class_name="LlamaTokenizer", differs=(SPACES,), tried=(FAST,))
QWEN = replace(
    SAME,
    class_name="Qwen2Tokenizer",
    differs=(DIGITS, SPACES),
    tried=(replace(FAST, differs=2), OtherClass("", differs=0, same=False)),
)
FIVE = {"transformers": "5.23.0"}

RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate(RUN, CLASS, CONFIG),
            versions=FIVE,
            says="the tokenizer as LlamaTokenizer: 1 of 11 text samples get other tokens than "
            "tokenizer.json gives, only where they begin with spaces",
            severity="warning",
            fixed={"model/tokenizer_config.json": FIXED},
            answers=answers(tokenizer=LLAMA),
            fixed_answers=answers(tokenizer=SAME),
        ),
        Bad(
            candidate(RUN, CLASS, CONFIG),
            versions=FIVE,
            says="the tokenizer as Qwen2Tokenizer: 2 of 11 text samples get other tokens than",
            answers=answers(tokenizer=QWEN),
        ),
        mistake(
            WHAT,
            ("GPT2Tokenizer", "tokenizer", "6", "6", "<t h", "< t h", "<think>"),
            "train.py:9",
            "GPT2Tokenizer splits 6 of 6 texts of the rows otherwise than tokenizer/tokenizer.json",
        ),
        Good(candidate(RUN, CLASS, CONFIG), versions=FIVE, answers=answers(tokenizer=SAME)),
        Good(
            candidate(RUN, CLASS, CONFIG),
            versions=FIVE,
            answers=answers(tokenizer="there are no tokenizer files"),
            skipped="there are no tokenizer files",
        ),
    ),
)

"""The trainer does not read the tokenizer's model_max_length.

The script sets a limit on the tokenizer, and none in the trainer's config. The trainers of TRL cut
rows at their own `max_length`, whose default is 1024 tokens. With a larger limit on the tokenizer
the ends of long rows are lost without a warning; with a smaller one the rows are longer than meant,
and need more memory.

Remedy: write the limit in the config: `max_length` (`max_seq_length` in SFT before trl 0.16).

Versions: trl from 0.14 on, SFT, DPO, KTO, CPO, ORPO and reward training. A script that
tokenizes its rows itself, with `truncation`, is left alone, and so is one that reads the limit
itself, to cut or to choose rows. Nothing is reported if the rows are known and none of them is that
long, or for a number of a million and more, which is no length.

Seen: reproduced with SFT of trl 0.15.2, 0.24.0 and 1.16.0: with `model_max_length = 32` a row has
all of its 90 tokens, with `max_length=32` it has 32. unsloth#2904 is alike: of a limit that is set
elsewhere the rows know nothing, and are cut at 1024.
"""

import ast
import json
from collections.abc import Iterator, Mapping

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import releases
from trl_doctor.facts.measured.data import training_rows
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.facts.script.passed import constructed, passed, whole_number
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.trainer_methods import place_of

from ..._recorded.scripts import LOCAL, script

CUT = ("sft", "dpo", "kto", "cpo", "orpo", "reward")
"""Trainers that cut the rows themselves."""

CONFIG = "tokenizer_config.json"
LIMIT, KEYS = "model_max_length", ("max_length", "max_seq_length")
TOKENIZERS = ("processing_class", "tokenizer")
OWN = b"truncation"
"""What a script that cuts its rows itself says."""

NO_LENGTH = 1_000_000
"""From this number on it only silences a warning."""

AROUND = 32
"""Tokens that a template writes around a message, at most."""


def check(facts: Facts) -> Iterator[Finding]:
    run, kind = facts.run, facts.run.trainer
    if not isinstance(kind, Trainer) or kind.name not in CUT:
        raise NotConcerned("this trainer does not cut rows at max_length")
    key, usual = _usual(facts, kind)
    held = _held(facts) if rehearsed(facts) else None
    if held and usual and _all_short(facts, held, usual):
        return
    values = passed(facts)
    given = next((values.given(name) for name in TOKENIZERS if values.has(name)), None)
    tokenizer = constructed(given)
    stated = {**tokenizer.keywords, **tokenizer.attributes}.get(LIMIT) if tokenizer else None
    limit = whole_number(stated.value) if stated else None
    if tokenizer is None or limit is None or limit >= NO_LENGTH:
        raise NotConcerned(f"the script sets no {LIMIT}")
    if any(key in run.arguments or run.number(key) is not None for key in KEYS):
        raise NotConcerned("the run states the length")
    if run.file is None or isinstance(run.file, Unavailable) or OWN in run.file.data:
        raise NotConcerned("the script may cut its rows itself")
    if _reads(facts):
        raise NotConcerned(f"the script reads {LIMIT} itself")
    if usual and usual != limit and not _all_short(facts, limit, usual):
        yield Finding(
            place_of(facts, tokenizer),
            f"{LIMIT} of the tokenizer is {limit}, but {trainer(facts)} does not read it: longer "
            f"rows are cut at {key} {usual}, its default",
            remedy=f"set {key}={limit} in {kind.config}",
        )


def _usual(facts: Facts, kind: Trainer) -> tuple[str, int]:
    """The argument that limits the rows, and its default; 0 if that is no number."""
    trl = facts.environment.known_version("trl")
    found = ((key, releases.default(trl, kind.config, key)) for key in KEYS)
    key, text = next(((key, text) for key, text in found if text), ("", ""))
    return key, int(text) if text.isdigit() else 0


def _held(facts: Facts) -> int | None:
    """The limit that the tokenizer of a rehearsal has."""
    folder = facts.run.folder_of("tokenizer")
    if isinstance(folder, Unavailable) or not folder.has(CONFIG):
        return None
    value = folder.document(CONFIG).mapping().get(LIMIT)
    return value if isinstance(value, int) else None


def _reads(facts: Facts) -> bool:
    """Whether the script reads the limit, and not only to see whether it has to set it."""
    nodes = facts[code].nodes
    tested = {inner for node in nodes if isinstance(node, ast.If) for inner in ast.walk(node.test)}
    return any(
        isinstance(node, ast.Attribute) and node.attr == LIMIT and isinstance(node.ctx, ast.Load)
        for node in nodes
        if node not in tested
    )


def _all_short(facts: Facts, limit: int, usual: int) -> bool:
    """Whether the rows are known, and none is as long as the shorter of the two limits."""
    measured = facts.get(training_rows)
    if measured and limit > usual and not measured.generated:
        return not measured.labels.full
    rows = facts.get(own_rows)
    return bool(rows) and max(_most_tokens(row) for row in rows or ()) < min(limit, usual)


def _most_tokens(value: Json) -> int:
    """How many tokens the texts of a row are at most: one for each byte."""
    if isinstance(value, str):
        return len(value.encode(errors="replace"))
    if isinstance(value, list):
        return sum(map(_most_tokens, value))
    return sum(map(_most_tokens, value.values())) + AROUND if isinstance(value, Mapping) else 0


LOADED = (
    "from transformers import AutoTokenizer\ntokenizer = AutoTokenizer.from_pretrained('org/m')\n"
)
SET = f"{LOADED}tokenizer.model_max_length = 4096\n"
INSIDE = LOADED.replace("'org/m'", "'org/m', model_max_length=512")
GIVEN = "model='org/m', processing_class=tokenizer"
CUTS = "ids = tokenizer('a').input_ids[: tokenizer.model_max_length]\n"
ASKED = "if tokenizer.model_max_length:\n    pass\ntokenizer.model_max_length = 4096\n"
TRL = {"trl": "1.16.0"}


def _with_rows(text: str) -> dict[str, Json]:
    files = script("SFT", GIVEN, before=SET, rows=LOCAL)
    return {**files, "rows.jsonl": f"{json.dumps({'text': text})}\n" * 4}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            script("SFT", GIVEN, before=SET),
            "train.py",
            versions=TRL,
            says="model_max_length of the tokenizer is 4096, but SFTTrainer of trl 1.16.0 does not "
            "read it: longer rows are cut at max_length 1024, its default",
        ),
        Bad(
            script("DPO", GIVEN, before=INSIDE),
            "train.py",
            versions=TRL,
            says="model_max_length of the tokenizer is 512, but DPOTrainer",
        ),
        Good(script("SFT", GIVEN, "max_length=4096", before=SET), "train.py", versions=TRL),
        Good(script("SFT", GIVEN, "max_length=None", before=SET), "train.py", versions=TRL),
        Good(script("SFT", GIVEN, before=LOADED), "train.py", versions=TRL),
        Good(
            script("SFT", GIVEN, before=f"{SET}ids = tokenizer('a', truncation=True)\n"),
            "train.py",
            versions=TRL,
        ),
        Good(script("SFT", GIVEN, before=SET.replace("4096", "1024")), "train.py", versions=TRL),
        Good(
            script("SFT", GIVEN, before=SET.replace("4096", "int(1e9)")), "train.py", versions=TRL
        ),
        Good(script("SFT", GIVEN, before=f"{SET}{CUTS}"), "train.py", versions=TRL),
        Bad(
            script("SFT", GIVEN, before=LOADED + ASKED),
            "train.py",
            versions=TRL,
            says="model_max_length of the tokenizer is 4096",
        ),
        Good(_with_rows("A short text."), "train.py", versions=TRL),
        Bad(_with_rows("A text. " * 200), "train.py", versions=TRL, says="is 4096, but SFTTrainer"),
    ),
)

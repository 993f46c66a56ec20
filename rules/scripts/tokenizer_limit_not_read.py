"""The trainer does not read the tokenizer's model_max_length.

The script sets a limit on the tokenizer, and none in the trainer's config. The trainers of TRL cut
rows at their own `max_length`, whose default is 1024 tokens. With a larger limit on the tokenizer
the ends of long rows are lost without a warning; with a smaller one the rows are longer than meant,
and need more memory.

Remedy: write the limit in the config: `max_length` (`max_seq_length` in SFT before trl 0.16).

Versions: trl from 0.14 on, SFT, DPO, KTO, CPO, ORPO and reward training. A script that
tokenizes its rows itself, with `truncation`, is left alone.

Seen: reproduced with SFT of trl 0.15.2, 0.24.0 and 1.16.0: with `model_max_length = 32` a row has
all of its 90 tokens, with `max_length=32` it has 32. unsloth#2904 is alike: of a limit that is set
elsewhere the rows know nothing, and are cut at 1024.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import releases
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.facts.script.passed import constructed, passed, whole_number
from trl_doctor.facts.script.trainer_methods import place_of

from .._recorded.scripts import script

CUT = ("sft", "dpo", "kto", "cpo", "orpo", "reward")
"""Trainers that cut the rows themselves."""

LIMIT, KEYS = "model_max_length", ("max_length", "max_seq_length")
TOKENIZERS = ("processing_class", "tokenizer")
OWN = b"truncation"
"""What a script that cuts its rows itself says."""


def check(facts: Facts) -> Iterator[Finding]:
    run, values = facts.run, passed(facts)
    kind = run.trainer
    if not isinstance(kind, Trainer) or kind.name not in CUT:
        raise NotConcerned("this trainer does not cut rows at max_length")
    given = next((values.given(name) for name in TOKENIZERS if values.has(name)), None)
    tokenizer = constructed(given)
    stated = {**tokenizer.keywords, **tokenizer.attributes}.get(LIMIT) if tokenizer else None
    limit = whole_number(stated.value) if stated else None
    if tokenizer is None or limit is None:
        raise NotConcerned(f"the script sets no {LIMIT}")
    if any(key in run.arguments or run.number(key) is not None for key in KEYS):
        raise NotConcerned("the run states the length")
    if run.file is None or isinstance(run.file, Unavailable) or OWN in run.file.data:
        raise NotConcerned("the script may cut its rows itself")
    trl = facts.environment.known_version("trl")
    usual, key = next(
        ((text, key) for key in KEYS if (text := releases.default(trl, kind.config, key))),
        ("", ""),
    )
    if usual.isdigit() and int(usual) != limit:
        yield Finding(
            place_of(facts, tokenizer),
            f"{LIMIT} of the tokenizer is {limit}, but {trainer(facts)} does not read it: rows are "
            f"cut at {key} {usual}, its default",
            remedy=f"set {key}={limit} in {kind.config}",
        )


LOADED = (
    "from transformers import AutoTokenizer\ntokenizer = AutoTokenizer.from_pretrained('org/m')\n"
)
SET = f"{LOADED}tokenizer.model_max_length = 4096\n"
INSIDE = LOADED.replace("'org/m'", "'org/m', model_max_length=512")
GIVEN = "model='org/m', processing_class=tokenizer"
TRL = {"trl": "1.16.0"}
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
            "read it: rows are cut at max_length 1024, its default",
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
    ),
)

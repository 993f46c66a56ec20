"""Prompts are padded on the right.

PPOTrainer pads the prompts of a batch on the side that the tokenizer names, and generates after
their last token. With padding on the right that token is padding for all prompts but the longest:
the policy answers padding tokens and is trained on these answers. There is no error, only
"right-padding was detected" in the log.

Remedy: `AutoTokenizer.from_pretrained(…, padding_side="left")`, as TRL's own PPO script has it.

Versions: PPO of trl 0.12.0 to 1.12.0, RLOO before 0.22.0. Later RLOO, GRPO and OnlineDPO choose the
side themselves.

Seen: DeepSpeedExamples#637, LlamaFactory#2382 (other trainers). Reproduced with PPO of trl 0.12.2,
0.19.1, 0.24.0 and 1.12.0 and RLOO of 0.12.2 and 0.19.1: three of four prompts, all but
the longest, get other answers than without padding; with padding on the left all get the same.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.model.ppo import process_batch
from trl_doctor.facts.model.ppo import release as ppo_release
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.passed import constructed, passed
from trl_doctor.facts.special_tokens.padding_side import side

from ..._recorded.scripts import script

GROUPED = Version("0.22.0")
"""From this release on RLOO is another trainer, which pads prompts itself."""

COLLATOR = "DataCollatorWithPadding"
"""What PPOTrainer takes where a script gives it no collator."""

REMEDY = 'load the tokenizer with padding_side="left"'


def check(facts: Facts) -> Iterator[Finding]:
    name, trl = known_trainer(facts), _release(facts)
    trainer = TRAINERS[name or "ppo"].trainer
    tried = facts.get(rehearsal)
    if tried and tried.training_rows:
        if tried.training_rows.pads_right:
            yield _finding(facts.run.place("processing_class"), trainer, "the tokenizer pads")
        return
    values = passed(facts)
    collator = values.given("data_collator")
    if collator and getattr(constructed(collator), "short", "") != COLLATOR:
        raise NotConcerned("the script has its own data_collator")
    if process_batch(facts, trl) == 1:
        raise NotConcerned("a batch has one prompt, which needs no padding")
    key = "processing_class" if values.has("processing_class") else "tokenizer"
    if side(facts, values.given(key)) == "right":
        yield _finding(values.places[key], trainer, "this tokenizer pads")


def _release(facts: Facts) -> Version:
    """The target's trl. Raises `NotConcerned` for a trainer that chooses the side itself."""
    if known_trainer(facts) == "ppo":
        return ppo_release(facts)
    trl = trl_of(facts)
    if known_trainer(facts) == "rloo" and trl is None:
        raise Unavailable("trl's release is not known: RLOO before 0.22.0 is affected")
    if known_trainer(facts) != "rloo" or trl is None or trl >= GROUPED:
        raise NotConcerned("this trainer pads prompts on the left itself")
    return trl


def _finding(place: Place, trainer: str, pads: str) -> Finding:
    return Finding(
        place,
        f"{pads} on the right: {trainer} generates after the padding of all prompts but the "
        "longest, and trains on that",
        remedy=REMEDY,
    )


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import TrainingRows

    from ..._recorded.rehearsal import FILES, rehearsed

    ppo = {"run.json": {**FILES["run.json"], "trainer": "ppo"}}
    return (
        Bad(_given("m"), "train.py", versions=TRL, says="this tokenizer pads on the right"),
        Bad(_given("m", "", "RLOO"), "train.py", versions={"trl": "0.19.1"}, says="RLOOTrainer"),
        Bad(
            {**FILES, **ppo},
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(training_rows=TrainingRows(pads_right=True)),
            says="the tokenizer pads on the right",
        ),
        Good(
            {**FILES, **ppo},
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(training_rows=TrainingRows()),
        ),
        Bad(
            _given("m", trainer="PPO", collator="DataCollatorWithPadding(tokenizer)"),
            "train.py",
            versions=TRL,
            says="this tokenizer pads on the right",
        ),
        Good(
            _given("m", trainer="PPO", collator="DataCollatorForSeq2Seq(tokenizer)"),
            "train.py",
            versions=TRL,
        ),
        Good(_given("m", ", padding_side='left'"), "train.py", versions=TRL),
        Good(_given("m", ")\ntokenizer.padding_side = ('left'"), "train.py", versions=TRL),
        Good(_given("gemma"), "train.py", versions=TRL),
        Good(_given("org/m"), "train.py", versions=TRL, skipped="org/m"),
        Good(_given("m", "", "RLOO"), "train.py", versions={"trl": "0.22.0"}),
    )


def _given(name: str, more: str = "", trainer: str = "PPO", collator: str = "") -> dict[str, Json]:
    loaded = (
        "from transformers import AutoTokenizer, DataCollatorForSeq2Seq, DataCollatorWithPadding\n"
        f"tokenizer = AutoTokenizer.from_pretrained('{name}'{more})\n"
    )
    arguments = "model='m', processing_class=tokenizer"
    arguments += f", data_collator={collator}" if collator else ""
    return {**script(trainer, arguments, before=loaded), **MODELS}


TRL = {"trl": "0.24.0"}
MODELS: dict[str, Json] = {
    "m/tokenizer_config.json": {"tokenizer_class": "PreTrainedTokenizerFast"},
    "gemma/tokenizer_config.json": {"tokenizer_class": "GemmaTokenizerFast"},
}
RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)

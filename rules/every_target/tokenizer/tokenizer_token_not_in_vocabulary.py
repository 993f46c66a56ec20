"""The eos or pad token is a token that no file lists.

transformers then adds the token to the vocabulary, with a new id and without a warning. Often it is
a typing mistake, such as `<|imend|>`. A wrong eos token is trained: rows of text end with a token
that the model has never seen, in place of the one that it knows. A wrong pad token only takes an
id.

Remedy: name a token that tokenizer.json or `added_tokens_decoder` has. If a new token is meant, add
it with `tokenizer.add_special_tokens`, resize the model, and save both.

Versions: every release.

Seen: reproduced with `"eos_token": "<|imend|>"` in tokenizer_config.json: SFT of trl 0.24.0 and
1.16.0 trains rows that end with id 300 of 300 tokens, and says only that config and generation
config were aligned. GRPO of trl 0.24.0 stops at this id alone: its clipped_ratio is 1.0.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix
from trl_doctor.core.similar import similar
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import generation_config, model_config
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import generation_stop_ids, tokenizer_edits, tokenizer_facts
from trl_doctor.facts.tokenizer import SpecialToken, Tokenizer, tokenizer

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate, tokenizer_files

ROLES = ("eos_token", "pad_token")


def check(facts: Facts) -> Iterator[Finding]:
    view = tokenizer_facts(facts)
    loaded = view[tokenizer]
    for role in ROLES:
        token = loaded.roles.get(role)
        stated = token is not None and not token.by and token.place.file.parent == view.folder.path
        if token is not None and stated and token.content in loaded.vocabulary.only_named:
            yield _finding(facts, role, token, loaded)


def _finding(facts: Facts, role: str, token: SpecialToken, loaded: Tokenizer) -> Finding:
    known = {text: id for id in _stated_ids(facts, role) if (text := loaded.token(id))}
    others = [text for text in known if text not in loaded.vocabulary.only_named]
    meant = next(iter(similar(token.content, others)), None)
    edits = tuple(tokenizer_edits(tokenizer_facts(facts).folder, role.removesuffix("_token"), meant)
                  if meant else ())  # fmt: skip
    end = "rows of text end with it" if role == "eos_token" else "padding alone uses it"
    return Finding(
        token.place,
        f"{role} is {token.content}, which no file of the tokenizer lists: transformers adds it as "
        f"a new token ({token.id}), and {end}",
        evidence=(f"most like it: {meant} ({known[meant]})",) if meant else (),
        fix=Fix(f'set {role} to "{meant}"', edits) if meant else None,
        severity="warning" if role == "eos_token" else "note",
    )


def _stated_ids(facts: Facts, role: str) -> list[int]:
    """The ids that the model's own files state for this token."""
    if role == "eos_token":
        return list(generation_stop_ids(facts))
    files = filter(None, (facts.get(model_config), facts.get(generation_config)))
    ids = [file.get("pad_token_id") for file in files]
    return [id for id in ids if isinstance(id, int) and not isinstance(id, bool)]


SLIP, PAD = tokenizer_files(eos_token="<|imend|>"), tokenizer_files(pad_token="<|fim_padd|>")
ANOTHER = tokenizer_files(eos_token="</s>")
FIXED = {"model/tokenizer_config.json": TOKENIZER["tokenizer_config.json"]}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            candidate(RUN, SLIP, CONFIG),
            says="eos_token is <|imend|>, which no file of the tokenizer lists: transformers adds "
            "it as a new token (8)",
            fixed=FIXED,
        ),
        Bad(candidate(RUN, SLIP, CONFIG), target="model", says="<|imend|>", fixed=FIXED),
        Bad(candidate(RUN, ANOTHER, CONFIG), says="eos_token is </s>"),
        Bad(candidate(RUN, PAD, CONFIG), says="padding alone", severity="note", fixed=FIXED),
        Good(candidate(RUN, TOKENIZER, CONFIG)),
        Good(candidate(RUN, tokenizer_files("<|imend|>", eos_token="<|imend|>"), CONFIG)),
    ),
)

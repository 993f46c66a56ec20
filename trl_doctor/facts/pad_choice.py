"""A token to pad with, chosen among those that a tokenizer already has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from trl_doctor.core.finding import Fix
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.chat_template import chat
from trl_doctor.facts.embeddings import input_rows
from trl_doctor.facts.model_files import eos_ids, model_config, pad_ids
from trl_doctor.facts.special_tokens import edits, trained
from trl_doctor.facts.tokenizer import Tokenizer, tokenizer

NAMES = (
    "<pad>", "[PAD]", "<|pad|>", "<PAD>", "<|PAD|>", "<|padding|>", "<｜▁pad▁｜>", "<|PAD_TOKEN|>",
    "<|finetune_right_pad_id|>", "<|fim_pad|>", "<fim_pad>", "<|vision_pad|>", "<|endofpad|>",
)  # fmt: skip
"""Names of tokens that are there to pad with, or are never used for anything else."""

PAD_LIKE = re.compile(r"\W*(?!image|video|audio)(?:\w+_)?pad(?:ding)?(?:_id|_token)?\W*", re.I)
RESERVED = re.compile(
    r"<\|?(?:reserved|unused|extra|dummy|placeholder|SPECIAL)_?(?:special_)?(?:token_|id_)?\d+\|?>"
    r"|\[(?:unused|control_|UNUSED_TOKEN_)\d+\]|>>UNUSED_\d+<<|<｜place▁holder▁no▁\d+｜>"
)
ZEROTH = ("<|reserved_special_token_0|>", "<unused0>", "[unused0]")
"""Reserved tokens that stand in vocabularies without being listed as added ones."""

BYTES = frozenset(f"<0x{byte:02X}>" for byte in range(256))
PLAIN = [*range(33, 127), *range(161, 173), *range(174, 256)]
ALPHABET = frozenset(map(chr, [*PLAIN, *range(256, 512 - len(PLAIN))]))
"""The characters that stand for the 256 bytes in a byte-level vocabulary."""


@dataclass(frozen=True)
class Pad:
    """A token to pad with; `ends` says that it is an eos, for want of any other."""

    token: str
    id: int
    ends: bool = False


@dataclass(frozen=True)
class Avoid:
    """What a pad token must not be: an end, a token that the chat template prints, without a row.

    `named` are the ids that config.json or generation_config.json already pad with.
    """

    ends: frozenset[int] = frozenset()
    prints: Callable[[str], bool] = lambda token: False
    rows: int | None = None
    named: tuple[int, ...] = ()


def choose(known: Tokenizer, avoid: Avoid) -> Pad | None:
    """The best token that can pad without being read as anything else; never a new one.

    What the files already name goes first, then names of padding tokens, then reserved tokens,
    then an unk that no text becomes. An eos is the last resort, None means that there is none.
    """
    for token, id in _candidates(known, avoid.named):
        free = id not in avoid.ends and not avoid.prints(token)
        if free and id >= 0 and (avoid.rows is None or id < avoid.rows):
            return Pad(token, id)
    eos = known.eos
    if eos is None or eos.id is None or (avoid.rows is not None and eos.id >= avoid.rows):
        return None
    return Pad(eos.content, eos.id, True)


def never_unknown(known: Tokenizer) -> bool:
    """Whether each byte has a token, so that no text becomes unk; raises `Unavailable`."""
    base = known.vocabulary.base
    return len(base.ids(BYTES)) == 256 or len(base.ids(ALPHABET)) == 256


def chosen(facts: Facts) -> Pad | None:
    """The token that this run can pad with, None where there is none, or no tokenizer known."""
    seen = trained(facts)
    known = seen.get(tokenizer)
    if known is None:
        return None
    texts = [template.text for template in known.chat_templates.values()]
    spoken = seen.get(chat) if texts else None

    def prints(token: str) -> bool:
        return any(token in text for text in texts) or bool(spoken and spoken.prints(token))

    ends = {id for source in (*seen[eos_ids], *facts[eos_ids]) for id in source.ids}
    files = (source for source in facts[pad_ids] if source.name != "tokenizer")
    named = tuple(id for source in files for id in source.ids)
    return choose(known, Avoid(frozenset(ends), prints, rows(facts), named))


def fix(facts: Facts, *, eos: bool = True) -> Fix | None:
    """Make the chosen token the pad token everywhere; `eos` says whether an eos will do."""
    pad = chosen(facts)
    if pad is None or (pad.ends and not eos):
        return None
    return Fix(f'set pad_token to "{pad.token}"', edits(facts, "pad", pad.token, pad.id))


def rows(facts: Facts) -> int | None:
    """How many ids the model has an embedding for; None where nothing tells."""
    stored, config = facts.get(input_rows), facts.get(model_config)
    said = [config.get(*route, "vocab_size") for route in ((), ("text_config",))] if config else []
    sizes = [size for size in said if isinstance(size, int) and size > 0]
    return min([*sizes, *([stored.rows] if stored else [])], default=None)


def _candidates(known: Tokenizer, named: tuple[int, ...]) -> Iterator[tuple[str, int]]:
    """Tokens and ids, the best first; tokens of other roles are none."""
    ids = _ids(known)
    roles = {one.content for role, one in known.roles.items() if role != "pad_token"}
    unk = known.unk.content if known.unk else ""
    free = {token: id for token, id in ids.items() if token not in roles}
    by_id = sorted(free, key=free.__getitem__)
    pads = [*(n for n in NAMES if n in free), *(t for t in by_id if PAD_LIKE.fullmatch(t))]
    reserved = [t for t in by_id if RESERVED.fullmatch(t)]
    spare = [*pads, *reserved]
    if (
        unk in ids
        and not isinstance(known.vocabulary_or_reason, Unavailable)
        and never_unknown(known)
    ):
        spare.append(unk)
    yield from ((token, ids[token]) for token in spare if ids[token] in named)
    yield from ((token, ids[token]) for token in spare)


def _ids(known: Tokenizer) -> dict[str, int]:
    """The special tokens and the named ones that the vocabulary has; new ones are left out."""
    if isinstance(known.vocabulary_or_reason, Unavailable):
        return {token.content: id for id, token in known.claimed.items()}
    vocabulary = known.vocabulary_or_reason
    found = vocabulary.base.ids([*NAMES, *ZEROTH])
    return {**found, **vocabulary.added_ids}

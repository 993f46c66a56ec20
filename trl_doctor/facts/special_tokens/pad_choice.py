"""A padding token, chosen from those that a tokenizer already has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from trl_doctor.core.finding import Fix
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.chat_template import chat
from trl_doctor.facts.model.embeddings import input_rows
from trl_doctor.facts.model.files import eos_ids, model_config, pad_ids
from trl_doctor.facts.special_tokens import token_edits, tokenizer_facts
from trl_doctor.facts.tokenizer import Tokenizer, tokenizer

NAMES = (
    "<pad>", "[PAD]", "<|pad|>", "<PAD>", "<|PAD|>", "<|padding|>", "<｜▁pad▁｜>", "<|PAD_TOKEN|>",
    "<|finetune_right_pad_id|>", "<|fim_pad|>", "<fim_pad>", "<|vision_pad|>", "<|endofpad|>",
)  # fmt: skip
"""Names of tokens that are meant for padding, or that nothing else uses."""

PAD_LIKE = r"(?i)\W*(?!image|video|audio)(?:\w+_)?pad(?:ding)?(?:_id|_token)?\W*"
RESERVED = (
    r"<\|?(?:reserved|unused|extra|dummy|placeholder|SPECIAL)_?(?:special_)?(?:token_|id_)?\d+\|?>"
    r"|\[(?:unused|control_|UNUSED_TOKEN_)\d+\]|>>UNUSED_\d+<<|<｜place▁holder▁no▁\d+｜>"
)
ZEROTH = ("<|reserved_special_token_0|>", "<unused0>", "[unused0]")
"""Reserved tokens that vocabularies contain without listing them as added tokens."""

BYTES = frozenset(f"<0x{byte:02X}>" for byte in range(256))
PLAIN = [*range(33, 127), *range(161, 173), *range(174, 256)]
ALPHABET = frozenset(map(chr, [*PLAIN, *range(256, 512 - len(PLAIN))]))
"""The characters that represent the 256 bytes in a byte-level vocabulary."""


class Pad(Struct, frozen=True):
    """A padding token; `ends` says that it is an eos, because there is no other."""

    token: str
    id: int
    ends: bool = False


class Avoid(Struct, frozen=True):
    """Tokens that are no padding tokens: ends, printed ones, and ids without an embedding row.

    `named` are the ids that config.json or generation_config.json already use for padding.
    """

    ends: frozenset[int] = frozenset()
    prints: Callable[[str], bool] = lambda token: False
    rows: int | None = None
    named: tuple[int, ...] = ()


def choose_pad(loaded: Tokenizer, avoid: Avoid) -> Pad | None:
    """The best existing token that can pad and is never read as anything else.

    The order is: tokens that the files name for padding, known names of padding tokens, reserved
    tokens, an unk that no text becomes. An eos is the last choice; None means that there is none.
    """
    for token, id in _candidates(loaded, avoid.named):
        free = id not in avoid.ends and not avoid.prints(token)
        if free and id >= 0 and (avoid.rows is None or id < avoid.rows):
            return Pad(token, id)
    eos = loaded.eos
    if eos is None or eos.id is None or (avoid.rows is not None and eos.id >= avoid.rows):
        return None
    return Pad(eos.content, eos.id, True)


def never_unknown(loaded: Tokenizer) -> bool:
    """Whether each byte has a token, so that no text becomes unk; raises `Unavailable`."""
    base = loaded.vocabulary.base
    return len(base.ids(BYTES)) == 256 or len(base.ids(ALPHABET)) == 256


def pad_choice(facts: Facts) -> Pad | None:
    """The token that this run can pad with; None if there is none, or no tokenizer is known."""
    view = tokenizer_facts(facts)
    loaded = view.get(tokenizer)
    if loaded is None:
        return None
    texts = [template.text for template in loaded.chat_templates.values()]
    chat_format = view.get(chat) if texts else None

    def prints(token: str) -> bool:
        return any(token in text for text in texts) or bool(
            chat_format and chat_format.prints(token)
        )

    ends = {id for source in (*view[eos_ids], *facts[eos_ids]) for id in source.ids}
    files = (source for source in facts[pad_ids] if source.name != "tokenizer")
    ids = tuple(id for source in files for id in source.ids)
    return choose_pad(loaded, Avoid(frozenset(ends), prints, embedded_id_count(facts), ids))


def pad_fix(facts: Facts, *, eos: bool = True) -> Fix | None:
    """Make the chosen token the padding token everywhere; `eos` says whether an eos is allowed."""
    pad = pad_choice(facts)
    if pad is None or (pad.ends and not eos):
        return None
    return Fix(f'set pad_token to "{pad.token}"', token_edits(facts, "pad", pad.token, pad.id))


def embedded_id_count(facts: Facts) -> int | None:
    """The number of ids that have an embedding in the model; None if it is not known."""
    stored, config = facts.get(input_rows), facts.get(model_config)
    stated = (
        [config.get(*route, "vocab_size") for route in ((), ("text_config",))] if config else []
    )
    sizes = [size for size in stated if isinstance(size, int) and size > 0]
    return min([*sizes, *([stored.rows] if stored else [])], default=None)


def _candidates(loaded: Tokenizer, named: tuple[int, ...]) -> Iterator[tuple[str, int]]:
    """Pairs of token and id, the best first; tokens with another role are left out."""
    ids = _ids(loaded)
    roles = {special.content for role, special in loaded.roles.items() if role != "pad_token"}
    unk = loaded.unk.content if loaded.unk else ""
    free = {token: id for token, id in ids.items() if token not in roles}
    by_id = sorted(free, key=free.__getitem__)
    pads = [*(n for n in NAMES if n in free), *(t for t in by_id if re.fullmatch(PAD_LIKE, t))]
    reserved = [t for t in by_id if re.fullmatch(RESERVED, t)]
    spare = [*pads, *reserved]
    if (
        unk in ids
        and not isinstance(loaded.vocabulary_or_reason, Unavailable)
        and never_unknown(loaded)
    ):
        spare.append(unk)
    yield from ((token, ids[token]) for token in spare if ids[token] in named)
    yield from ((token, ids[token]) for token in spare)


def _ids(loaded: Tokenizer) -> dict[str, int]:
    """The special tokens and the known names that the vocabulary has, with their ids."""
    if isinstance(loaded.vocabulary_or_reason, Unavailable):
        return {token.content: id for id, token in loaded.claimed.items()}
    vocabulary = loaded.vocabulary_or_reason
    base_ids = vocabulary.base.ids([*NAMES, *ZEROTH])
    return {**base_ids, **vocabulary.added_ids}

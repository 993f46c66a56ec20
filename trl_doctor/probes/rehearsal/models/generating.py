"""Sees how the script itself generates."""

from __future__ import annotations

import contextlib
from collections import deque
from functools import partial
from types import ModuleType
from typing import Any, Protocol

from ...child import line
from .. import patching
from ..record import Mistake, Record
from ..where import called_by_user, here
from .adapted import Adapted
from .prompt_form import PromptForm

ASKED = ("add_generation_prompt", "continue_final_message")
"""Arguments of `apply_chat_template` with which a conversation goes on."""

REFUSED, FIRST, MOST = "template refused a row", 3, 160
"""The kind of a mistake, how many are reported, and the most characters of the error."""

TWICE, OPENED = "prompts begin twice", "opening of no row"

SWITCHES = ("enable_thinking", "thinking", "think", "reasoning", "reasoning_effort")
"""Arguments of templates that say whether an answer begins with thoughts."""

KEPT, CALLS, TAIL = 64, 8, 40
"""Conversations that are compared, calls of `generate`, and characters at the end of a prompt."""


class Busy(Protocol):
    """Says whether a trainer is at work, and what rows the last one has learnt."""

    depth: int
    form: PromptForm | None

    @property
    def asked(self) -> Asking: ...


class Asking(Protocol):
    """Is told of each model that generates, with its prompts and the other arguments.

    It says whether the script has asked, and not the doctor.
    """

    def generates(self, model: Any, prompts: Any, more: dict[str, Any], /) -> bool: ...


class Generating:
    """A patch of `generate`, for the calls of the script that no trainer makes."""

    def __init__(self, record: Record, trainers: Busy, adapted: Adapted) -> None:
        self.record, self.trainers, self.told = record, trainers, set[str]()
        self.adapted = adapted
        self.closed: deque[tuple[Any, Any, Any]] = deque(maxlen=KEPT)
        self.calls = 0
        self.refused = list[list[str]]()

    def act(self, module: ModuleType) -> None:
        """`generate` of every model of transformers, and the template of every tokenizer."""
        from transformers import PreTrainedTokenizerBase

        patching.around(module.GenerationMixin, "generate", self._generate)
        patching.around(PreTrainedTokenizerBase, "apply_chat_template", self._rendered)

    def _rendered(self, original: Any, tokenizer: Any, turns: Any, *args: Any, **more: Any) -> Any:
        """Remember conversations that end with a question, and that are not to go on.

        Of conversations that the template refuses the first ones are reported.
        """
        by_user = called_by_user()
        if by_user and not any(more.get(name) for name in ASKED):
            batch = turns if _is_batch(turns) else [turns]
            self.closed.extend((original, tokenizer, one) for one in batch[:KEPT] if _asks(one))
        elif by_user and more.get("add_generation_prompt") and not self.trainers.depth:
            self._opened(original, tokenizer, turns, more)
        try:
            return original(tokenizer, turns, *args, **more)
        except Exception as error:
            if by_user and len(self.refused) < FIRST:
                words = [line(error)[:MOST], _last_text(turns)[:MOST]]
                if words not in self.refused:
                    self.refused.append(words)
                    self.record.mistake(Mistake(REFUSED, words, here()))
            raise

    def _opened(self, original: Any, tokenizer: Any, turns: Any, more: dict[str, Any]) -> None:
        """Report an opening of an answer that no row of the training has."""
        own = {name: value for name, value in more.items() if name in SWITCHES}
        form = self.trainers.form
        if not own or form is None or OPENED in self.told:
            return
        with contextlib.suppress(Exception):  # the call itself says what is wrong
            one = turns[0] if _is_batch(turns) else turns
            if text := form.never_opened(tokenizer, partial(original, tokenizer, one), own):
                words = [text, ", ".join(f"{name}={value}" for name, value in own.items())]
                self._tell(Mistake(OPENED, words))

    def _generate(self, original: Any, model: Any, *args: Any, **more: Any) -> Any:
        prompts = more.get("input_ids", more.get("inputs", args[0] if args else None))
        asked = self.trainers.asked.generates(self.adapted.whole(model), prompts, more)
        if asked and not self.trainers.depth:
            self.adapted.asked(model, prompts)
            self._note(
                _padded_after(model, more), self._is_closed(prompts), self._lacks(model, prompts)
            )
            self._note_first(prompts)
        return original(model, *args, **more)

    def _is_closed(self, prompts: Any) -> bool:
        """Whether a prompt ends with a question, where the template would open the answer."""
        self.calls += 1
        if self.calls > CALLS or getattr(prompts, "ndim", 0) != 2:
            return False
        with contextlib.suppress(Exception):
            for render, tokenizer, turns in self.closed:
                text = render(tokenizer, turns, tokenize=False).rstrip()
                opened = render(tokenizer, turns, tokenize=False, add_generation_prompt=True)
                if opened.rstrip() != text and any(
                    tokenizer.decode(row).rstrip().endswith(text[-TAIL:]) for row in prompts
                ):
                    return True
        return False

    def _lacks(self, model: Any, prompts: Any) -> str:
        """The mark of the rows that this model has learnt, where no prompt has it; else empty."""
        form = self.trainers.form
        if form is None or self.calls > CALLS or getattr(prompts, "ndim", 0) != 2:
            return ""
        with contextlib.suppress(Exception):  # a model or a tokenizer of another kind
            return form.mark if form.lacks(model, prompts) else ""
        return ""

    def _note_first(self, prompts: Any) -> None:
        """Report prompts that begin with a token more than the rows of the last training."""
        form = self.trainers.form
        if form is None or TWICE in self.told or self.calls > CALLS:
            return
        with contextlib.suppress(Exception):  # prompts of another kind
            if form.begins_twice(prompts):
                self._tell(Mistake(TWICE, [form.first]))

    def _note(self, padded: bool, closed: bool, mark: str) -> None:
        """Report, each once, that the script generates, and what is wrong with its prompts."""
        if "generated" not in self.told:
            self.told.add("generated")
            self.record.add("generated", at=here())
        if padded:
            self._tell(Mistake("padded prompts"))
        if closed:
            self._tell(Mistake("closed prompts"))
        if mark:
            self._tell(Mistake("prompts of another form", [mark]))

    def _tell(self, mistake: Mistake) -> None:
        if mistake.what not in self.told:
            self.told.add(mistake.what)
            self.record.mistake(mistake, here())


def _is_batch(turns: Any) -> bool:
    return isinstance(turns, (list, tuple)) and bool(turns) and isinstance(turns[0], (list, tuple))


def _last_text(turns: Any) -> str:
    """The content of the last message of a conversation, if it is a text."""
    last = turns[-1] if isinstance(turns, (list, tuple)) and turns else None
    content = last.get("content") if isinstance(last, dict) else None
    return content if isinstance(content, str) else ""


def _asks(turns: Any) -> bool:
    """Whether a conversation ends with a question."""
    last = turns[-1] if isinstance(turns, (list, tuple)) and turns else None
    return isinstance(last, dict) and last.get("role") == "user"


def _padded_after(model: Any, more: dict[str, Any]) -> bool:
    """Whether prompts of different lengths are padded behind their ends."""
    mask = more.get("attention_mask")
    encodes = getattr(getattr(model, "config", None), "is_encoder_decoder", False)
    if mask is None or encodes or getattr(mask, "ndim", 0) != 2 or mask.shape[0] < 2:
        return False
    return bool((mask[:, -1] == 0).any()) and bool((mask[:, 0] == 1).all())

"""How the chat template ends a turn, and what else it prints around the messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.asking.rendering import Rendered, Renderer
from trl_doctor.core.finding import Json
from trl_doctor.facts.chat_template.conversation import (
    REASONING,
    Conversation,
    Renderings,
    render_conversations,
)


class Template(Struct, frozen=True):
    """A chat template, the variables that it gets, and the tokens that its text can contain.

    `variables` has the named special tokens that are set, under the names that transformers
    uses; a token that is not set is not in it. `tokens` has the added and the special tokens by
    content, with their ids where these are known.
    """

    text: str
    variables: Mapping[str, Json]
    tokens: Mapping[str, int | None]

    @property
    def bos(self) -> str | None:
        """The bos token, None if there is none."""
        return _text(self.variables.get("bos_token"))

    @property
    def eos(self) -> str | None:
        """The eos token, None if there is none."""
        return _text(self.variables.get("eos_token"))


class TurnEnd(Struct, frozen=True):
    """The token that ends an assistant's turn; None if only text or nothing ends it.

    `tail` is the text that the template writes between the answer and the end of the text, or the
    next question. `tokens` are the tokens in it, in order. `ends_others` says that one turn may
    have messages of several kinds (`<|channel|>analysis`, `<|channel|>final`), and that this token
    ends them too: then it is not known whether the turn ends at it.
    """

    token: str | None
    id: int | None
    tail: str
    tokens: tuple[str, ...] = ()
    ends_others: bool = False


class Chat(Struct, frozen=True, dict=True):
    """A chat template and its renderings of one short conversation at several lengths.

    A property raises `TemplateFailed` if the length that it needs cannot be rendered.
    """

    template: Template
    renderings: Renderings

    @property
    def conversation(self) -> Conversation:
        """One question and its answer, as training renders them."""
        return self.renderings.conversation

    @cached_property
    def turn_end(self) -> TurnEnd:
        """How the last turn of a conversation ends, in training."""
        end = self._end(self.conversation.tail, self._opening)
        header = self.conversation.header.lstrip()
        also = bool(end.token) and header.startswith(str(end.token))
        return replace(end, ends_others=also and self.names_kinds)

    @property
    def names_kinds(self) -> bool:
        """Whether an answer's header names the kind of the message beside the speaker.

        `<|start|>assistant<|channel|>final<|message|>` has two words between its tokens, the
        question's `<|start|>user<|message|>` one.
        """
        words = self._words(self.conversation.header)
        return words > 1 and words > self._words(self.renderings.middle)

    @cached_property
    def first_turn_end(self) -> TurnEnd:
        """How a turn ends when another question follows."""
        head = self.conversation.head.rstrip()
        opening = {token for token in self.template.tokens if head.endswith(token)}
        opening -= {self.turn_end.token or ""}
        return self._end(self.renderings.middle, self._opening | opening)

    @cached_property
    def generation_prompt(self) -> str:
        """What `add_generation_prompt` adds; empty if the template ignores it."""
        without, prompt = self.renderings.text("question"), self.renderings.text("prompt")
        shared = _shared_length(without, prompt)
        for at, token in tokens_at(prompt, self.template.tokens):
            if at < shared < at + len(token):
                return prompt[at:]
        return prompt[shared:]

    @property
    def opens_think(self) -> bool:
        """Whether the generation prompt opens a `<think>` block that the model continues."""
        added = self.generation_prompt
        return added.rfind("<think>") > added.rfind("</think>")

    @property
    def prompt_is_prefix(self) -> bool:
        """Whether the rendered conversation starts with the rendered prompt."""
        return self.conversation.text.startswith(self.renderings.text("prompt"))

    @property
    def keeps_history(self) -> bool:
        """Whether a turn is rendered the same, up to the answer's end, when other turns follow."""
        until_answered = self.conversation.text[: self.conversation.answer_end]
        return self.renderings.text("longer").startswith(until_answered)

    @property
    def keeps_reasoning(self) -> bool:
        """Whether a `<think>` block of the last answer is kept when other turns follow."""
        text = self.renderings.text
        return REASONING in text("thinking longer") or REASONING not in text("thinking")

    @property
    def renders_bos(self) -> bool:
        """Whether the rendered text starts with the bos token; False if there is none."""
        bos = self.template.bos
        return bos is not None and self.conversation.text.startswith(bos)

    @property
    def trains_turn_end(self) -> bool | None:
        """Whether `{% generation %}` has the token that ends a turn; None without such a block.

        Checks what `trl.chat_template_utils.is_chat_template_stop_token_trained` checks.
        """
        marked = self.renderings.generation
        if marked is None:
            return None
        return any(marked.rstrip().endswith(token) for token in self._visible_tokens)

    def prints(self, token: str) -> bool:
        """Whether the template prints a token, in a short or a longer conversation."""
        return any(
            token in rendering.text
            for rendering in self.renderings.by_length.values()
            if isinstance(rendering, Rendered)
        )

    def _words(self, header: str) -> int:
        """How many texts are between two tokens of a header."""
        places = tokens_at(header, self._visible_tokens)
        ends = [at + len(token) for at, token in places]
        pairs = zip(ends, (at for at, _ in places[1:]), strict=False)
        return sum(bool(header[end:start].strip()) for end, start in pairs)

    @property
    def _visible_tokens(self) -> list[str]:
        return [token for token in self.template.tokens if token.strip()]

    @property
    def _opening(self) -> set[str]:
        """The bos token, and the first token of the text after it: these tokens open turns."""
        bos = self.template.bos or ""
        text = self.conversation.text.removeprefix(bos).lstrip()
        return {bos} | {token for token in self._visible_tokens if text.startswith(token)}

    def _end(self, tail: str, opening: set[str]) -> TurnEnd:
        """The first token of a tail, unless it opens the next turn: then nothing ends this one."""
        tokens = tuple(token for _, token in tokens_at(tail, self._visible_tokens))
        if not tokens or (tokens[0] in opening and tokens[0] != self.template.eos):
            return TurnEnd(None, None, tail, tokens)
        return TurnEnd(tokens[0], self.template.tokens[tokens[0]], tail, tokens)


def chat_of(template: Template, renderer: Renderer) -> Chat:
    """The template's renderings. Raises the errors of `render_conversations`."""
    return Chat(template, render_conversations(template.text, template.variables, renderer))


def tokens_at(text: str, tokens: Iterable[str]) -> list[tuple[int, str]]:
    """The tokens in a text with their offsets; at one offset the longest of them."""
    present = [token for token in tokens if token and token in text]
    tokens_found: list[tuple[int, str]] = []
    start = 0
    while places := [
        (at, -len(token), token) for token in present if (at := text.find(token, start)) >= 0
    ]:
        at, _, token = min(places)
        tokens_found.append((at, token))
        start = at + len(token)
    return tokens_found


def _shared_length(left: str, right: str) -> int:
    """The number of characters that two texts share at their start."""
    pairs = enumerate(zip(left, right, strict=False))
    return next(
        (at for at, (first, second) in pairs if first != second), min(len(left), len(right))
    )


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None

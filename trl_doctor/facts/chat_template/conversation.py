"""How a chat template renders a short conversation, and where the answer is in the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from trl_doctor.asking.rendering import Message, Render, Rendered, Renderer, TemplateFailed
from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable

SYSTEM, QUESTION, ANSWER = "qzSysWx0", "qzUserWx1", "qzReplyWx2"
SECOND_QUESTION, SECOND_ANSWER, REASONING = "qzUserWx3", "qzReplyWx4", "qzThinkWx5"
"""The contents of the messages: words that no template prints by itself."""

THOUGHT = f"<think>\n{REASONING}\n</think>\n\n{ANSWER}"

RENDERINGS: Mapping[str, tuple[tuple[str, ...], bool]] = {
    "conversation": ((QUESTION, ANSWER), False),
    "longer": ((QUESTION, ANSWER, SECOND_QUESTION, SECOND_ANSWER), False),
    "question": ((QUESTION,), False),
    "prompt": ((QUESTION,), True),
    "thinking": ((QUESTION, THOUGHT), False),
    "thinking longer": ((QUESTION, THOUGHT, SECOND_QUESTION, SECOND_ANSWER), False),
}
"""By length: the contents of the messages, and whether a generation prompt is added."""


class Shape(Struct, frozen=True):
    """How the messages are written, for templates that accept only one form."""

    system: bool = False
    parts: bool = False

    def messages(self, contents: Sequence[str]) -> list[Message]:
        """User and assistant messages in turn, the user first, perhaps after a system message."""
        roles = ["user", "assistant"] * len(contents)
        messages = list(zip(roles, contents, strict=False))
        if self.system:
            messages.insert(0, ("system", SYSTEM))
        return [{"role": role, "content": self._content(text)} for role, text in messages]

    def _content(self, text: str) -> Json:
        return [{"type": "text", "text": text}] if self.parts else text


SHAPES = (Shape(), Shape(system=True), Shape(parts=True), Shape(system=True, parts=True))
"""In the order in which they are tried: the form of most training data first."""


class Conversation(Struct, frozen=True):
    """One question and its answer as training renders them: no generation prompt, answer last.

    `answer_start` and `answer_end` are offsets in `text`.
    """

    text: str
    answer_start: int
    answer_end: int

    @property
    def head(self) -> str:
        """The text before the question; empty if the template omits the question."""
        return self.text[: max(0, self.text.find(QUESTION))]

    @property
    def header(self) -> str:
        """The text between the question and the answer."""
        return self.text[len(self.head) : self.answer_start].removeprefix(QUESTION)

    @property
    def tail(self) -> str:
        """The text after the answer."""
        return self.text[self.answer_end :]


class Renderings(Struct, frozen=True):
    """One template's renderings at several lengths, all in the first shape that it accepts.

    A method that needs a length which cannot be rendered raises `TemplateFailed`.
    """

    shape: Shape
    conversation: Conversation
    by_length: Mapping[str, Rendered | TemplateFailed]

    def rendered(self, length: str) -> Rendered:
        """The rendering of one of the lengths in `RENDERINGS`."""
        rendering = self.by_length[length]
        if isinstance(rendering, TemplateFailed):
            raise rendering
        return rendering

    def text(self, length: str) -> str:
        """The text of one of the lengths in `RENDERINGS`."""
        return self.rendered(length).text

    @property
    def middle(self) -> str:
        """The text between an answer and the next question."""
        longer = self.text("longer")
        start, end = longer.find(ANSWER), longer.find(SECOND_QUESTION)
        if start < 0 or end < start:
            raise Unavailable("the chat template leaves turns of a longer conversation out")
        return longer[start + len(ANSWER) : end]

    @property
    def generation(self) -> str | None:
        """What `{% generation %}` marks in a turn that a question follows; None if nothing."""
        longer = self.rendered("longer")
        until = longer.text.find(SECOND_QUESTION)
        marked = [longer.text[start:end] for start, end in longer.generation if end <= until]
        return "".join(marked) if marked else None


def render_conversations(
    template: str, variables: Mapping[str, Json], renderer: Renderer
) -> Renderings:
    """The renderings in the first shape for which the template prints the answer.

    Raises `TemplateFailed` if no shape can be rendered, `Unavailable` if none prints it.
    """
    reasons: list[Unavailable] = []
    for shapes in (SHAPES[:1], SHAPES[1:]):
        for renderings in _in_shapes(shapes, template, variables, renderer):
            if isinstance(renderings, Renderings):
                return renderings
            reasons.append(renderings)
        if isinstance(reasons[0], TemplateFailed) and reasons[0].kind not in ("raised", "error"):
            break
    raise reasons[0]


def _in_shapes(
    shapes: Sequence[Shape], template: str, variables: Mapping[str, Json], renderer: Renderer
) -> Iterator[Renderings | Unavailable]:
    """For each shape the renderings, or the reason why they cannot be used."""
    cases = [(shape, length) for shape in shapes for length in RENDERINGS]
    renders = [
        Render(shape.messages(RENDERINGS[length][0]), variables, RENDERINGS[length][1])
        for shape, length in cases
    ]
    answers = dict(zip(cases, renderer.render_all(template, renders), strict=True))
    for shape in shapes:
        by_length = {length: answers[shape, length] for length in RENDERINGS}
        last = by_length["conversation"]
        if isinstance(last, TemplateFailed):
            yield last
        elif ANSWER not in last.text:
            yield Unavailable("the chat template does not print the assistant's messages")
        else:
            start = last.text.rfind(ANSWER)
            conversation = Conversation(last.text, start, start + len(ANSWER))
            yield Renderings(shape, conversation, by_length)

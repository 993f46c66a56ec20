"""What `if`, `case`, loops, `&&` and `||` of a shell text do to its variables.

A branch that is known to run, or not to run, counts as that. Where it is not known, a variable that
the branches leave with different values is not known behind them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from msgspec import Struct, field

from trl_doctor.files.launch.shell import conditions
from trl_doctor.files.launch.shell.conditions import Truth, both, either, holds, not_
from trl_doctor.files.launch.shell.loops import Turn, turns
from trl_doctor.files.launch.shell.merging import State, merged
from trl_doctor.files.launch.shell.quoting import Reader
from trl_doctor.files.launch.shell.variables import Shell, Word

LOOPS = ("for", "while", "until", "select")
TESTS = ("[", "[[", "test", "!", "true", "false", ":")
"""Commands whose success is judged. Any other one succeeds."""

ENDING = ("exit", "return", "exec")
"""Commands after which a branch does not go on."""

ARGUMENTS = ("$#", "$1", "${1", "$@", "$*")
OF_ARGUMENTS = re.compile(r"\$(?:#|\{?1)")

MOST_JUMPS = 60
"""How often a text goes back to the start of a loop."""


class Frame(Struct):
    """An `if`, a `case` or a loop that is not over: its branches so far.

    `truth` says whether the condition of the branch holds, `earlier` whether that of a branch above
    it does. `asks` while its condition, or the pattern of a `case`, is being read. `ends` are the
    variables at the end of each branch, with whether it runs. `turns` are those of a loop that are
    still to come, `tested` are the variables of which an `if` asks whether they are empty, `body`
    is where its commands begin in the text, and `begin` the loop itself.
    """

    word: str
    line: int
    before: State
    truth: Truth = None
    earlier: Truth = False
    asks: bool = True
    exits: bool = False
    value: str | None = None
    name: str = ""
    ends: list[tuple[Truth, State]] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    counted: bool = False
    first: bool = True
    body: int = 0
    begin: int = -1
    tested: frozenset[str] = frozenset()


class Branches(Struct):
    """The branches that a shell text is in; `chain` is whether what stands before `&&` succeeded.

    `runs` says whether the command behind `&&` or `||` runs, which begins with `start`. `outside`
    is what a text in parentheses changes for itself alone. `back` is where in the text to read on,
    -1 for here.
    """

    shell: Shell
    frames: list[Frame] = field(default_factory=list)
    chain: Truth = True
    runs: Truth = True
    start: State | None = None
    outside: list[State] = field(default_factory=list)
    back: int = -1
    jumps: int = 0

    @property
    def happens(self) -> Truth:
        """Whether what is read now runs when the file is started."""
        truth = self.runs
        for frame in self.frames:
            loops = frame.word in LOOPS
            own = True if frame.counted else frame.truth
            truth = both(truth, own if loops else both(own, not_(frame.earlier)))
        return truth

    def keyword(self, word: Word, at: int) -> bool:
        """Take a first word of a command that only orders branches, such as `then`.

        `at` is where the text goes on behind it.
        """
        frame = self.frames[-1] if self.frames and word.bare else None
        if frame is None:
            return False
        if word.text in ("then", "do"):
            frame.asks = False
            if word.text == "do" and frame.counted:
                frame.body = at
                self._turn(frame)
        elif word.text == "elif" and frame.word == "if":
            self._end(frame)  # its condition is read with the variables before the branch
            return False
        elif word.text == "else" and frame.word == "if":
            self._end(frame)
            frame.truth = True
        elif (word.text, frame.word) in (("fi", "if"), ("esac", "case")):
            if not (frame.word == "case" and frame.asks):
                self._end(frame)
            frame.ends.append((not_(frame.earlier), frame.before))
            self._leave(frame)
        elif word.text == "done" and frame.word in LOOPS:
            self._done(frame)
        else:
            return False
        return True

    def goes_back(self, reader: Reader, begun: int) -> int:
        """Go back in the text if a loop has another turn; where the next command begins."""
        if self.back < 0:
            return begun
        reader.at, self.back = self.back, -1
        return reader.at

    def _turn(self, frame: Frame) -> None:
        """Begin the next turn of a loop."""
        for name, value in frame.turns.pop(0).items():
            self.shell.variables[name] = [value]
            if frame.word == "for":
                self.shell.turn[name] = value.text

    def _done(self, frame: Frame) -> None:
        """Read the loop once more, or leave it."""
        more = frame.turns or (frame.begin >= 0 and frame.truth)
        if more and self.jumps < MOST_JUMPS:
            self.jumps += 1
            if frame.turns:
                self._turn(frame)
                frame.first, self.back = False, frame.body
            else:
                self.frames.pop()
                self.back = frame.begin
            return
        if frame.truth is False:
            frame.before.into(self.shell)
        self.frames.pop()
        if frame.word == "for":
            self.shell.turn.pop(frame.name, None)

    def command(self, words: Sequence[Word], ending: str, begin: int = -1, text: str = "") -> bool:
        """Take a whole command, which `ending` ends; true if it is only a pattern of a `case`.

        `text` is the command as it is written, which begins at `begin`.
        """
        first, frame = words[0].text, self.frames[-1] if self.frames else None
        if not words[0].bare:
            return False
        if first in ("if", *LOOPS, "case"):
            asks = first == "while" and OF_ARGUMENTS.search(text) and self.shell.arguments
            self.frames.append(self._opened(words, begin if asks else -1))
            return first == "case" and self._pattern(self.frames[-1], words[3:], ending)
        if frame is None:
            return False
        if frame.word == "case" and frame.asks:
            return self._pattern(frame, words, ending)
        if first == "elif" and frame.word == "if":
            frame.truth, frame.asks = holds(words[1:], self.shell), True
        elif frame.asks:
            frame.truth = None  # a condition of several commands
        frame.exits = frame.exits or (first in ENDING and not frame.asks and self.runs is True)
        return False

    def ended(self, words: Sequence[Word], ending: str, text: str) -> None:
        """Go on behind a command with this text, at the operator that ends it."""
        if ending == "(" and not words:
            self.outside.append(State.of(self.shell))
        if not words and ending not in (";;", ")") and not text.strip():
            return
        frame = self.frames[-1] if self.frames else None
        if self.start is not None and self.runs is not True:
            ends = [(self.runs, State.of(self.shell)), (not_(self.runs), self.start)]
            merged(ends, words[0].line if words else 0).into(self.shell)
        if ending in ("&&", "||"):
            tested = words and words[0].text in TESTS
            truth = holds(words, self.shell) if tested else True
            self.chain = truth if self.runs is True else self.chain if self.runs is False else None
            self.runs = self.chain if ending == "&&" else not_(self.chain)
            self.start = State.of(self.shell)
        else:
            self.chain, self.runs, self.start = True, True, None
        if ending == ")" and self.outside:
            self.outside.pop().into(self.shell)
        if ending == ";;" and frame is not None and frame.word == "case" and not frame.asks:
            self._end(frame)
            frame.truth, frame.asks = False, True

    def _opened(self, words: Sequence[Word], begin: int) -> Frame:
        word, outer = words[0].text, all(other.first for other in self.frames)
        found = turns(words, self.shell, all_of_them=outer) if word in LOOPS else []
        frame = Frame(word, words[0].line, State.of(self.shell), begin=begin, turns=found)
        if frame.word in LOOPS:
            frame.counted = bool(frame.turns)
            frame.name = words[1].text if len(words) > 1 else ""
        if frame.word == "if":
            frame.truth, frame.tested = holds(words[1:], self.shell), conditions.empty(words[1:])
        elif frame.word == "case":
            frame.truth = False
            frame.value = words[1].text if len(words) > 1 and not words[1].open else None
        elif frame.counted:
            pass
        elif begin >= 0:
            frame.truth = holds(words[1:], self.shell)
        elif self.shell.arguments.get("@") and words[1].text == "getopts":
            frame.truth = None  # options that are not read
        elif any(_of_arguments(word) for word in words[1:]):
            frame.truth = False  # the file is started without arguments
        return frame

    def _pattern(self, frame: Frame, words: Sequence[Word], ending: str) -> bool:
        """A pattern of a `case`, perhaps one of several for the same branch."""
        for word in words:
            known = frame.value is not None and not word.open
            matches = fnmatchcase(frame.value or "", word.text) if known else None
            frame.truth = either(frame.truth, True if word.text == "*" else matches)
        frame.asks = not (words and ending == ")")
        return True

    def _end(self, frame: Frame) -> None:
        """A branch is over: the next one begins with what was before it."""
        runs = both(frame.truth, not_(frame.earlier))
        if not frame.exits:
            frame.ends.append((runs, State.of(self.shell)))
        frame.earlier = either(frame.earlier, frame.truth)
        frame.truth, frame.exits = False, False
        frame.before.into(self.shell)

    def _leave(self, frame: Frame) -> None:
        self.frames.pop()
        merged(frame.ends, frame.line, frame.tested).into(self.shell)


def _of_arguments(word: Word) -> bool:
    """Whether a word asks for the arguments that the file itself is started with."""
    return word.text == "getopts" or word.open.startswith(ARGUMENTS)

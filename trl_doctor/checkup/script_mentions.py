"""What a script mentions, passes and defines, with the place of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trl_doctor.core.finding import Place
from trl_doctor.core.plain import shown
from trl_doctor.facts.functions.signatures import Signature, signature
from trl_doctor.facts.library import BESIDE
from trl_doctor.facts.passed import Method, Passed, Refused
from trl_doctor.facts.run_script import Mention
from trl_doctor.facts.script import trainers
from trl_doctor.facts.script.description import Described
from trl_doctor.files.source.document import Script
from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.values import Plain, Span

ADAPTED = "use_peft"


def mentions(texts: Iterable[tuple[str, Span]], places: Places) -> tuple[Mention, ...]:
    """Names with their places."""
    return tuple(Mention(name, places.place("", span)) for name, span in texts)


def refused(reading: Reading, script: Script) -> Iterator[Refused]:
    """What a parser refuses, at the launch line that gives it, else where the script parses."""
    for refusal, span in reading.state.refused:
        key = refusal.flag.lstrip("-").replace("-", "_")
        place = script.options.get(key) or script.options.get("") or script.places.place("", span)
        yield Refused(refusal.flag, refusal.clause, place, refusal.near)


def lacking(reading: Reading, places: Places) -> Iterator[tuple[str, Mention]]:
    """The names that the script imports from modules of its own which do not have them."""
    for name, module, span in dict.fromkeys(reading.state.lacking):
        yield shown(module), Mention(name, places.place("", span))


def keywords(use: trainers.Use, places: Places) -> Iterator[Mention]:
    """The arguments that the trainer's class surely gets by name."""
    for name, argument in use.made.keywords.items() if use.made.rest is None else ():
        if name not in use.made.fields and not argument.perhaps:
            yield Mention(name, places.place(f"/{name}", argument.whole))


def parsed_beside(reading: Reading, places: Places) -> Iterator[tuple[str, Mention]]:
    """What the script gives to TRL's own ModelConfig and ScriptArguments, by the class.

    A command line is divided among all classes of its parser: none of them refuses another's.
    """
    for made in reading.state.made:
        whole = made.rest is None and not made.parsed
        if made.of.startswith("trl") and made.short in BESIDE and whole:
            for name, argument in made.keywords.items():
                if name not in made.fields:
                    yield made.short, Mention(name, places.place("", argument.whole))


def asks_adapter(reading: Reading, script: Script) -> Place | None:
    """Where `use_peft` is set to true for a ModelConfig of TRL that a parser fills."""
    for made in reading.state.made:
        asked = made.keywords.get(ADAPTED) if made.parsed and made.short == "ModelConfig" else None
        if asked is None or asked.perhaps or not isinstance(asked.value, Plain):
            continue
        if asked.value.value is not True or not made.of.startswith("trl"):
            continue
        if asked.file is not None:
            return Place(asked.file, f"/{ADAPTED}")
        return script.options.get(ADAPTED) or script.places.place("", made.span)
    return None


def passes(use: trainers.Use, places: Places, reading: Reading) -> Passed:
    """The values that the script passes to the trainer."""
    handed = {name: argument for name in use.names if (argument := use.given(name)) is not None}
    handed = {
        name: argument for name, argument in handed.items() if argument.value is not use.made.rest
    }
    handed |= use.made.keywords
    return Passed(
        {name: argument.value for name, argument in handed.items()},
        {name: places.place(f"/{name}", argument.whole) for name, argument in handed.items()},
        use.made.rest.why if use.made.rest is not None else "",
        use.made.deeds,
        frozenset(reading.state.set_variables),
        {
            name: Method(member, _place_of(member, f"/{name}", reading, places))
            for name, member in use.made.own.items()
            if isinstance(member, Function) and not member.decorated
        },
        bool(use.made.own),
    )


def _place_of(function: Function, key: str, reading: Reading, places: Places) -> Place:
    """Where a function is defined."""
    before, reading.state.source = reading.state.source, function.source
    place = places.place(key, reading.state.span(function.node))
    reading.state.source = before
    return place


def rewards(description: Described, reading: Reading, places: Places) -> Iterator[Signature]:
    """The signatures of the script's own reward functions."""
    for function in description.rewards:
        if isinstance(function, Function) and not function.decorated:
            place = _place_of(function, "/reward_funcs", reading, places)
            yield signature(
                function.node, function.name, place, 1 if function.owner is not None else 0
            )

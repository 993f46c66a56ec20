"""What a parser of a script's arguments has refused, from what it printed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trl_doctor.rehearsing.at import At
from trl_doctor.rehearsing.failure import Failure

UNKNOWN = re.compile(r"unrecognized arguments: (.+)|No such option:? (.+)")
"""What parsers say of options that they do not know."""

USAGE = re.compile(r"\b[Ee]rror: |^[Uu]sage: ")
"""What parsers of arguments print before they end a script with the status 2."""

GIVEN = re.compile(
    r"argument (?P<name>-[^:]+): (?P<lacks>expected )?(?!can't open)|ambiguous option"
)
"""Errors of argparse about an option that the command line has: more options are no remedy."""

VALUE = re.compile(r"argument --(?P<name>\w+)\S*: invalid (?:(?P<kind>\w+) value|choice)")
"""Errors of argparse about a value: no rehearsal is the cause of them."""


def refusal(printed: Sequence[str], at: At | None) -> Failure | None:
    """The failure of a command that a parser has ended; None where no parser printed why."""
    usage = next((line for line in reversed(printed) if USAGE.search(line)), "")
    if not usage:
        return None
    message = USAGE.split(usage)[-1].strip()
    sentence = (
        f"the script refuses its arguments: {message}" if message else "it refuses its arguments"
    )
    if wrong := VALUE.match(message):
        return Failure("script", sentence, _better_value(wrong), at, "exit")
    if given := GIVEN.match(message):
        option = (given["name"] or "").split("/")[0]
        remedy = f"write a value behind {option}" if given["lacks"] else "correct this option"
        return Failure("script", sentence, remedy, at, "exit")
    if unknown := UNKNOWN.search(message):
        remedy = f"correct or remove {unknown[1] or unknown[2]}"
        return Failure("script", sentence, remedy, at, "exit")
    return Failure("machine", sentence, "add its arguments behind the script's name", at)


def _better_value(wrong: re.Match[str]) -> str:
    """What to do about a value that a parser of arguments cannot read."""
    if wrong["kind"] != "dict":
        return "give the argument a value that the message allows"
    return (f"this release's config reads no JSON here: write {wrong['name']} as a mapping in the "
            "run file, or set it in the script")  # fmt: skip

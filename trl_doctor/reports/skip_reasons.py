"""Why checks did not run: reasons that have one cause are said once."""

from __future__ import annotations

from collections.abc import Sequence

from trl_doctor.core.trainer import NOT_KNOWN
from trl_doctor.core.unavailable import without_key
from trl_doctor.facts.measured.rehearsal import NO_TRAINER

LATE = (NO_TRAINER, "the rehearsal took no step", "the rehearsal did not", "the rehearsal was not",
        "the script created no", "the script saved no", "the script stopped before")  # fmt: skip
"""How the reasons begin that this one explains: what comes later was not reached."""


def by_cause(reasons: dict[str, list[str]], lacking: Sequence[str] = ()) -> dict[str, list[str]]:
    """The names of all reasons that differ only in what they are about, under one.

    Of a long reason that the verdict gives, too, only what lacks is said.
    """
    causes: dict[str, list[str]] = {}
    for reason in reasons:
        cause = NOT_KNOWN if NOT_KNOWN in reason else without_key(reason)
        inner = [other for other in reasons if cause.endswith(f": {other}")]
        causes.setdefault(min(inner, key=len, default=cause), []).append(reason)
    if NO_TRAINER in causes:
        late = [cause for cause in causes if cause.startswith(LATE) or cause.endswith(NO_TRAINER)]
        causes[NO_TRAINER] = [reason for cause in late for reason in causes[cause]]
        causes = {cause: causes[cause] for cause in causes
                  if cause == NO_TRAINER or cause not in late}  # fmt: skip
    said = {line.partition(": ")[2]: f"{line.partition(': ')[0]}, as the verdict says"
            for line in lacking}  # fmt: skip
    shown = {cause: cause if len(alike) > 1 or cause == NOT_KNOWN else alike[0]
             for cause, alike in causes.items()}  # fmt: skip
    return {
        min(shown[cause], said.get(shown[cause], shown[cause]), key=len): [
            name for one in alike for name in reasons[one]
        ]
        for cause, alike in causes.items()
    }

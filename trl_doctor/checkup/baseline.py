"""A file of the findings that a project accepts for now."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trl_doctor.checkup.report import TargetReport
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.regular import text_of

FORMAT = "trl-doctor-baseline-1"


def read(file: Path) -> Mapping[str, Mapping[str, str]]:
    """The fingerprints by target, each with its rule. Raises `Unavailable`."""
    try:
        baseline: Any = json.loads(text_of(file))
        if baseline["format"] != FORMAT:
            raise ValueError(f"its format is {baseline['format']!r:.40}, not {FORMAT}")
        return {
            str(target): {
                str(finding["fingerprint"]): str(finding.get("rule", "")) for finding in findings
            }
            for target, findings in baseline["targets"].items()
        }
    except FileNotFoundError:
        raise Unavailable(
            f"--baseline {file}: it does not exist; create it with --update-baseline"
        ) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        why = (isinstance(error, OSError) and error.strerror) or f"it is not a baseline: {error}"
        raise Unavailable(f"--baseline {file}: {why}") from error


def text(targets: Sequence[TargetReport]) -> str:
    """The baseline of everything that was found in these targets."""
    entries_by_target = {
        target.given: [
            {"rule": entry.rule, "fingerprint": entry.fingerprint, "message": entry.message}
            for entry in target.entries
        ]
        for target in targets
        if target.entries
    }
    return json.dumps({"format": FORMAT, "targets": entries_by_target}, indent=2) + "\n"

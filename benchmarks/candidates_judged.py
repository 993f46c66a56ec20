"""Judges the doctor's report of a candidate by what the real command did with it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

TRUE_ELSEWHERE = ("tokenizer-rebuilt-by-transformers", "model-swallows-logits-keyword")
"""Rules about runs that train, on the wrong thing: what they say is proven elsewhere."""
DROPPED = ("argument-unknown", "argument-gone-from-trl")
"""Rules about keys that some releases drop in silence, and train with the default."""
PROBED = {
    file.stem.replace("_", "-") for file in Path(__file__).parents[1].glob("rules/probes/**/*.py")
}
"""Rules that need the real libraries; the others read the files alone."""
KEPT = 60
"""Characters of a real error's message that show that the doctor reported the same one."""


@dataclass(frozen=True)
class Verdict:
    """`told` and `files` say whether the doctor had an error; `named`, whether its cause was there.

    `error` is what ended the real command, "" where it ran; `expected` is a fault that does not
    kill. `fixed` is how the repaired copy fared: "ran", the error, or None where there was none.
    """

    folder: Path
    trainer: str
    changes: list[str]
    error: str
    told: bool
    files: bool
    named: bool
    expected: bool
    wholly: bool
    fixed: str | None
    errors: list[str]
    skipped: list[str]

    @property
    def died(self) -> bool:
        return bool(self.error)

    @property
    def false_alarm(self) -> bool:
        return self.told and not self.died and not self.expected

    @property
    def agrees(self) -> bool:
        after = self.fixed in (None, "ran") or (self.died and not self.wholly)
        return after and (self.told and self.named if self.died else not self.false_alarm)

    def keep(self) -> None:
        """Write what both said beside the candidate."""
        (self.folder / "verdict.json").write_text(json.dumps(self._told(), indent=2))

    def line(self) -> str:
        """All of it in one line of JSON, which `read` reads."""
        return json.dumps(self._told())

    @staticmethod
    def read(line: str) -> Verdict:
        data = json.loads(line)
        return Verdict(**{**data, "folder": Path(data["folder"])})

    def _told(self) -> dict[str, Any]:
        return {**asdict(self), "folder": str(self.folder)}


def judge(
    folder: Path,
    ran: dict[str, Any],
    tiny: dict[str, Any] | None,
    fixed: dict[str, Any] | None,
    longer: dict[str, Any] | None = None,
) -> Verdict:
    """Both sides of one candidate; a report that is missing is a crash of the doctor's.

    An error about a run that ends is right if it ends the `longer` run.
    """
    data = json.loads((folder / "candidate.json").read_text())
    findings = [finding for finding in errors(tiny) if finding["rule"] not in TRUE_ELSEWHERE]
    error = error_of(ran)
    if not error:
        findings = [finding for finding in findings if not of_keys(finding, ran.get("dropped", ()))]
    words = {word.lower() for change in data["changes"] for word in change["words"]}
    texts = [spelled(finding) for finding in findings]
    named = any(any(word in text for word in (*words, *things(error))) for text in texts)
    named = named or quoted(ran, texts)
    later = longer is not None and quoted(longer, texts)
    silent = any(change["silent"] for change in data["changes"])
    return Verdict(
        folder,
        data["trainer"],
        [change["name"] for change in data["changes"]],
        error,
        bool(findings),
        any(finding["rule"] not in PROBED for finding in findings),
        named,
        (silent and named) or later or (bool(findings) and bool(ran.get("not_finite"))),
        bool(findings) and all(finding["fix"] for finding in findings),
        None if fixed is None else error_of(fixed) or "ran",
        [f"{finding['rule']}: {finding['message'][:300]}" for finding in findings],
        skips(tiny),
    )


def quoted(ran: dict[str, Any], texts: list[str]) -> bool:
    """Whether one of the texts has the words of the error that ended a run."""
    # of several lines only the first may be quoted
    kept = plain(ran["error"]["message"])[:KEPT] if ran["status"] else ""
    return len(kept) > 12 and any(kept in text for text in texts)


def errors(report: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The findings of severity error."""
    if report is None:
        return [{"rule": "(crash)", "message": "no report", "evidence": [], "fix": None}]
    return [
        {**finding, "rule": check["rule"]}
        for check in report["checks"]
        for finding in check["findings"]
        if finding["severity"] == "error"
    ]


def of_keys(finding: dict[str, Any], keys: Sequence[str]) -> bool:
    """Whether a finding is about keys that the real command drops in silence: then it is right."""
    return finding["rule"] in DROPPED and any(key in finding["message"] for key in keys)


def things(error: str) -> set[str]:
    """What only one thing in a run is called, of what an error names: tensors, keys, files."""
    names = re.findall(r"\b[a-zA-Z_]+(?:\.\w+){3,}\b|\b[a-z]+_[a-z]+_\w+\b", error)
    return {name.lower() for name in names}


def skips(report: dict[str, Any] | None) -> list[str]:
    """Why checks did not run, each reason once."""
    checks = report["checks"] if report else []
    return sorted({str(check["reason"])[:200] for check in checks if check["state"] == "skipped"})


def error_of(ran: dict[str, Any]) -> str:
    """The error that ended the real command; empty where it ran."""
    if not ran["status"]:
        return ""
    error = ran["error"]
    return f"{error['type']}: {error['message']}"[:400]


def spelled(finding: dict[str, Any]) -> str:
    """All that a finding says, in small letters."""
    place = (str(finding.get("pointer")), Path(finding.get("file") or "").name)
    return plain(" ".join([finding["message"], *map(str, finding["evidence"]), *place]))


def plain(text: str) -> str:
    return " ".join(text.lower().split())


def table(verdicts: list[Verdict]) -> str:
    """The figures, and every disagreement by name."""
    died = [verdict for verdict in verdicts if verdict.died]
    ran = [verdict for verdict in verdicts if not verdict.died]
    tried = [verdict for verdict in died if verdict.fixed is not None and verdict.wholly]
    lines = [
        f"candidates                          {len(verdicts)}: {len(died)} fail, {len(ran)} run",
        share("failures told", [verdict.told for verdict in died]),
        share("  told by the files alone", [verdict.files for verdict in died]),
        share("  cause named", [verdict.named for verdict in died]),
        share("false errors on runs that train", [verdict.false_alarm for verdict in ran]),
        share("repaired wholly: it runs", [verdict.fixed == "ran" for verdict in tried]),
        share("repaired, and ran before: it runs", [o.fixed == "ran" for o in ran if o.fixed]),
        "",
    ]
    alarms = Counter(o.partition(":")[0] for v in ran if v.false_alarm for o in v.errors)
    lines += [f"false error: {rule} {count}" for rule, count in alarms.most_common()]
    lines += ["", *(described(verdict) for verdict in verdicts if not verdict.agrees)]
    return "\n".join(lines)


def share(label: str, hits: list[bool]) -> str:
    percent = f"{100 * sum(hits) / len(hits):5.1f} %" if hits else "      -"
    return f"{label:35} {percent}  ({sum(hits)} of {len(hits)})"


def described(verdict: Verdict) -> str:
    """A disagreement in a few lines."""
    if verdict.died and not verdict.told:
        kind = "SILENT"
    elif verdict.died and not verdict.named:
        kind = "CAUSE"
    else:
        kind = "FALSE" if verdict.false_alarm else "FIX"
    lines = [f"{kind} {verdict.folder.name} {verdict.trainer} {verdict.changes}"]
    lines.append(f"    real:   {verdict.error[:220] or 'ran'}")
    lines += [f"    doctor: {error[:220]}" for error in verdict.errors]
    if verdict.fixed not in (None, "ran"):
        lines.append(f"    fixed:  {str(verdict.fixed)[:220]}")
    if not verdict.errors:
        lines += [f"    skip:   {why[:160]}" for why in verdict.skipped[:4]]
    return "\n".join(lines)

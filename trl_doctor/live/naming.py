"""Names the objects in memory where the rules read copies of them, which are gone afterwards."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.checkup.checkup import Checkup
from trl_doctor.checkup.outcome import Outcome
from trl_doctor.core.finding import Finding, Place, as_advice

PARTS = {
    "run.json": "trainer.args",
    "model/generation_config.json": "trainer.model.generation_config",
    "model/config.json": "trainer.model.config",
    "model": "trainer.model",
    "tokenizer/chat_template.jinja": "trainer.processing_class.chat_template",
    "tokenizer": "trainer.processing_class",
}
"""What of a trainer is written where; a longer path comes before its folder."""


class Names(Struct, frozen=True):
    """`folder` is where everything was written; `names` are those of model and tokenizer."""

    folder: Path
    names: dict[str, str]

    def placed(self, checkup: Checkup) -> Checkup:
        """The same checkup with the names of the objects, and without repairs of copies."""
        return replace(checkup, outcomes=tuple(map(self._outcome, checkup.outcomes)))

    def _outcome(self, outcome: Outcome) -> Outcome:
        findings = tuple(map(self._finding, outcome.findings))
        return replace(outcome, findings=findings, reason=self._with_names(outcome.reason))

    def _finding(self, finding: Finding) -> Finding:
        advised = as_advice(finding)
        return replace(
            advised,
            place=self._place(finding.place),
            message=self._with_names(finding.message).replace(" in model.safetensors", ""),
            evidence=tuple(map(self._with_names, finding.evidence)),
            remedy=self._with_names(advised.remedy),
        )

    def _place(self, place: Place) -> Place:
        if not place.file.is_relative_to(self.folder):
            return place
        inside = place.file.relative_to(self.folder).as_posix()
        name = next((of for part, of in PARTS.items() if inside.startswith(part)), inside)
        return Place(Path(name), place.pointer)

    def _with_names(self, text: str) -> str:
        """A sentence in which the objects replace the copies."""
        for part, phrase in PARTS.items():
            name = self.names.get(part, "")
            spoken = f"{phrase} ({name})" if name else phrase
            text = text.replace(str(self.folder / part), spoken)
        return text

"""Turns places in what was written for the rules into lines of the user's own script."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.checkup.checkup import Checkup
from trl_doctor.checkup.outcome import Outcome
from trl_doctor.core.finding import Finding, Place, Spot, as_advice, route
from trl_doctor.facts.measured.rehearsal import SEEN_AT
from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.events import Event, Events
from trl_doctor.rehearsing.run_file import MODEL, ROLES, ROWS, TOKENIZER, Written, has_loaded

PARAMETERS = {
    "policy": "model",
    "reference": "ref_model",
    "reward": "reward_model",
    "value": "value_model",
}
"""What trainers call the models of a run."""

RESUME = "resume_from_checkpoint"
EVALUATION = "evaluation-raises"
GIVEN = "train_dataset"
"""What trainers call the rows."""


class Lines(Struct, frozen=True):
    """Where in the script the parts of its run come from."""

    events: Events
    failure: Failure | None
    written: Written
    script: Path

    def placed(self, checkup: Checkup) -> Checkup:
        """The same checkup, with findings at lines of the script, and without repairs of copies."""
        outcomes = tuple(
            replace(
                outcome,
                reason=outcome.reason.replace(ROWS, GIVEN),
                findings=tuple(self._finding(finding, outcome) for finding in outcome.findings),
            )
            for outcome in checkup.outcomes
        )
        return replace(checkup, outcomes=_unrepaired(outcomes))

    def _finding(self, original: Finding, outcome: Outcome) -> Finding:
        finding = self._in_words_of_the_script(original)
        place = finding.place
        is_generated = place.file.is_relative_to(self.written.run.parent)
        if not is_generated and (place.file.is_file() or not self._is_model(place.file)):
            return finding  # a file of the user's own says more than a line that loads it
        at, keys = self._line(place), route(place.pointer)
        if not keys and place.file == self.written.run:
            at = self._of_run(outcome.rule.name, original.severity or outcome.rule.severity) or at
        if at is None:
            return replace(finding, place=Place(self.script))
        spot = None
        if keys and place.file == self.written.run:
            # the last key may be the call's own keyword (dtype), or lie in the first one's value
            spot = _keyword(at, keys[-1]) or _keyword(at, keys[0])
        return replace(finding, place=Place(at.file, place.pointer or "/", spot or at.spot()))

    def _of_run(self, rule: str, severity: str) -> CodeLine | None:
        """The line for a finding about the whole run: the one that raised is for errors only."""
        step = self.events.last("step")
        if rule == EVALUATION and step and step.get("not_evaluated"):
            return self.events.own_line(step["not_evaluated"]["frames"])
        return None if severity == "error" else self._of_event("trainer")

    def _in_words_of_the_script(self, finding: Finding) -> Finding:
        """The finding without the names of files that were written for the rules only."""
        folder, work = self.written.run.parent, f"{self.events.answer.folder}/work/"
        words = {
            ROWS: GIVEN,
            str(folder / TOKENIZER): "as the script leaves it",
            str(folder / MODEL): "as the script leaves it",
            **({work: ""} if self.events.answer.folder else {}),
        }

        def translated(text: str) -> str:
            for name, other in words.items():
                text = text.replace(name, other)
            return text

        return replace(
            finding,
            message=translated(finding.message),
            evidence=tuple(map(translated, finding.evidence)),
            remedy=translated(finding.remedy),
        )

    def _is_model(self, folder: Path) -> bool:
        """Whether a folder is that of a model which the script has loaded."""
        return any(str(folder) == event["source"] for event in self.events.of("model"))

    def _line(self, place: Place) -> CodeLine | None:
        keys = route(place.pointer)
        if place.file == self.written.run:
            if keys[:1] == ("reward_funcs",):
                return self._reward(int(keys[1]) if keys[1:] else None)
            if keys[:1] == (SEEN_AT,):
                return self._seen(keys[-1]) or self._argument("")
            return self._argument(keys[0] if keys else "")
        changed = [self.written.run.parent / name for name in (TOKENIZER, MODEL)]
        if place.file.suffix == "" or any(place.file.is_relative_to(folder) for folder in changed):
            edits = self.events.of("tokenizer")
            matches = [
                edit for edit in edits if keys and edit["edit"] == keys[0].removesuffix("_id")
            ]
            resized = self.events.of("resized")
            loaded = self.events.of("model") if "policy" in self.written.models else ()
            events = (matches or edits or resized or loaded)[-1:]
            return self.events.at(events[0]["at"]) if events else self._of_event("trainer")
        return self._argument("")

    def _argument(self, key: str) -> CodeLine | None:
        """The line that gives an argument; that of the failure, or the trainer's, for the run."""
        config = self.events.last("config")
        if key == "tokenizer_name_or_path":
            return self._of_event("tokenizer") or self._of_event("trainer")
        if key.startswith("lora_") or key == "use_peft":
            return self._of_event("adapter") or self._of_event("trainer")
        given_key = config is not None and key in config["given"]
        if key == "model_init_kwargs":  # a parser gives each argument, also those that are not set
            given_key = bool(given_key and config and config["given"][key])
        role = next((role for role, name in ROLES.items() if name == key), "")
        if role or (key == "model_init_kwargs" and not given_key):
            return self._model(role or "policy") or self._of_event("trainer")
        if key == RESUME and not given_key:
            first = self.events.of("training")[0]
            return self.events.at(first["at"])
        if config and given_key:
            return self.events.at(config["at"])
        if not key and self.failure and (self.failure.at or self.failure.kind == "exit"):
            return self.failure.at  # of an exit without a line, not even the trainer's is right
        return self._of_event("trainer") or self._of_event("config")

    def _model(self, role: str) -> CodeLine | None:
        """The line that loads a model; what loads its tokenizer only, if nothing loads it."""
        model = self.written.models.get(role)
        if model is None:
            return None
        loaded = [event for event in self.events.of("loaded") if has_loaded(event, model)]
        return self.events.at((loaded or [model])[0]["at"])

    def _reward(self, index: int | None) -> CodeLine | None:
        """The line that raises, or that defines a function: the one of this index, or any."""
        calls = self.events.of("reward")
        calls = [call for call in calls if call["index"] == index] or calls
        wrong = [call for call in calls if call["state"] == "raised"
                 or call["returned"] != call["expected"]]  # fmt: skip
        call = (wrong or calls)[:1]
        if not call:
            return self._of_event("trainer")
        raised_in = self.events.own_line(call[0].get("frames"))
        return raised_in or self.events.at([call[0]["file"], call[0]["line"]])

    def _seen(self, shown_at: str) -> CodeLine | None:
        """The line of an event that is shown so."""
        lines = (self.events.at(event.get("at")) for event in self.events.events)
        return next((line for line in lines if line and line.shown == shown_at), None)

    def _of_event(self, kind: str) -> CodeLine | None:
        event: Event | None = self.events.last(kind)
        return self.events.at(event["at"]) if event and event.get("at") else None


def _keyword(at: CodeLine, key: str) -> Spot | None:
    """Where a call is given what a run file calls so."""
    role = next((role for role, name in ROLES.items() if name == key), "")
    parameter = GIVEN if key == "datasets" else PARAMETERS.get(role, key)
    names = (key, key.removeprefix("lora_"), parameter, f"torch_{key}")
    return next((spot for name in names if (spot := at.keyword(name))), None)


def _unrepaired(outcomes: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """Findings with what a repair would do as advice: what was written is only a copy."""
    return tuple(
        replace(outcome, findings=tuple(map(as_advice, outcome.findings))) for outcome in outcomes
    )

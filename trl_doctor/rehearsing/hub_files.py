"""The small files of what a rehearsal had to replace: its next attempt has its own."""

from __future__ import annotations

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files import hub
from trl_doctor.rehearsing.events import Events


def fetched(events: Events) -> dict[str, str]:
    """Folders by the names of models and adapters; none if the Hub cannot be asked in time."""
    names = {str(event["name"]) for event in events.of("model") if event["origin"] == "made"}
    names |= {str(event["name"]) for event in events.of("hub adapter")}
    if events.timed_out or events.answer.state != "answered":
        return {}
    files = {}
    for name in sorted(names):
        try:
            snapshot = hub.resolve(hub.parse(name), offline=False)
        except Unavailable:
            continue
        if not snapshot.lacks_more_than_weights:
            files[name] = str(snapshot.path)
    return files

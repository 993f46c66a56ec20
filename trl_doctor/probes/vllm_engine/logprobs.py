"""The engine's log-probabilities against the trainer's, with the run's sampling and without."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from typing import Any

from ..answers.engine_sampling import Distances, Factor, Sampling
from ..child import error_answer
from ..engine_tokenizer import TEXT, encoded, rendered
from ..layout.arguments import of_sampling
from ..loading.adapter import flag
from .start import SEQUENCES, Broken, Engine, argument

TOKENS = 32
"""Of each completion."""

NEUTRAL = {
    "temperature": 1.0,
    "top_p": 1.0,
    "top_k": 0,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
}
"""Sampling from the whole distribution as it is."""

REGEX = "structured_outputs_regex"
"""Where TRL keeps the run's vllm_structured_outputs_regex."""

LARGEST = 16 * 1024**2
"""Numbers of the logits of one forward pass: 64 MiB."""

Completion = tuple[list[int], list[int], list[float]]
"""A prompt, the answer's tokens, and their log-probabilities by the engine."""

OWN = frozenset(("n", "max_tokens", "min_tokens", "logprobs", "seed"))
"""What of `generation_kwargs` is the probe's to choose."""


def compare_logprobs(request: dict[str, Any], engine: Engine) -> Sampling:
    """Sampling as TRL hands it over, and the distances of the log-probabilities.

    `plain` is sampled from the whole distribution at the run's temperature, `with_arguments` with
    the run's own; None if that is the same. The engine must have the weights of the model that
    generates.
    """
    wants, kwargs = sampling_of(request)
    settings = {**wants, **kwargs}
    sampling = Sampling(settings, {}, error=None, plain=None, with_arguments=None, training=None)
    try:
        with_arguments = sample(engine, wants, kwargs)
        sampling = dataclasses.replace(
            sampling, engine_arguments=received(engine.outputs[-1][0], settings)
        )
    except Broken:
        raise
    except Exception as error:
        raised = dataclasses.replace(error_answer(error), frames=())
        sampling, with_arguments = dataclasses.replace(sampling, error=raised), None
    limited = free(engine)
    temperature = float(kwargs.get("temperature", wants["temperature"]))
    if temperature <= 0 or not math.isfinite(temperature):
        return sampling
    neutral = {**NEUTRAL, "temperature": temperature}
    same = with_arguments is not None and settings == neutral and not limited
    plain = with_arguments if same else sample(engine, neutral, {})
    trainer = Trainer(request, engine, temperature)
    sampling = dataclasses.replace(
        sampling,
        plain=trainer.distances(plain or []),
        with_arguments=None
        if same or with_arguments is None
        else trainer.distances(with_arguments),
    )
    trainer.model.train()
    return dataclasses.replace(sampling, training=trainer.distances(plain or []))


def free(engine: Engine) -> bool:
    """Let the engine say any token from now on; whether a pattern of the run limited it before."""
    limited = getattr(engine.generation, REGEX, None) is not None
    setattr(engine.generation, REGEX, None)
    return limited


def sampling_of(request: dict[str, Any]) -> tuple[dict[str, float], dict[str, Any]]:
    """The run's sampling arguments, else its trainer's defaults, and its generation_kwargs."""
    wants = {
        name: type(neutral)(number(argument(request, name), neutral))
        for name, neutral in NEUTRAL.items()
    }
    kwargs = of_sampling(request["arguments"].get("generation_kwargs"))
    return wants, {name: value for name, value in kwargs.items() if name not in OWN}


def number(value: Any, otherwise: float) -> float:
    """A number, or the text of one; `otherwise` for anything else."""
    try:
        logprob = float(value)
    except (TypeError, ValueError):
        return otherwise
    return logprob if math.isfinite(logprob) else otherwise


def sample(engine: Engine, wants: dict[str, float], kwargs: dict[str, Any]) -> list[Completion]:
    """Completions that TRL's own code asks for."""
    prompts, answers, logprobs, _ = generate(engine, wants, kwargs, TOKENS, SEQUENCES)
    return [
        (list(prompts[n]), list(answers[n]), [logprob[0] for logprob in logprobs[n]])
        for n in range(len(answers))
    ]


def generate(
    engine: Engine, sampling: dict[str, float], kwargs: dict[str, Any], most: int, copies: int
) -> Any:
    """What TRL's own code gets for copies of a prompt: completions of so many tokens at most."""
    generation = engine.generation
    for name, value in sampling.items():
        setattr(generation, name, value)
    generation.generation_kwargs = kwargs
    generation.logprobs = 0
    generation.max_completion_length = most
    return generation.generate([prompt(engine)] * copies, None, 1)


def received(parameters: Any, wants: dict[str, Any]) -> dict[str, Any]:
    """What SamplingParams has of the keys that were wanted."""
    values = {name: getattr(parameters, name, None) for name in wants}
    plain = (bool, int, float, str, list, dict, type(None))
    return {n: value if isinstance(value, plain) else str(value) for n, value in values.items()}


def prompt(engine: Engine) -> list[int]:
    """A rendered chat, else some text, in the tokens for which the model has rows."""
    ids = encoded(engine.tokenizer, rendered(engine.tokenizer) or TEXT)
    context = engine.llm.llm_engine.model_config.max_model_len
    most = max(1, min(100, context - TOKENS))
    return [id for id in ids if id < engine.tiny.vocabulary][:most] or [0]


class Trainer:
    """The trainer's view of completions: a forward pass of the model whose weights were synced."""

    def __init__(self, request: dict[str, Any], engine: Engine, temperature: float) -> None:
        self.model = engine.generation.model.eval()
        self.device = next(self.model.parameters()).device
        self.vocabulary = max(1, engine.tiny.vocabulary)
        self.temperature = temperature
        self.precision = precision(request["arguments"])

    def logprobs(self, completions: list[Completion]) -> list[list[float]]:
        """Of each token of each answer, after temperature."""
        longest = max(len(prompt) + len(answer) for prompt, answer, _ in completions)
        at_once = max(1, LARGEST // (longest * self.vocabulary))
        parts = [completions[at : at + at_once] for at in range(0, len(completions), at_once)]
        return [completion for part in parts for completion in self._together(part)]

    def _together(self, completions: list[Completion]) -> list[list[float]]:
        """The same in one forward pass, of rows (rows, longest) that are padded on the right."""
        import torch

        rows = [torch.tensor(prompt + answer) for prompt, answer, _ in completions]
        padded = torch.nn.utils.rnn.pad_sequence
        ids = padded(rows, batch_first=True).to(self.device)
        mask = padded([torch.ones_like(row) for row in rows], batch_first=True).to(self.device)
        kind = getattr(torch, self.precision or "bfloat16")
        autocast = torch.autocast(self.device.type, kind) if self.precision else None
        with torch.no_grad(), autocast or contextlib.nullcontext():
            logits = self.model(input_ids=ids, attention_mask=mask, use_cache=False).logits
        logprobs = torch.log_softmax(logits[:, :-1].float() / self.temperature, -1)
        picked = logprobs.gather(2, ids[:, 1:, None])[:, :, 0].tolist()
        return [
            row[len(prompt) - 1 : len(prompt) + len(answer) - 1]
            for row, (prompt, answer, _) in zip(picked, completions)
        ]

    def distances(self, completions: list[Completion]) -> Distances | None:
        """How far apart engine and trainer are, over all tokens. None if there are none."""
        if not completions:
            return None
        pairs = [
            (theirs, ours)
            for (_, _, engine), own in zip(completions, self.logprobs(completions))
            for theirs, ours in zip(engine, own)
            if theirs is not None
        ]
        gaps = sorted(abs(theirs - ours) for theirs, ours in pairs)
        if not gaps:
            return None
        factors = [math.exp(min(gap, 50.0)) for gap in gaps]
        return Distances(
            tokens=len(gaps),
            factor=Factor(mean=sum(factors) / len(factors), most=factors[-1]),
            ratio=sum(math.exp(min(b - a, 50.0)) for a, b in pairs) / len(pairs),
            quantiles={
                str(share): gaps[min(int(share * len(gaps)), len(gaps) - 1)]
                for share in (0.5, 0.9, 0.99)
            },
            precision=self.precision or str(next(self.model.parameters()).dtype)[6:],
        )


def precision(arguments: dict[str, Any]) -> str | None:
    """What the run trains in: bf16 unless it says fp16 or turns bf16 off, as TRL's configs do."""
    if flag(arguments.get("fp16")):
        return "float16"
    stated = arguments.get("bf16")
    return "bfloat16" if stated is None or flag(stated) else None

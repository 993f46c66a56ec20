"""The log-probabilities that the installed trainer computes, against those that are true."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import traceback
from pathlib import Path
from typing import Any

from ..answers.forward import TrainerForward
from ..refusal import Refused
from ..small_model.shrink import Tiny
from .plain_trainer import built, config_of, trainer_class

METHODS = ("_get_per_token_logps_and_entropies", "_get_per_token_logps")
NESTED = "get_per_token_logps"
"""The function inside compute_loss that trl 0.14 has instead of a method."""

FUSED = "add_fused_lm_head"
"""What the trainers of trl 1.15 and later do to the model."""

CHUNKED, CHUNKED_LOSS = "_patch_chunked_ce_lm_head", "chunked_nll"
"""What SFTTrainer of trl 1.4 to 1.14 does to the model for that loss, its default from 1.7 on."""

COMPLETION = 5
"""Tokens of each sequence that are the completion."""

SHARPER = 10.0
"""The factor by which logits are scaled, so that wrong log-probabilities can be distinguished."""


def measured(request: dict[str, Any], tiny: Tiny, model: Any, ids: Any) -> TrainerForward:
    """What the trainer's own function passes to the model, gets back, and makes of it.

    `ids` are (2, length); `model` is the shrunken one, used where the trainer need not be built.
    Where the trainer takes no more than a mean of log-probabilities, that is compared.
    Raises `Refused` if this trainer has no such function, or cannot be built.
    """
    import torch

    called, model, function = _function(request, tiny, model)
    if function is None:
        return TrainerForward(called, COMPLETION)
    watch = _Watch()
    with torch.no_grad():
        model.get_output_embeddings().weight.mul_(SHARPER)
        truth = _truth(model, ids)
        hooks = watch.hooks(model)
        try:
            logps = _first(function(model, ids))
        except Exception as error:
            message = f"{type(error).__name__}: {str(error).strip()[:300]}"
            return dataclasses.replace(watch.seen(called), error=message, at=_at(error))
        finally:
            for hook in hooks:
                hook.remove()
    truth = truth if logps.ndim else truth.mean()
    wrong = None
    if logps.shape == truth.shape:
        wrong = round(float((logps.float() - truth).abs().max()), 4)
    got = int(logps.shape[1]) if logps.ndim else COMPLETION
    return dataclasses.replace(watch.seen(called), got=got, wrong_by=wrong)


def _function(request: dict[str, Any], tiny: Tiny, model: Any) -> tuple[str, Any, Any]:
    """The name of the trainer's own function, the model for it, and a call of it."""
    import torch

    kind = trainer_class(request)
    name = next((name for name in METHODS if hasattr(kind, name)), None)
    nested = None if name else _nested(kind)
    if not name and not nested:
        return _of_model(request, kind, model)
    trainer = built(request, tiny, max_completion_length=8, temperature=1.0)
    own = trainer.accelerator.prepare_model(trainer.model)
    if nested:
        return f"{kind.__name__}.{NESTED}", own, lambda m, ids: nested(m, ids, COMPLETION)
    method = getattr(trainer, str(name))
    call = lambda m, ids: method(m, ids, torch.ones_like(ids), COMPLETION)  # noqa: E731
    return f"{kind.__name__}.{name}", own, call


def _of_model(request: dict[str, Any], kind: Any, model: Any) -> tuple[str, Any, Any]:
    """The same for trainers that put another output layer on the model.

    There is nothing to call where they take the loss that the model itself gives.
    """
    home = importlib.import_module(kind.__module__)
    if hasattr(home, FUSED):
        home.add_fused_lm_head(model)
        return FUSED, model, _fused
    if request["trainer"]["name"] != "sft":
        raise Refused(f"{kind.__name__} has no function of its own for log-probabilities")
    arguments = request["arguments"]
    if arguments.get("use_liger_kernel"):
        raise Refused("Liger's kernels compute the loss, and they need a GPU")
    loss = {name: arguments[name] for name in ("loss_type",) if name in arguments}
    if hasattr(home, CHUNKED) and config_of(request, **loss).loss_type == CHUNKED_LOSS:
        text = model.config.get_text_config()
        if hasattr(text, "output_router_logits"):
            text.output_router_logits = False  # what experts cost is no log-probability
        home._patch_chunked_ce_lm_head(model, chunk_size=256)
        return CHUNKED_LOSS, model, _loss
    return "the model's own loss", model, None


def _fused(model: Any, ids: Any) -> Any:
    output = model(**_batch(ids), fused_lm_head=True)
    return output.log_probs[:, -COMPLETION:]


def _loss(model: Any, ids: Any) -> Any:
    return -model(**_batch(ids)).loss


def _batch(ids: Any) -> dict[str, Any]:
    import torch

    labels = ids.clone()
    labels[:, :-COMPLETION] = -100
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": labels}


def _nested(kind: Any) -> Any:
    """The function that is defined inside a method of the trainer, compiled by itself."""
    file = str(inspect.getsourcefile(kind))
    for node in ast.walk(ast.parse(Path(file).read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name == NESTED:
            names = dict(vars(importlib.import_module(kind.__module__)))
            exec(compile(ast.Module([node], []), file, "exec"), names)
            return names[NESTED]
    return None


def _first(output: Any) -> Any:
    """The log-probabilities (2, completion) among what the function gives."""
    if isinstance(output, dict):
        return output["logps"]
    return output[0] if isinstance(output, tuple) else output


def _truth(model: Any, ids: Any) -> Any:
    """The log-probabilities of the completions by a full forward pass, in float32."""
    import torch

    logits = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits.float()
    before = logits.log_softmax(-1)[:, -COMPLETION - 1 : -1]
    return before.gather(-1, ids[:, -COMPLETION:, None]).squeeze(-1)


class _Watch:
    """Which keyword about positions came in, its value, and how many positions went out."""

    def __init__(self) -> None:
        self.passed: str | None = None
        self.kept: int | None = None
        self.returned: int | None = None

    def hooks(self, model: Any) -> tuple[Any, Any]:
        """Hooks of the model's forward that note it."""
        return (
            model.register_forward_pre_hook(self._before, with_kwargs=True),
            model.register_forward_hook(self._after),
        )

    def seen(self, called: str) -> TrainerForward:
        """What was seen of a function of this name."""
        return TrainerForward(called, COMPLETION, self.passed, self.kept, self.returned)

    def _before(self, _: Any, __: Any, inputs: dict[str, Any]) -> None:
        for name in inputs:
            if name.endswith("logits_to_keep"):
                self.passed, self.kept = name, int(inputs[name])

    def _after(self, _: Any, __: Any, out: Any) -> None:
        logits = getattr(out, "logits", None)
        self.returned = None if logits is None else int(logits.shape[1])


def _at(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename.rpartition('site-packages/')[2]}:{last.lineno} in {last.name}"

"""What the script's own metrics say of predictions that are all right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...kinds import names_of
from ...record import Mistake

ROWS = 2
"""Rows that are predicted."""

LARGEST = 2**26
"""Numbers of the logits of these rows, at most."""

SHARES = re.compile(r"^(?!.*macro)(?:.*_)?(?:acc|accuracy|f1|exact|exact_match|em)$")
"""Names of metrics that are 1, or 100, where all predictions are right."""

NEAR = 0.98
IGNORED = -100


def of_metrics(trainer: Any) -> Iterator[Mistake]:
    """Metrics of SFT that are not near 1 for a model that predicts each next token of the rows."""
    metrics, rows = getattr(trainer, "compute_metrics", None), trainer.eval_dataset
    otherwise = ("batch_eval_metrics", "prediction_loss_only")
    if metrics is None or not rows or isinstance(rows, dict):
        return
    if any(getattr(trainer.args, name, False) for name in otherwise):
        return
    if "SFTTrainer" not in names_of(trainer):
        return
    try:
        values, others = (metrics(_predicted(trainer, rows, places)) for places in (-1, 0))
    except Exception:  # a metric that needs more than is here
        return
    for name, value in values.items() if isinstance(values, Mapping) else ():
        if not SHARES.search(str(name)) or not isinstance(value, (int, float)):
            continue
        if value == 0 == others.get(name):
            continue  # these rows have nothing that it looks at
        if 0 <= value < NEAR or 1 < value < NEAR * 100:
            yield Mistake("metric of right answers", [str(name), f"{value:.3g}"])
            return


def _predicted(trainer: Any, rows: Any, places: int) -> Any:
    """Logits whose largest entry is the next token of each row, as an evaluation has them.

    `places` is -1 for them, 0 for logits of the tokens that are there.
    """
    import torch
    from transformers import EvalPrediction

    data = trainer._remove_unused_columns(rows, "evaluation")
    batch = trainer.data_collator([data[at] for at in range(min(ROWS, len(data)))])
    ids, labels = batch["input_ids"], batch["labels"]
    size = int(trainer.model.get_input_embeddings().weight.shape[0])
    if ids.numel() * size > LARGEST or labels.shape != ids.shape:
        raise ValueError("not enough memory for the predictions")
    following = torch.roll(torch.where(labels == IGNORED, ids, labels), places, dims=1)
    logits = torch.nn.functional.one_hot(following.long(), size).float()
    if trainer.preprocess_logits_for_metrics is not None:
        logits = trainer.preprocess_logits_for_metrics(logits, labels)
    given: dict[str, Any] = {}
    if getattr(trainer.args, "include_for_metrics", None) or getattr(
        trainer.args, "include_inputs_for_metrics", False
    ):
        given["inputs"] = ids.numpy()
    predictions = logits.numpy() if hasattr(logits, "numpy") else logits
    return EvalPrediction(predictions=predictions, label_ids=labels.numpy(), **given)

"""The gradients of trainers that read rows, over four rows in one batch and in four."""

import tempfile

from small import logged, model, trainer

PAIR = {"prompt": "w1 w2", "chosen": " w3 w5", "rejected": " w4 w6"}
STEPS = {"prompt": "w1 w2", "completions": [" w3", " w4"], "labels": [True, False]}
ROWS = {
    "SFT": {"text": "w1 w2 w3"},
    "DPO": PAIR,
    "CPO": PAIR,
    "Reward": {"chosen": "w1 w3", "rejected": "w1 w4"},
    "PRM": STEPS,
}
CLASSES = {
    "Reward": ("AutoModelForSequenceClassification", 1),
    "PRM": ("AutoModelForTokenClassification", 2),
}


def norms(name):
    """The sizes of the gradients of one step over four equal rows, in one batch and in four."""
    return _norm(name, 1, 4), _norm(name, 4, 1)


def _norm(name, batches, rows):
    sizes = {"gradient_accumulation_steps": batches, "per_device_train_batch_size": rows}
    lengths = {"max_length": 32, "max_prompt_length": 16, "max_grad_norm": 1e9}
    trained = trainer(name, [ROWS[name]] * 4, {**sizes, **lengths}, _model(name))
    trained.train()
    return round(float(logged(trained, "grad_norm")), 3)


def _model(name):
    if name not in CLASSES:
        return model()
    import torch
    import transformers

    folder = tempfile.mkdtemp()
    model().save_pretrained(folder)
    kind, labels = CLASSES[name]
    torch.manual_seed(0)
    return getattr(transformers, kind).from_pretrained(folder, num_labels=labels)

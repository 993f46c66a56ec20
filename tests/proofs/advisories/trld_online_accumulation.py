"""The gradients of OnlineDPO, XPO and NashMD grow with gradient_accumulation_steps.

What a batch adds to the gradients is compared with the gradients of its loss.
"""

import inspect
import tempfile

import torch
from small import model, of_trl, tokenizer, trainer, verdict
from transformers import AutoModelForSequenceClassification

SIZES = {"gradient_accumulation_steps": 4, "max_new_tokens": 6, "max_length": 32}


def judge():
    folder = tempfile.mkdtemp()
    model().save_pretrained(folder)
    scorer = AutoModelForSequenceClassification.from_pretrained(folder, num_labels=1)
    scorer.config.pad_token_id = 0
    return scorer


def shares(name):
    """The part of the gradients of a batch's loss that each batch of a step adds."""
    try:
        kinds = of_trl(f"{name}Trainer").__mro__
    except (AttributeError, ImportError):
        return []
    each = ({*inspect.signature(kind.__init__).parameters} for kind in kinds)
    named = next(keys for keys in each if "model" in keys)
    reward = {"reward_funcs": judge()} if "reward_funcs" in named else {"reward_model": judge()}
    for key in {"reward_processing_class", "reward_processing_classes"} & named:
        reward[key] = tokenizer()
    trained = trainer(name, [{"prompt": "w1 w2"}] * 8, SIZES, ref_model=model(), **reward)
    for part in trained.model.parameters():
        part.data.add_(torch.sin(torch.arange(part.numel())).view(part.shape), alpha=0.3)
    weight, ratios = trained.model.lm_head.weight, []
    backward = trained.accelerator.backward

    def measured(loss, **keywords):
        whole = torch.autograd.grad(loss, weight, retain_graph=True)[0]
        before = 0 if weight.grad is None else weight.grad.clone()
        backward(loss, **keywords)
        added = weight.grad - before
        ratios.append(round(float((added * whole).sum() / (whole * whole).sum()), 2))

    trained.accelerator.backward = measured
    try:
        trained.train()
    except AttributeError as error:  # NashMD with transformers that it was not written for
        if "GeometricMixtureWrapper" not in str(error):
            raise
    return ratios


seen = {name: shares(name) for name in ("OnlineDPO", "XPO", "NashMD")}
grown = all(part > 0.5 for parts in seen.values() for part in parts)
verdict(grown, f"of the four batches of a step each adds {seen}")

"""Losses of a script's own for the tokens of answers, and what is to be measured of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Loss(NamedTuple):
    """The code of a loss, what is to be found, and what else is special about the trainer."""

    body: str
    expected: object = ()
    more: Mapping[str, object] = {}


FIRST, LAST, PADDED = ["first"], ["last"], ["last", "pads"]
"""A side that is lost, and what else is known of it."""

BESIDE_FIRST, BESIDE_LAST = ["first", "moved"], ["last", "moved"]
FADES_FIRST, FADES_LAST = ["first", "fades"], ["last", "fades"]
AHEAD, COPIED, UNSEEN = "ahead", "copied", "unseen"
CALLED = """ids = inputs["input_ids"]
out = model(input_ids=ids, attention_mask=inputs["attention_mask"])
logits, whole = out.logits[:, :-1].float(), inputs["labels"]
labels = whole[:, 1:]
token = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="none")
every = F.cross_entropy(logits.transpose(1, 2), ids[:, 1:], reduction="none")
mask = labels != -100
"""
MEAN = "loss = (token * mask).sum() / mask.sum()\n"
OTHER = "loss = (every * mask).sum() / mask.sum()\n"
PLAIN = CALLED + MEAN
MARKED = """places = [row.nonzero().squeeze(-1) for row in mask]
loss = torch.stack([every[at, SLICE].mean() for at, place in enumerate(places)]).mean()
"""


def sliced(part: str) -> str:
    """A loss that takes such a part of each answer."""
    return CALLED + MARKED.replace("SLICE", part)


PAD_ENDS = {"pad": "eos"}
SFT = {
    "two tokens ahead": Loss(
        CALLED + "loss = F.cross_entropy(out.logits[:, :-2].transpose(1, 2), whole[:, 2:])", AHEAD),
    "shifted for a model that shifts": Loss(
        'labels = F.pad(inputs["labels"][:, 1:], (0, 1), value=-100)\n'
        'out = model(input_ids=inputs["input_ids"], labels=labels)\nloss = out.loss', AHEAD),
    "not shifted": Loss(
        CALLED + "loss = F.cross_entropy(out.logits.transpose(1, 2), whole)", COPIED),
    "a mask that is not shifted": Loss(
        CALLED + "mask = (whole != -100)[:, :-1]\n" + OTHER, [BESIDE_FIRST]),
    "a mask that is shifted twice": Loss(
        CALLED + "mask = F.pad((whole != -100)[:, 2:], (0, 1))\n" + OTHER, [BESIDE_LAST]),
    "without the last of an answer": Loss(sliced("place[:-1]"), [LAST]),
    "without the first of an answer": Loss(sliced("place[1:]"), [FIRST]),
    "without both": Loss(sliced("place[1:-1]"), [FIRST, LAST]),
    "from the start of the answer": Loss(sliced("place[0] + 1 : place[-1] + 1"), [FIRST]),
    "without the last of a batch": Loss(CALLED + "mask[:, -1] = False\n" + MEAN, [LAST]),
    "the same, one row a batch": Loss(CALLED + "mask[:, -1] = False\n" + MEAN, [LAST],
                                      {"per_device_train_batch_size": 1}),
    "pads are left out, and end": Loss(
        CALLED + "mask = mask & (labels != self.processing_class.pad_token_id)\n" + MEAN,
        [PADDED], PAD_ENDS),
    "with a count, without the last": Loss(
        CALLED + "mask[:, -1] = False\nloss = (token * mask).sum() / num_items_in_batch", [LAST]),
    "labels that are written into": Loss(
        'labels = inputs["labels"]\nfor row in labels:\n'
        "    row[int((row != -100).nonzero().max())] = -100\n"
        "out = model(input_ids=inputs['input_ids'], labels=labels)\nloss = out.loss", [LAST]),
    "without the last, LoRA": Loss(sliced("place[:-1]"), [LAST], {"lora": True}),
    "a mean": Loss(PLAIN),
    "the model's own": Loss("out = model(**inputs)\nloss = out.loss"),
    "the library's, whose logits are not seen": Loss(
        "loss, out = super().compute_loss(model, inputs, True)", UNSEEN),
    "a count of the tokens": Loss(CALLED + "loss = (token * mask).sum() / num_items_in_batch"),
    "smoothed labels": Loss(
        CALLED + "loss = F.cross_entropy(logits.transpose(1, 2), labels, label_smoothing=0.1)"),
    "weights of tokens": Loss(CALLED + "token = token * (0.1 + ids[:, 1:] % 7)\n" + MEAN),
    "some tokens count nothing": Loss(CALLED + "token = token * (ids[:, 1:] % 3)\n" + MEAN),
    "focal": Loss(CALLED + "token = token * (1 - (-token).exp()) ** 2\n" + MEAN),
    "z-loss": Loss(CALLED + "token = token + 1e-3 * logits.logsumexp(-1) ** 2\n" + MEAN),
    "entropy": Loss(
        CALLED + "token = token + 0.1 * (logits.softmax(-1) * logits.log_softmax(-1)).sum(-1)\n"
        + MEAN),
    "a teacher": Loss(
        CALLED + "import copy\nteacher = copy.deepcopy(model).requires_grad_(False)\n"
        "torch.manual_seed(0)\n"
        "for weight in teacher.parameters():\n    weight.add_(torch.randn_like(weight) * 0.05)\n"
        "with torch.no_grad():\n    wanted = teacher(input_ids=ids).logits[:, :-1]\n"
        "token = F.kl_div(logits.log_softmax(-1), wanted.softmax(-1), reduction='none').sum(-1)\n"
        + MEAN),
    "in parts": Loss(
        CALLED + "loss = sum((part * here).sum() for part, here in\n"
        "           zip(token.split(3, 1), mask.split(3, 1))) / mask.sum()"),
    "the mean of each row": Loss(CALLED + "loss = ((token * mask).sum(1) / mask.sum(1)).mean()"),
    "the end left out on purpose": Loss(
        CALLED + "mask = mask & (labels != self.processing_class.eos_token_id)\n" + MEAN),
    "spaces left out": Loss(CALLED + "first = ids[0, 1:][mask[0]][0]\n"
                            "mask = mask & (labels != first)\n" + MEAN),
    "a part of the tokens by chance": Loss(
        CALLED + "mask = mask & (torch.rand(mask.shape) < 0.5)\n" + MEAN),
    "hard tokens": Loss(
        CALLED + "loss = (token * mask).flatten().topk(int(mask.sum()) // 2)[0].mean()"),
    "later tokens count more": Loss(
        CALLED + "place = mask.cumsum(1)\ntoken = token * (1 - 0.5 ** place)\n" + MEAN),
    "weights that grow from zero": Loss(
        CALLED + "place = mask.cumsum(1) - 1\ntoken = token * place / mask.sum(1)[:, None]\n"
        + MEAN, [FADES_FIRST]),
    "weights that fall to zero": Loss(
        CALLED + "left = mask.flip(1).cumsum(1).flip(1) - 1\ntoken = token * left\n" + MEAN,
        [FADES_LAST]),
    "a mark that begins every answer": Loss(
        CALLED + "first = mask & (mask.cumsum(1) == 1)\nmask = mask & ~first\n" + MEAN, (),
        {"mark": True}),
    "labels that the collator has shifted": Loss(
        'out = model(input_ids=inputs["input_ids"])\n'
        'loss = F.cross_entropy(out.logits.transpose(1, 2), inputs["labels"])', UNSEEN,
        {"shifts": True}),
    "answers of one token": Loss(PLAIN, UNSEEN, {"short": True}),
    "weights of places from zero": Loss(
        CALLED + "token = token * torch.linspace(0, 1, token.shape[1])\n" + MEAN,
        (), {"whole": True}),
    "whole texts, not their begin": Loss(CALLED + "mask[:, 0] = False\n" + MEAN, (),
                                         {"whole": True}),
    "the first half of an answer": Loss(sliced("place[: len(place) // 2]")),
    "the end counts ten times": Loss(
        CALLED + "eos = self.processing_class.eos_token_id\n"
        "token = torch.where(labels == eos, 10 * token, token)\n" + MEAN),
    "inputs without their last": Loss(
        'out = model(input_ids=inputs["input_ids"][:, :-1])\nlabels = inputs["labels"][:, 1:]\n'
        "loss = F.cross_entropy(out.logits.transpose(1, 2), labels)"),
    "another padding": Loss(
        'ids, labels = inputs["input_ids"].flip(1), inputs["labels"].flip(1)\n'
        'mask, size = inputs["attention_mask"].flip(1), inputs["attention_mask"].sum(1)\n'
        "for at, n in enumerate(size):\n"
        "    ids[at, -n:], labels[at, -n:] = ids[at, -n:].flip(0), labels[at, -n:].flip(0)\n"
        "out = model(input_ids=ids, attention_mask=mask)\n"
        "loss = F.cross_entropy(out.logits[:, :-1].transpose(1, 2), labels[:, 1:])"),
    "LoRA": Loss(PLAIN, (), {"lora": True}),
    "gradient checkpointing": Loss(PLAIN, (), {"gradient_checkpointing": True}),
    "rows without padding": Loss(
        'out = model(input_ids=inputs["input_ids"], position_ids=inputs["position_ids"])\n'
        "loss = F.cross_entropy(out.logits[:, :-1].transpose(1, 2), inputs['labels'][:, 1:])",
        (), {"padding_free": True, "max_length": None}),
    "two tokens at once": Loss(
        CALLED + MEAN + "loss = loss + 0.3 * F.cross_entropy(\n"
        "    out.logits[:, :-2].transpose(1, 2), whole[:, 2:])"),
}  # fmt: skip
SCORED = """
def scores(of):
    ids = inputs["input_ids"]
    logits = of(input_ids=ids, attention_mask=inputs["attention_mask"]).logits.float()[:, :-1]
    token = logits.log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
    mask = inputs["completion_mask"][:, 1:].bool()
    token = CHANGED
    return (token * mask).sum(1), mask.sum(1), token, mask
out = None
sums, sizes, tokens, mask = scores(model)
with torch.no_grad():
    reference = scores(self.ref_model or model)[0]
"""
SIGMOID = "c, r = (sums - reference).chunk(2)\nloss = -F.logsigmoid(0.1 * (c - r)).mean()\n"
MEANS = "c, r = (sums / sizes).chunk(2)\n"
MARK = 'mask = inputs["completion_mask"][:, 1:].bool()'


def scored(loss: str, changed: str = "token", mask: str = MARK) -> str:
    """Such a loss of pairs."""
    return SCORED.replace("CHANGED", changed).replace(MARK, mask) + loss


def cut(part: str) -> str:
    """A mask of such a part of each answer."""
    return (f"{MARK}\n    mask = torch.zeros_like(mask).scatter(1, torch.arange(mask.shape[1])"
            ".expand_as(mask), mask)\n"
            "    for row in mask:\n        places = row.nonzero().squeeze(-1)\n"
            f"        row[places[{part}]] = False")  # fmt: skip


SPLIT = """
def scores(ids, seen, mask):
    logits = model(input_ids=ids, attention_mask=seen).logits[:, :-1]
    token = logits.log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
    return (token * mask[:, 1:]).sum(1)
names = ("input_ids", "attention_mask", "completion_mask")
parts = zip(*(inputs[name].chunk(2) for name in names))
c, r = (scores(*part) for part in parts)
loss, out = -F.logsigmoid(0.1 * (c - r)).mean(), None
"""
UNSHIFTED = scored(SIGMOID).replace(".float()[:, :-1]", ".float()[:, 1:]")
LEAD = SCORED.replace("CHANGED", "token").replace("[:, :-1]", "[:, :-2]").replace(
    "ids[:, 1:,", "ids[:, 2:,").replace('"][:, 1:]', '"][:, 2:]')  # fmt: skip
DPO = {
    "without the first": Loss(scored(SIGMOID, mask=cut("0")), [FIRST]),
    "without the last": Loss(scored(SIGMOID, mask=cut("-1")), [LAST]),
    "without the last, no reference": Loss(scored(MEANS + "loss = -F.logsigmoid(c - r).mean()",
                                                  mask=cut("-1")), [LAST]),
    "a mask that is not shifted": Loss(
        scored(SIGMOID, mask=MARK.replace("[:, 1:]", "[:, :-1]")), [BESIDE_FIRST]),
    "not shifted": Loss(UNSHIFTED, COPIED),
    "two tokens ahead": Loss(LEAD + SIGMOID, AHEAD),
    "DPO": Loss(scored(SIGMOID)),
    "DPO in two calls": Loss(SPLIT),
    "DPO with LoRA": Loss(scored(SIGMOID), (), {"lora": True}),
    "IPO": Loss(scored("c, r = ((sums - reference) / sizes).chunk(2)\n"
                       "loss = ((c - r - 5) ** 2).mean()")),
    "hinge": Loss(scored(SIGMOID.replace("-F.logsigmoid(0.1", "F.relu(1 - (0.1").replace(
        "))", ")))"))),
    "SimPO": Loss(scored(MEANS + "loss = -F.logsigmoid(2 * (c - r) - 0.5).mean()")),
    "ORPO": Loss(scored(
        MEANS + "odds = c - r - (torch.log1p(-c.exp()) - torch.log1p(-r.exp()))\n"
        "loss = -c.mean() - 0.1 * F.logsigmoid(odds).mean()")),
    "a discount of later tokens": Loss(
        scored(SIGMOID, "token * 0.99 ** mask.cumsum(1)")),
    "chosen answers alone": Loss(scored("loss = -(sums / sizes).chunk(2)[0].mean()")),
    "the library's, twice": Loss(
        "loss, out = 2 * super().compute_loss(model, inputs), None", UNSEEN),
}  # fmt: skip
WANTED = """c = sums - reference
sign = torch.tensor([1.0 if one else -1.0 for one in inputs["label"]])
loss = (1 - torch.sigmoid(0.1 * c * sign)).mean()
"""
KTO = {
    "without the first": Loss(scored(WANTED, mask=cut("0")), [FIRST]),
    "without the last": Loss(scored(WANTED, mask=cut("-1")), [LAST]),
    "not shifted": Loss(UNSHIFTED.replace(SIGMOID, WANTED), COPIED),
    "KTO": Loss(scored(WANTED)),
    "the library's": Loss("loss, out = super().compute_loss(model, inputs), None", UNSEEN),
}
LOSSES = {"SFT": SFT, "DPO": DPO, "KTO": KTO}

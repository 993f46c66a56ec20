"""Which losses of a script's own mix the rows of a batch by their shapes, and which want to."""

from __future__ import annotations

import json
from pathlib import Path

from commands import ran
from laid import ROOT, Interpreter

MIXES = {
    "margin": "loss(c - r - margin).mean()",
    "margin first": "loss(margin - (c - r)).mean()",
    "weight": "(loss(c - r) * margin).mean()",
    "threshold": "loss(c * (c > margin).float()).mean()",
    "sum of each row": "((c - margin) ** 2).sum(-1).mean()",
    "mse_loss": "F.mse_loss(c - r, margin)",
    "its module": "torch.nn.MSELoss()(c - r, margin)",
    "by name": "F.huber_loss(input=c, target=margin)",
    "a column of labels": "F.smooth_l1_loss(c.squeeze(-1), margin.unsqueeze(-1))",
    "where": "torch.where(margin > 0, c, r).mean()",
}
LEFT_ALONE = {
    "squeezed": "loss(c.squeeze(-1) - r.squeeze(-1) - margin).mean()",
    "unsqueezed": "loss(c - r - margin.unsqueeze(-1)).mean()",
    "row losses with weights": "(loss(c - r).squeeze(-1) * margin).mean()",
    "all pairs by None": "loss(c[:, 0][:, None] - c[:, 0][None, :]).mean()",
    "all pairs by unsqueeze": "loss(c[:, 0].unsqueeze(1) - r[:, 0]).mean()",
    "all pairs by view": "loss(c[:, 0].view(-1, 1) - r[:, 0]).mean()",
    "all pairs, scaled": "loss((c[:, 0].unsqueeze(1) / 0.5).float() - r[:, 0]).mean()",
    "all pairs of the scores": "loss(c - c.squeeze(-1)).mean()",
    "all pairs by T": "loss(c - r.T).mean()",
    "a mask of pairs": "loss(c - r.squeeze(-1))[~torch.eye(len(c), dtype=torch.bool)].mean()",
    "pairs that are filled": "loss(c - r[:, 0]).masked_fill(torch.eye(len(c)).bool(), 0).mean()",
    "pairs with weights": "(loss(c - r[:, 0]) * torch.ones(len(c), len(c)).triu(1)).mean()",
    "the diagonal": "loss(c - r.squeeze(-1)).diagonal().mean()",
    "InfoNCE": "F.cross_entropy(c @ r.T / 0.1, torch.arange(len(c)))",
    "InfoNCE of differences": "F.cross_entropy(-(c - r[:, 0]).abs(), torch.arange(len(c)))",
    "classes": "F.cross_entropy(torch.cat([c, r], 1), (margin > 0).long())",
    "one class": "F.cross_entropy(c, torch.zeros(len(c)).long())",
    "classes of one vector": "(c * torch.tensor([0.1, 0.2, 0.3])).mean()",
    "centred": "loss((c - c.mean(0)) - (r - r.mean(0, keepdim=True))).mean()",
    "divergence": "F.kl_div(c.log_softmax(0), r.softmax(0), reduction='batchmean')",
    "rows in turn": "sum(loss(one - other - m).mean() for one, other, m in zip(c, r, margin))",
}
OWN = """
import torch
import torch.nn.functional as F
from trl import RewardTrainer

def loss(scores):
    return -F.logsigmoid(scores)

class Own(RewardTrainer):
    way = None

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        out = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
        c, r = out.logits.chunk(2)
        found = type(self).way(c, r, inputs["margin"])
        return (found, out) if return_outputs else found

WAYS = {{
{ways}
}}
"""
MEASURE = """
import json, sys
sys.path[:0] = [{root!r}, "."]
from datasets import Dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig
from own import WAYS, Own
from trl_doctor.probes.rehearsal.trainers.mistakes.row_shapes import of_shapes

folder = {root!r} + "/fixtures/models/reward"
rows = [{{"prompt": f"Why {{i}}?", "chosen": f" So {{i}}.", "rejected": f" No, {{i}}.",
         "margin": 1.0}} for i in range(3)]
trainer = Own(
    model=AutoModelForSequenceClassification.from_pretrained(folder, num_labels=1),
    processing_class=AutoTokenizer.from_pretrained(folder), train_dataset=Dataset.from_list(rows),
    args=RewardConfig(output_dir="out", use_cpu=True, bf16=False, report_to="none"))
found = {{}}
for name, way in WAYS.items():
    Own.way = staticmethod(way)
    batch = trainer._prepare_inputs(trainer.data_collator([trainer.train_dataset[0]] * 3))
    trainer.compute_loss(trainer.model, batch) if "one vector" not in name else None
    found[name] = [mistake.at[1] for mistake in of_shapes(trainer)]
print(json.dumps(found))
"""


def test_losses_that_mix_rows(tmp_path: Path, interpreter: Interpreter) -> None:
    ways = {**MIXES, **LEFT_ALONE}
    lines = "\n".join(f"    {name!r}: lambda c, r, margin: {way}," for name, way in ways.items())
    (tmp_path / "own.py").write_text(own := OWN.format(ways=lines))
    (tmp_path / "measure.py").write_text(MEASURE.format(root=str(ROOT)))
    process = ran(interpreter("current"), "measure.py", cwd=tmp_path)
    assert process.returncode == 0, process.stderr[-2000:]
    found = json.loads(process.stdout.splitlines()[-1])
    lines_of = {
        name: [at for at, line in enumerate(own.splitlines(), 1) if f"{name!r}:" in line]
        for name in MIXES
    }
    assert found == {name: lines_of.get(name, []) for name in ways}

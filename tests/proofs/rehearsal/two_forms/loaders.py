"""Data loaders that a script gives its trainer."""

from __future__ import annotations

from two_forms.script import TwoForms

IN_ORDER = """\
import torch
from datasets import Dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

drawn = []


class OwnLoader(SFTTrainer):
    def get_train_dataloader(self):
        loader = DataLoader(self.train_dataset,
                            shuffle=True,  #~good
                            batch_size=self.args.per_device_train_batch_size,
                            collate_fn=self.data_collator)
        return self.accelerator.prepare(loader)

    def training_step(self, model, inputs, *given, **more):
        drawn.extend(tuple(row) for row in inputs["input_ids"].tolist())
        return super().training_step(model, inputs, *given, **more)


rows = Dataset.from_list([{"text": f"Number {n} is {'even' if n % 2 == 0 else 'odd'}."}
                          for n in range(10, 26)])
trainer = OwnLoader(
    model=AutoModelForCausalLM.from_pretrained("models/healthy"),
    args=SFTConfig(output_dir="out", num_train_epochs=3, per_device_train_batch_size=2, seed=1,
                   use_cpu=True, bf16=False, report_to="none", save_strategy="no"),
    train_dataset=rows,
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
)
trainer.train()
passes = [tuple(drawn[at:at + len(rows)]) for at in range(0, len(drawn), len(rows))]
print("ONE WAY", len(set(passes)) == 1)
"""

IN_BLOCKS = (
    IN_ORDER.replace("num_train_epochs=3", "num_train_epochs=1")
    .replace("'odd'}.\"}", '\'odd\'}.", "kind": n // 18}')
    .partition("passes = ")[0]
    .replace("trainer.train()", "written = trainer.train_dataset['input_ids']\ntrainer.train()")
    + """\
pairs = zip(drawn, written)
print("AS WRITTEN", all(row[:len(own)] == tuple(own) for row, own in pairs))
"""
)

SCRIPTS = (
    *(
        TwoForms(f"rows in one order, {environment}", environment, "training-rows-never-shuffled",
                 IN_ORDER,
                 "ONE WAY True", "ONE WAY False", "warning", "same order in each of the 3 passes")
        for environment in ("current", "four")
    ),
    TwoForms("rows in blocks of one kind", "current", "training-rows-never-shuffled",
             IN_BLOCKS,
             "AS WRITTEN True", "AS WRITTEN False", "warning", "the rows are sorted by their kind"),
)  # fmt: skip

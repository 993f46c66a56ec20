"""Settings that a script makes after its config, in two forms."""

from __future__ import annotations

from two_forms.script import TwoForms

PACKED = """\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

args = SFTConfig(
    output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
    packing_strategy="wrapped", max_length=64, use_cpu=True, bf16=False,
)
args.packing = True  #~good
trainer = SFTTrainer(
    "models/healthy",
    args=args,
    train_dataset=Dataset.from_dict({"text": [f"The {n}. sentence." for n in range(40)]}),
)
trainer.train()
print("PACKED", len(trainer.train_dataset) < 40)
"""

SCRIPTS = tuple(
    TwoForms(f"packing is turned on later ({environment})", environment,
             "argument-lacks-its-switch", PACKED, "PACKED False", "PACKED True",
             severity="warning", says="packing_strategy has no effect without packing: true")
    for environment in ("current", "four")
)  # fmt: skip

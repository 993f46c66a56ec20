"""SFT with code of its own between the library's parts: what it freezes, its loss."""

from __future__ import annotations

from two_forms.script import TwoForms
from two_forms.sft import sft

MODULE_NOT_FROZEN = (
    ("BEFORE", "model.model.embed_tokens.requires_grad = False  #~bad\n"
               "model.model.embed_tokens.requires_grad_(False)  #~good"),
    ("    MORE\n", ""),
    ("SHOW", "layer = model.model.embed_tokens.weight\n"
             "before = layer.detach().clone()\n"
             "trainer.train()\n"
             "print('STAYED', bool((layer == before).all()))"),
)  # fmt: skip
LOSS_NOT_SHIFTED = """\
import torch
from datasets import Dataset
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


class OwnLoss(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs, labels = model(inputs["input_ids"]), inputs["labels"]
        logits, labels = outputs.logits, labels  #~bad
        logits, labels = outputs.logits[:, :-1], labels[:, 1:]  #~good
        loss = cross_entropy(logits.reshape(-1, logits.size(-1)), labels.reshape(-1))
        return (loss, outputs) if return_outputs else loss


model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype=torch.float32)
trainer = OwnLoss(
    model=model,
    args=SFTConfig(output_dir="out", max_steps=60, learning_rate=1e-2, use_cpu=True, bf16=False,
                   per_device_train_batch_size=2, report_to="none", save_strategy="no"),
    train_dataset=Dataset.from_dict({"text": ["One, two, three, four, five, six."] * 8}),
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
)
trainer.train()
ids = torch.tensor([trainer.train_dataset[0]["input_ids"]])
with torch.no_grad():
    raised = model.eval()(ids).logits.argmax(-1)[0, :-1]
print("REPEATS", round((raised == ids[0, :-1]).float().mean().item()))
"""

SCRIPTS = (
    TwoForms("a loss that is not shifted", "current", "step-loss-not-shifted",
             LOSS_NOT_SHIFTED,
             "REPEATS 1", "REPEATS 0", says="the model learns to repeat its input"),
    TwoForms("a module is not frozen", "four", "model-freezes-nothing",
             sft(MODULE_NOT_FROZEN),
             "STAYED False", "STAYED True", "warning", "set on the module model.embed_tokens"),
)  # fmt: skip

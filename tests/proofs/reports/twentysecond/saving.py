"""Threads of a twenty-second list: a training that dies when it saves."""

from reports.report import CHOICES, TEXT, Report, changed

VALUE_HEAD = """\
import os

from datasets import load_dataset
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import DPOConfig, DPOTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")


class SaveStates(TrainerCallback):
    \"\"\"Keep the weights of each checkpoint in a file for the server, too.\"\"\"

    def on_save(self, args, state, control, model=None, **kwargs):
        folder = os.path.join(args.output_dir, "server")
        os.makedirs(folder, exist_ok=True)
        state_dict = model.state_dict()
        save_file(state_dict, os.path.join(folder, f"step-{state.global_step}.safetensors"))


trainer = DPOTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    args=DPOConfig(
        output_dir="preferred",
        max_steps=4,
        save_steps=2,
        per_device_train_batch_size=2,
        learning_rate=1e-5,
        report_to="none",
        use_cpu=True,
        bf16=False,
    ),
    callbacks=[SaveStates()],
)
trainer.train()
"""
TENSORS = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


class TrainerWithNorms(SFTTrainer):
    \"\"\"SFTTrainer that logs the norm of the gradients before they are clipped.\"\"\"

    def training_step(self, model, inputs, *args, **kwargs):
        loss = super().training_step(model, inputs, *args, **kwargs)
        grads = [p.grad.norm() for p in model.parameters() if p.grad is not None]
        self.norm = torch.stack(grads).norm()
        return loss

    def log(self, logs, *args, **kwargs):
        if "loss" in logs:
            logs["norm_before_clipping"] = self.norm
        super().log(logs, *args, **kwargs)


trainer = TrainerWithNorms(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
    args=SFTConfig(
        output_dir="mistral-hf",
        max_steps=6,
        logging_steps=2,
        save_steps=4,
        per_device_train_batch_size=2,
        report_to="none",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
REPORTS = (
    Report(
        "hiyouga/LlamaFactory#10137",
        "current",
        "Some tensors share memory",
        r"share memory|tied|tie_word_embeddings",
        {"train.py": VALUE_HEAD, "pairs.jsonl": CHOICES},
        changed(
            VALUE_HEAD,
            (
                "        state_dict = model.state_dict()\n",
                "        seen, state_dict = set(), {}\n"
                "        for name, tensor in model.state_dict().items():\n"
                "            if tensor.data_ptr() not in seen:\n"
                "                state_dict[name] = tensor\n"
                "            seen.add(tensor.data_ptr())\n",
            ),
        ),
    ),
    Report(
        "huggingface/transformers#30038",
        "four",
        "Object of type Tensor is not JSON serializable",
        r"norm_before_clipping|JSON serializable",
        {"train.py": TENSORS, "texts.jsonl": TEXT},
        changed(TENSORS, ("= self.norm\n", "= self.norm.item()\n")),
        level="",
    ),
)

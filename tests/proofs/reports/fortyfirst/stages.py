"""Threads of a forty-first list: a training on top of another, and its adapter."""

from reports.report import CHATS, PREFERENCES, Report, changed

FIRST = '''\
"""DPO of a model after its supervised fine-tuning, both with LoRA."""

from datasets import load_dataset
from peft import {imported}
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

COMMON = {{
    "per_device_train_batch_size": 4,
    "report_to": "none",
    "save_strategy": "no",
    "use_cpu": True,
    "bf16": False,
}}
tokenizer = AutoTokenizer.from_pretrained("model")
lora = LoraConfig(r=8, lora_alpha=16, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
sft = SFTTrainer(
    model="model",
    args=SFTConfig(output_dir="sft", max_steps=2, learning_rate=1e-3, **COMMON),
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
    peft_config=lora,
)
sft.train()
'''
ANEW = (
    FIRST.format(imported="AutoPeftModelForCausalLM, LoraConfig, get_peft_model")
    + """\
sft.save_model("sft/final_checkpoint")

model = AutoPeftModelForCausalLM.from_pretrained("sft/final_checkpoint", is_trainable=True)
model = get_peft_model(model, lora)
before = {n: p.abs().max().item() for n, p in model.named_parameters() if "lora_B" in n}
trainer = DPOTrainer(
    model=model,
    args=DPOConfig(output_dir="dpo", max_steps=1, learning_rate=5e-4, beta=0.1, **COMMON),
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
print("nothing of the fine-tuning is left:", max(before.values()) == 0)
"""
)
ON_THE_BASE = (
    FIRST.format(imported="LoraConfig, PeftModel")
    + """\
merged = sft.model.merge_and_unload()
trainer = DPOTrainer(
    model=merged,
    args=DPOConfig(output_dir="dpo", max_steps=1, learning_rate=5e-4, beta=0.1, **COMMON),
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    processing_class=tokenizer,
    peft_config=lora,
)
trainer.train()
trainer.save_model("dpo/adapter")
asked = tokenizer("What is seven times six?", return_tensors="pt")
trained = trainer.model.eval()(**asked).logits

base = AutoModelForCausalLM.from_pretrained("model", dtype=merged.dtype)
loaded = PeftModel.from_pretrained(base, "dpo/adapter").eval()
print("what is loaded is what was trained:", trained.allclose(loaded(**asked).logits, atol=1e-4))
"""
)
MERGED = "merged = sft.model.merge_and_unload()\n"
REPORTS = (
    Report(
        "huggingface/trl#872",
        "grpo-shapes",
        "nothing of the fine-tuning is left: True",
        r"get_peft_model|peft_config|adapter",
        {"train.py": ANEW, "chats.jsonl": CHATS, "pairs.jsonl": PREFERENCES},
        changed(
            ANEW,
            (", get_peft_model\n", "\n"), ("model = get_peft_model(model, lora)\n", ""),
        ),
    ),
    Report(
        "hiyouga/LlamaFactory#2111",
        "current",
        "what is loaded is what was trained: False",
        r"merge|base model|adapter",
        {"train.py": ON_THE_BASE, "chats.jsonl": CHATS, "pairs.jsonl": PREFERENCES},
        changed(
            ON_THE_BASE,
            (MERGED, f'{MERGED}merged.save_pretrained("sft/merged")\n'),
            ('AutoModelForCausalLM.from_pretrained("model"',
             'AutoModelForCausalLM.from_pretrained("sft/merged"'),
        ),
    ),
)  # fmt: skip

"""Threads of a thirty-third list: an adapter that is to stay as it is."""

from reports.report import TEXT, Report, changed

THAWED = '''\
"""The adapter of the first round stays as it is; only the norms are tuned for the new domain."""

import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

BASE = "model"
FIRST_ROUND = "first-round"


def first_round():
    model = AutoModelForCausalLM.from_pretrained(BASE)
    config = LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
    get_peft_model(model, config).save_pretrained(FIRST_ROUND)


def load_frozen():
    model = AutoModelForCausalLM.from_pretrained(BASE)
    model = PeftModel.from_pretrained(model, FIRST_ROUND)
    for name, weight in model.named_parameters():
        if name.endswith("norm.weight"):
            weight.requires_grad = True
    return model


@torch.no_grad()
def loss_of(model, tokenizer, texts):
    losses = []
    for text in texts:
        inputs = tokenizer(text, return_tensors="pt")
        losses.append(model(**inputs, labels=inputs["input_ids"]).loss.item())
    return sum(losses) / len(losses)


def main():
    set_seed(5)
    first_round()
    tokenizer = AutoTokenizer.from_pretrained(BASE)
    data = load_dataset("json", data_files="texts.jsonl", split="train")
    model = load_frozen()
    with model.disable_adapter():
        print(f"loss of the base model: {loss_of(model, tokenizer, data['text']):.3f}")
    print(f"loss of the first round: {loss_of(model, tokenizer, data['text']):.3f}")

    adapter = {name: w.clone() for name, w in model.named_parameters() if "lora_" in name}
    trainer = SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=data,
        args=SFTConfig(
            output_dir="norms",
            max_steps=2,
            learning_rate=1e-2,
            lr_scheduler_type="constant",
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    weights = dict(model.named_parameters())
    moved = [name for name, weight in adapter.items() if not torch.equal(weight, weights[name])]
    print("the first round is still as it was:", not moved)


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "huggingface/peft#3447",
        "current",
        "the first round is still as it was: False",
        r"disable_adapter|(un|no longer |not |stop).{0,20}(freez|frozen)|thaw|inference_mode"
        r"|requires_grad|is_trainable|frozen",
        {"train.py": THAWED, "texts.jsonl": TEXT},
        changed(
            THAWED,
            (
                "    adapter = {name",
                "    for name, weight in model.named_parameters():\n"
                '        if "lora_" in name:\n'
                "            weight.requires_grad = False\n"
                "    adapter = {name",
            ),
        ),
    ),
)

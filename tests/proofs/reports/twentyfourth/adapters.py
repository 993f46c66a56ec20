"""Threads of a twenty-fourth list: what of a model is adapted."""

from reports.report import PAIRS, Report, changed, rows

SHARED_BASE = """\
import torch
from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
base_model = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)
peft_config = LoraConfig(r=8, lora_alpha=16, target_modules="all-linear", task_type="CAUSAL_LM")
new_model = get_peft_model(base_model, peft_config)
new_model.print_trainable_parameters()

data = load_dataset("json", data_files={"train": "train.jsonl", "test": "test.jsonl"})
trainer = SFTTrainer(
    model=new_model,
    processing_class=tokenizer,
    train_dataset=data["train"],
    args=SFTConfig(
        output_dir="lora-out",
        max_steps=20,
        per_device_train_batch_size=4,
        learning_rate=5e-3,
        logging_steps=10,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()


@torch.no_grad()
def test_loss(model):
    model.eval()
    losses = []
    for row in data["test"]:
        ids = tokenizer(row["text"], return_tensors="pt")["input_ids"]
        losses.append(model(input_ids=ids, labels=ids).loss.item())
    return sum(losses) / len(losses)


before, after = test_loss(base_model), test_loss(new_model)
print(f"base {before:.3f}, fine-tuned {after:.3f}, gain {before - after:.3f}")
"""
ADALORA = """\
from datasets import load_dataset
from peft import AdaLoraConfig, TaskType, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model_name_or_path = "model"
tokenizer = AutoTokenizer.from_pretrained(model_name_or_path)
model = AutoModelForCausalLM.from_pretrained(model_name_or_path)
model.enable_input_require_grads()

peft_config = AdaLoraConfig(
    task_type=TaskType.CAUSAL_LM,
    inference_mode=False,
    init_r=12,
    target_r=8,
    lora_alpha=32,
    lora_dropout=0.1,
    total_step=20,
    target_modules=["query", "value"],
)
peft_model = get_peft_model(model, peft_config)
peft_model.print_trainable_parameters()

ds_train = load_dataset("json", data_files="waimai.jsonl", split="train")
trainer = SFTTrainer(
    model=peft_model,
    processing_class=tokenizer,
    train_dataset=ds_train,
    args=SFTConfig(
        output_dir="waimai-adalora",
        per_device_train_batch_size=2,
        max_steps=3,
        learning_rate=5e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
ROUNDS = """\
import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def train(model, data, output_dir, peft_config=None):
    trainer = SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=load_dataset("json", data_files=data, split="train"),
        peft_config=peft_config,
        args=SFTConfig(
            output_dir=output_dir,
            max_steps=3,
            per_device_train_batch_size=2,
            learning_rate=2e-4,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    trainer.save_model(output_dir)


# first round: general questions
lora = LoraConfig(r=8, lora_alpha=16, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
train(AutoModelForCausalLM.from_pretrained("model"), "general.jsonl", "round1", lora)

# second round goes on with the adapter of the first
base = AutoModelForCausalLM.from_pretrained("model")
model = PeftModel.from_pretrained(base, "round1")
model.print_trainable_parameters()
train(model, "domain.jsonl", "round2")

first, second = (load_file(f"{name}/adapter_model.safetensors") for name in ("round1", "round2"))
moved = [key for key, value in second.items() if not torch.equal(value, first[key])]
print("tensors that the second round changed:", len(moved))
"""
TEXTS = rows(*({"text": f"{a} {b}<|im_end|>"} for a, b in PAIRS))
HELD_OUT = rows(
    {"text": "What is six times seven? Forty-two.<|im_end|>"},
    {"text": "Count to three. One, two, three.<|im_end|>"},
)
REPORTS = (
    Report(
        "huggingface/peft#940",
        "current",
        r"gain -?0\.000",
        r"base_model|in.?place|the same (model|weights|modules)",
        {"train.py": SHARED_BASE, "train.jsonl": TEXTS, "test.jsonl": HELD_OUT},
        changed(
            SHARED_BASE,
            (
                "before, after = test_loss(base_model), test_loss(new_model)\n",
                'base_model = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)\n'
                "before, after = test_loss(base_model), test_loss(new_model)\n",
            ),
        ),
        level="",
    ),
    Report(
        "lyhue1991/torchkeras#58",
        "current",
        "Target modules .* not found in the base model",
        r"target_modules|Target modules|no module query",
        {"train.py": ADALORA, "waimai.jsonl": TEXTS},
        changed(ADALORA, ('["query", "value"]', '["q_proj", "v_proj"]')),
    ),
    Report(
        "huggingface/peft#282",
        "current",
        "tensors that the second round changed: 0",
        r"is_trainable|frozen|no (trainable )?(parameter|weight)|require.{0,3} grad",
        {"train.py": ROUNDS, "general.jsonl": TEXTS, "domain.jsonl": TEXTS},
        changed(
            ROUNDS,
            (
                'PeftModel.from_pretrained(base, "round1")',
                'PeftModel.from_pretrained(base, "round1", is_trainable=True)',
            ),
        ),
    ),
)

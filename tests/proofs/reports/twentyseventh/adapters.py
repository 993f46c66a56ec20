"""Threads of a twenty-seventh list: adapters that are lost, do not fit, or are used in training."""

from reports.report import Report, changed
from reports.twentyseventh.data import CHATS, COMPLETIONS

ON_ITSELF = """\
import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)
saver_dir = "llama-math"
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="questions.jsonl", split="train")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
    processing_class=tokenizer,
    train_dataset=dataset,
    peft_config=LoraConfig(
        r=16, lora_alpha=32, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"
    ),
    args=SFTConfig(
        output_dir="out",
        max_steps=20,
        per_device_train_batch_size=4,
        learning_rate=1e-2,
        logging_steps=10,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
trainer.save_model(saver_dir + "/adapter")
ids = tokenizer(dataset["prompt"][0], return_tensors="pt")
with torch.no_grad():
    trained = trainer.model.eval()(**ids).logits

model = trainer.model.base_model
model = PeftModel.from_pretrained(model, saver_dir + "/adapter")
model = model.merge_and_unload()
model.save_pretrained(saver_dir)
tokenizer.save_pretrained(saver_dir)

with torch.no_grad():
    merged = model.eval()(**ids).logits
    base = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)(**ids).logits
print("the merged model is as the trained one:", torch.allclose(merged, trained, atol=1e-3))
print("the merged model is as the base model:", torch.allclose(merged, base, atol=1e-3))
"""
LONGER = """\
import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.add_tokens([f"<item_{number}>" for number in range(40)])
model = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)
model.resize_token_embeddings(len(tokenizer))

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
    peft_config=LoraConfig(
        r=8,
        lora_alpha=16,
        target_modules=["q_proj", "k_proj", "v_proj", "o_proj"],
        modules_to_save=["embed_tokens", "lm_head"],
        task_type="CAUSAL_LM",
    ),
    args=SFTConfig(
        output_dir="llama-items",
        max_steps=3,
        per_device_train_batch_size=4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
trainer.save_model()

tokenizer = AutoTokenizer.from_pretrained("llama-items")
model = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)
model = PeftModel.from_pretrained(model, "llama-items").eval()
inputs = tokenizer("Which <item_3> comes next?", return_tensors="pt")
print(tokenizer.decode(model.generate(**inputs, max_new_tokens=8, do_sample=False)[0]))
"""
DROPPED = """\
import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="questions.jsonl", split="train")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
    processing_class=tokenizer,
    train_dataset=dataset,
    peft_config=LoraConfig(
        r=8, lora_alpha=16, lora_dropout=0.3, target_modules="all-linear", task_type="CAUSAL_LM"
    ),
    args=SFTConfig(
        output_dir="quiz",
        max_steps=20,
        per_device_train_batch_size=4,
        learning_rate=1e-2,
        logging_steps=10,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
trainer.save_model()

base = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)
model = PeftModel.from_pretrained(base, "quiz", is_trainable=True)


@torch.no_grad()
def loss_of(row):
    ids = tokenizer(row["prompt"] + row["completion"], return_tensors="pt")["input_ids"]
    return model(input_ids=ids, labels=ids).loss.item()


first = [loss_of(row) for row in dataset]
second = [loss_of(row) for row in dataset]
other = sum(abs(one - two) > 1e-4 for one, two in zip(first, second))
print(f"rows that have another loss the second time: {other} of {len(dataset)}")
"""
REPORTS = (
    Report(
        "huggingface/peft#868",
        "current",
        "the merged model is as the trained one: False",
        r"base_model|already.{0,80}(adapter|LoRA|PEFT)|missing adapter|adapter.{0,100}"
        r"(not (loaded|merged|in)|lost|untrained|replaced|overwritten)|"
        r"without (the|its|an) adapter",
        {"train.py": ON_ITSELF, "questions.jsonl": COMPLETIONS},
        changed(
            ON_ITSELF,
            (
                "model = trainer.model.base_model\n"
                'model = PeftModel.from_pretrained(model, saver_dir + "/adapter")\n'
                "model = model.merge_and_unload()\n",
                "model = trainer.model.merge_and_unload()\n",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/peft#1300",
        "current",
        "size mismatch for",
        r"resize_token_embeddings|size mismatch|(embedding|vocabulary|token).{0,80}"
        r"(size|larger|smaller|more|fewer|rows)",
        {"train.py": LONGER, "chats.jsonl": CHATS},
        changed(
            LONGER,
            (
                'model = PeftModel.from_pretrained(model, "llama-items").eval()\n',
                "model.resize_token_embeddings(len(tokenizer))\n"
                'model = PeftModel.from_pretrained(model, "llama-items").eval()\n',
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/peft#2438",
        "current",
        r"another loss the second time: [1-9]",
        r"dropout|is_trainable|training mode|eval\(\)|evaluation mode|(train|training).mode",
        {"train.py": DROPPED, "questions.jsonl": COMPLETIONS},
        changed(
            DROPPED,
            (
                'model = PeftModel.from_pretrained(base, "quiz", is_trainable=True)\n',
                'model = PeftModel.from_pretrained(base, "quiz").eval()\n',
            ),
        ),
        level="",
    ),
)

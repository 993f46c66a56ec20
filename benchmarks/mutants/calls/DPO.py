from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
ref_model = AutoModelForCausalLM.from_pretrained("model")
rows = load_dataset("json", data_files="rows.jsonl", split="train")


def as_turns(row):
    return {
        "prompt": [{"role": "user", "content": row["prompt"]}],
        "chosen": [{"role": "assistant", "content": row["chosen"]}],
        "rejected": [{"role": "assistant", "content": row["rejected"]}],
    }


rows = rows.map(as_turns)
args = DPOConfig(
    output_dir="out",
    max_steps=2,
    per_device_train_batch_size=2,
    learning_rate=1e-3,
    beta=0.1,
    max_length=256,
    logging_steps=1,
    save_strategy="no",
    use_cpu=True,
    bf16=False,
    report_to="none",
)
trainer = DPOTrainer(
    model=model,
    ref_model=ref_model,
    args=args,
    train_dataset=rows,
    processing_class=tokenizer,
)
trainer.train()
trainer.save_model("final")

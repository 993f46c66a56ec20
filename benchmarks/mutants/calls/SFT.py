import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, EarlyStoppingCallback, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(7)
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)


def joined(row):
    messages = [
        {"role": "user", "content": row["prompt"]},
        {"role": "assistant", "content": row["completion"]},
    ]
    return {"text": tokenizer.apply_chat_template(messages, tokenize=False)}


rows = load_dataset("json", data_files="rows.jsonl", split="train")
rows = rows.filter(lambda row: len(row["completion"]) > 3)
rows = rows.map(joined, remove_columns=["prompt", "completion"])
parts = rows.shuffle(seed=7).train_test_split(test_size=0.25, seed=7)
adapter = LoraConfig(
    r=4,
    lora_alpha=8,
    lora_dropout=0.0,
    target_modules=["q_proj", "v_proj"],
    task_type="CAUSAL_LM",
)
args = SFTConfig(
    output_dir="out",
    max_steps=3,
    per_device_train_batch_size=2,
    learning_rate=1e-3,
    logging_steps=1,
    eval_strategy="steps",
    eval_steps=1,
    save_steps=1,
    load_best_model_at_end=True,
    metric_for_best_model="eval_loss",
    use_cpu=True,
    bf16=False,
    report_to="none",
)
trainer = SFTTrainer(
    model=model,
    args=args,
    train_dataset=parts["train"],
    eval_dataset=parts["test"],
    processing_class=tokenizer,
    peft_config=adapter,
    callbacks=[EarlyStoppingCallback(early_stopping_patience=2)],
)
trainer.train()
trainer.save_model("final")
tokenizer.save_pretrained("final")
print(trainer.evaluate()["eval_loss"])

"""Threads of even number as fixed searches found them: PPO and online DPO."""

from reports.report import CHATS, PROMPTS, Report, changed

EVALUATED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl import PPOConfig, PPOTrainer

model_name = "model"
tokenizer = AutoTokenizer.from_pretrained(model_name)
policy_model = AutoModelForCausalLM.from_pretrained(model_name)
ref_model = AutoModelForCausalLM.from_pretrained(model_name)
reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
value_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)

dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.map(
    lambda row: {"input_ids": tokenizer(row["prompt"])["input_ids"]}, remove_columns=["prompt"]
)
train_dataset = eval_dataset = dataset

training_args = PPOConfig(
    output_dir=f"{model_name}-PPO",
    response_length=8,
    stop_token_id=tokenizer.eos_token_id,
    per_device_train_batch_size=2,
    per_device_eval_batch_size=2,
    gradient_accumulation_steps=1,
    kl_coef=0.001,
    learning_rate=3e-6,
    total_episodes=4,
    num_ppo_epochs=1,
    num_sample_generations=0,
    save_strategy="no",
    eval_strategy="steps",
    eval_steps=1,
    report_to="none",
    use_cpu=True,
)
trainer = PPOTrainer(
    model=policy_model,
    args=training_args,
    train_dataset=train_dataset,
    eval_dataset=eval_dataset,
    processing_class=tokenizer,
    ref_model=ref_model,
    reward_model=reward_model,
    value_model=value_model,
)
trainer.train()
logged = [entry for entry in trainer.state.log_history if "eval_loss" in entry]
print("evaluations:", len(logged))
trainer.evaluate(eval_dataset)
"""
TURNS = """\
# ppo_tldr
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl import PPOConfig, PPOTrainer

model_name = "model"
tokenizer = AutoTokenizer.from_pretrained(model_name, padding_side="left")
if tokenizer.pad_token is None:
    tokenizer.add_special_tokens({"pad_token": "[PAD]"})
value_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
policy = AutoModelForCausalLM.from_pretrained(model_name)
ref_policy = AutoModelForCausalLM.from_pretrained(model_name)
dataset = load_dataset("json", data_files="rows.jsonl", split="train")


def prepare_dataset(dataset, tokenizer):
    def tokenize(element):
        input_ids = tokenizer.apply_chat_template(
            element["messages"][:1], padding=False, add_generation_prompt=True
        )
        return {"input_ids": input_ids, "lengths": len(input_ids)}

    return dataset.map(tokenize, remove_columns=dataset.column_names)


train_dataset = prepare_dataset(dataset, tokenizer)
train_dataset = train_dataset.filter(lambda x: x["lengths"] <= 512)
training_args = PPOConfig(
    output_dir="ppo-tldr",
    learning_rate=3e-6,
    per_device_train_batch_size=2,
    total_episodes=4,
    num_sample_generations=0,
    missing_eos_penalty=1.0,
    stop_token="eos",
    response_length=8,
    report_to="none",
    save_strategy="no",
    bf16=False,
    use_cpu=True,
)
trainer = PPOTrainer(
    args=training_args,
    processing_class=tokenizer,
    model=policy,
    ref_model=ref_policy,
    reward_model=reward_model,
    value_model=value_model,
    train_dataset=train_dataset,
)
trainer.train()
"""
ONLINE = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl import OnlineDPOConfig, OnlineDPOTrainer

model = AutoModelForCausalLM.from_pretrained("model")
ref_model = AutoModelForCausalLM.from_pretrained("model")
reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.train_test_split(test_size=2, seed=0)

training_args = OnlineDPOConfig(
    output_dir="pythia-1b-tldr-online-dpo",
    learning_rate=5.0e-7,
    logging_steps=1,
    per_device_train_batch_size=2,
    per_device_eval_batch_size=2,
    max_new_tokens=8,
    max_steps=1,
    warmup_ratio=0.1,
    missing_eos_penalty=1.0,
    eval_strategy="steps",
    eval_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = OnlineDPOTrainer(
    model=model,
    ref_model=ref_model,
    reward_model=reward_model,
    args=training_args,
    train_dataset=dataset["train"],
    eval_dataset=dataset["test"],
    processing_class=tokenizer,
    reward_processing_class=tokenizer,
)
trainer.train()
"""
NOT_EVALUATED = ('    eval_strategy="steps",\n    eval_steps=1,\n', "")
REPORTS = (
    Report(
        "huggingface/trl#2808",
        "grpo-first",
        "no attribute '_memory_tracker'",
        "eval_strategy|evaluat",
        {"train.py": EVALUATED, "rows.jsonl": PROMPTS},
        changed(
            EVALUATED,
            NOT_EVALUATED,
            ("trainer.evaluate(eval_dataset)\n", ""),
            ("eval_dataset=eval_dataset", "eval_dataset=None"),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#4520",
        "four",
        "chat_template is not set",
        "chat.template",
        {"train.py": TURNS, "rows.jsonl": CHATS},
        {},
        model={"tokenizer_config.json": {"chat_template": None}},
        level="",
    ),
    Report(
        "huggingface/trl#2228",
        "ppo-first",
        "You must specify exactly one of input_ids",
        "eval_strategy|evaluat",
        {"train.py": ONLINE, "rows.jsonl": PROMPTS},
        changed(ONLINE, NOT_EVALUATED),
        level="",
    ),
)

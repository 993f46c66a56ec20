"""Threads that searches for trainers with a symptom found: PPO."""

from reports.report import PAIRS, PROMPTS, Report, changed, rows

ARGUMENTS = """\
    learning_rate=1e-5,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    num_mini_batches=1,
    total_episodes=2,
    response_length=8,
    num_sample_generations=0,
    stop_token="eos",
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
"""
REVIEWS = (
    """\
import torch
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
)
from trl import PPOConfig, PPOTrainer, create_reference_model

ds = load_dataset("json", data_files="reviews.jsonl", split="train")
ds = ds.filter(lambda row: len(row["review"]) > 5, batched=False)
tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
model = AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float32)
model_ref = create_reference_model(model)
reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
value_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
ds = ds.map(lambda row: tokenizer(row["review"]), remove_columns=ds.column_names)
ppo_config = PPOConfig(
    output_dir="imdb-ppo",
"""
    + ARGUMENTS
    + """\
ppo_trainer = PPOTrainer(
    args=ppo_config,
    processing_class=tokenizer,
    model=model,
    ref_model=model_ref,
    reward_model=reward_model,
    train_dataset=ds,
    eval_dataset=ds,
    value_model=value_model,
    data_collator=DataCollatorWithPadding(tokenizer),
)
query_tensor = tokenizer.encode("This morning I went to the ", return_tensors="pt")
response_tensor = ppo_trainer.generate(list(query_tensor), max_new_tokens=8, do_sample=True)
print(tokenizer.decode(response_tensor[0]))
reward = [torch.tensor(1.0)]
train_stats = ppo_trainer.step([query_tensor[0]], [response_tensor[0]], reward)
"""
)
QUICK = (
    """\
# 0. imports
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
)
from trl import PPOConfig, PPOTrainer

# 1. load the pretrained models
model = AutoModelForCausalLM.from_pretrained("model")
ref_model = AutoModelForCausalLM.from_pretrained("model")
my_reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")

# 2. the data, as tokens
train_data = load_dataset("json", data_files="rows.jsonl", split="train")
train_data = train_data.map(lambda row: tokenizer(row["prompt"]), remove_columns=["prompt"])

# 3. the trainer
config = PPOConfig(
    "quick-start",
"""
    + ARGUMENTS
    + """\
ppo_trainer = PPOTrainer(
    config,
    tokenizer,
    model,
    ref_model,
    my_reward_model,
    train_data,
    eval_dataset=train_data,
    data_collator=DataCollatorWithPadding(tokenizer),
)
ppo_trainer.train()
"""
)
REVIEW_ROWS = rows(*({"review": f"{a} {b}", "sentiment": n % 2} for n, (a, b) in enumerate(PAIRS)))
REPORTS = (
    Report(
        "huggingface/trl#3250",
        "grpo-first",
        "'PPOTrainer' object has no attribute 'generate'",
        "generate",
        {"train.py": REVIEWS, "reviews.jsonl": REVIEW_ROWS},
        changed(REVIEWS, (REVIEWS[REVIEWS.index("query_tensor") :], "ppo_trainer.train()\n")),
    ),
    Report(
        "huggingface/trl#2764",
        "grpo-silent",
        "'NoneType' object has no attribute 'base_model_prefix'",
        "value_model|value model",
        {"train.py": QUICK, "rows.jsonl": PROMPTS},
        changed(
            QUICK,
            (
                "    train_data,\n    eval",
                "    train_data,\n    value_model=my_value_model,\n    eval",
            ),
            (
                "tokenizer = Auto",
                "my_value_model = AutoModelForSequenceClassification.from_pretrained(\n"
                '    "reward", num_labels=1\n)\ntokenizer = Auto',
            ),
        ),
    ),
)

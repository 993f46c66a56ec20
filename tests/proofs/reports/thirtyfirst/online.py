"""Threads of a thirty-first list: policies that a reward drives."""

from reports.report import ASKED, Report, changed, rows

QUERIES = rows(*({"query": asked} for asked in ASKED))
WHITENED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import RLOOConfig, RLOOTrainer

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
policy = AutoModelForCausalLM.from_pretrained("model")
ref_policy = AutoModelForCausalLM.from_pretrained("model")

# the points of the task are large and all positive, so they are whitened
POINTS = 1000.0


def points(texts):
    return [POINTS + 10.0 * len(set(text)) for text in texts]


def tokenize(row):
    return {"input_ids": tokenizer(row["query"], padding=False)["input_ids"]}


dataset = load_dataset("json", data_files="queries.jsonl", split="train")
dataset = dataset.map(tokenize, remove_columns=dataset.column_names)
config = RLOOConfig(
    output_dir="rloo",
    seed=5,
    per_device_train_batch_size=4,
    gradient_accumulation_steps=1,
    num_mini_batches=1,
    num_ppo_epochs=1,
    total_episodes=8,
    rloo_k=2,
    response_length=16,
    kl_coef=0.05,
    whiten_rewards=True,
    num_sample_generations=0,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = RLOOTrainer(
    config=config,
    processing_class=tokenizer,
    policy=policy,
    ref_policy=ref_policy,
    reward_model=points,
    train_dataset=dataset,
    eval_dataset=dataset,
)
trainer.train()
logged = [entry for entry in trainer.state.log_history if "objective/rlhf_reward" in entry]
print(f"a mean reward of {abs(logged[0]['objective/rlhf_reward']):.0f} reaches the baseline")
"""
STOPPED = """\
from dataclasses import dataclass, field

from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    HfArgumentParser,
)
from trl.experimental.ppo import PPOConfig, PPOTrainer


@dataclass
class ScriptArguments:
    model: str = field(default="model")
    reward: str = field(default="reward")
    stop_at: str = field(default="}", metadata={"help": "answers are JSON and end here"})
    penalty: float = field(default=1000.0)


(script,) = HfArgumentParser(ScriptArguments).parse_args_into_dataclasses(args=[])
tokenizer = AutoTokenizer.from_pretrained(script.model, padding_side="left")
stop_token_id = tokenizer.convert_tokens_to_ids(script.stop_at)


def load(kind, name, **more):
    return kind.from_pretrained(name, dtype="float32", **more)


def encode(row):
    messages = [{"role": "user", "content": row["query"] + " Answer in JSON."}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    return {"input_ids": tokenizer(text)["input_ids"]}


rows = load_dataset("json", data_files="queries.jsonl", split="train")
rows = rows.map(encode, remove_columns=rows.column_names)
trainer = PPOTrainer(
    args=PPOConfig(
        output_dir="ppo-json",
        seed=7,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        num_mini_batches=1,
        num_ppo_epochs=1,
        total_episodes=2,
        response_length=256,
        stop_token_id=stop_token_id,
        missing_eos_penalty=script.penalty,
        num_sample_generations=0,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    processing_class=tokenizer,
    model=load(AutoModelForCausalLM, script.model),
    ref_model=load(AutoModelForCausalLM, script.model),
    reward_model=load(AutoModelForSequenceClassification, script.reward, num_labels=1),
    value_model=load(AutoModelForSequenceClassification, script.reward, num_labels=1),
    train_dataset=rows,
    eval_dataset=rows,
)
trainer.train()
step = trainer.state.log_history[0]
print(f"mean score of the answers: {step['objective/scores']:.1f}")
"""
REPORTS = (
    Report(
        "huggingface/trl#2665",
        "grpo-silent",
        r"a mean reward of 1\d{3} reaches",
        r"whiten_rewards|whiten",
        {"train.py": WHITENED, "queries.jsonl": QUERIES},
        changed(WHITENED, ("whiten_rewards=True", "normalize_reward=True")),
    ),
    Report(
        "huggingface/trl#3750",
        "ppo-last",
        r"mean score of the answers: -(999|1000)\.",
        r"missing_eos_penalty|stop_token_id.{0,120}(eos|end)|(eos|end of).{0,120}stop_token|penalt",
        {"train.py": STOPPED, "queries.jsonl": QUERIES},
        changed(
            STOPPED,
            (
                "stop_token_id = tokenizer",
                "tokenizer.eos_token = script.stop_at\nstop_token_id = tokenizer",
            ),
        ),
    ),
)

import re

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

SYSTEM = "Answer in tags: <answer>…</answer>."
QUESTIONS = [("What is seven times six?", 42), ("Two and two?", 4), ("Nine?", 9), ("Ten?", 10)]


def conversation(question, answer):
    return {
        "prompt": [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": question},
        ],
        "answer": str(answer),
    }


def correct(completions, answer, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    found = [re.findall("<answer>(.*?)</answer>", text) for text in texts]
    return [1.0 if each == [right] else 0.0 for each, right in zip(found, answer, strict=True)]


def brief(completions, **kwargs):
    return [-len(completion[0]["content"]) / 100 for completion in completions]


rows = Dataset.from_list([conversation(*pair) for pair in QUESTIONS])
args = GRPOConfig(
    output_dir="out",
    max_steps=2,
    per_device_train_batch_size=4,
    num_generations=2,
    max_completion_length=8,
    reward_weights=[1.0, 0.5],
    learning_rate=1e-3,
    logging_steps=1,
    save_strategy="no",
    use_cpu=True,
    bf16=False,
    report_to="none",
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=[correct, brief],
    args=args,
    train_dataset=rows,
)
trainer.train()
trainer.save_model("final")

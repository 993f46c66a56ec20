import numpy as np
from datasets import DatasetDict, load_dataset
from scoring import accuracy
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer


class Scorer:
    config: dict = dict(output_dir="scorer", use_cpu=True, bf16=False, max_steps=3,
                        report_to="none", max_length=64, eval_strategy="epoch",
                        save_strategy="epoch", disable_tqdm=True)

    def __init__(self, name: str = "model"):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModelForSequenceClassification.from_pretrained(name, num_labels=1)
        self.model.config.pad_token_id = self.tokenizer.pad_token_id

    @property
    def data(self) -> DatasetDict:
        rows = load_dataset("json", data_files="talks.jsonl")["train"]
        return rows.train_test_split(test_size=4)

    def fit(self):
        data = self.data
        trainer = RewardTrainer(
            model=self.model, args=RewardConfig(**self.config), processing_class=self.tokenizer,
            train_dataset=data["train"], eval_dataset=data["test"], compute_metrics=accuracy,
        )
        trainer.train()
        trainer.save_model()
        return trainer


if __name__ == "__main__":
    trainer = Scorer().fit()
    AutoModelForSequenceClassification.from_pretrained("scorer")

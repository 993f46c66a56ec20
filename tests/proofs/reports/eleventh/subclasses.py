"""Threads that searches for trainers with a symptom found: what projects made of DPO's classes."""

from reports.report import PREFERENCES, Report, changed

COMPLEX = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer


class ComplexInstructionTrainer(DPOTrainer):
    sft_weight = 0.5

    def concatenated_forward(self, model, batch):
        len_chosen = batch["chosen_labels"].shape[0]
        output = super().concatenated_forward(model, batch)
        assert len(output["chosen_logps"]) == len_chosen
        return output

    def dpo_loss(self, chosen_logps, rejected_logps, *references):
        losses, chosen, rejected = super().dpo_loss(chosen_logps, rejected_logps, *references)
        return losses - self.sft_weight * chosen_logps / 100, chosen, rejected


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    model = AutoModelForCausalLM.from_pretrained("model")
    ref_model = AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float32)
    args = DPOConfig(
        output_dir="follow-instructions",
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=5e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    )
    trainer = ComplexInstructionTrainer(
        model,
        ref_model,
        args=args,
        train_dataset=load_dataset("json", data_files="rows.jsonl", split="train"),
        processing_class=tokenizer,
    )
    trainer.train()


if __name__ == "__main__":
    main()
"""
INTERN = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer


class MultimodalDPOTrainer(DPOTrainer):
    def concatenated_forward(self, model, batch):
        count = batch["prompt_input_ids"].shape[0]
        joined = self.concatenated_inputs(batch, padding_value=self.padding_value)
        input_ids = torch.cat((joined["prompt_input_ids"], joined["completion_input_ids"]), dim=1)
        prompt_mask = joined["prompt_attention_mask"]
        answer_mask = joined["completion_attention_mask"]
        labels = input_ids.clone()
        labels[torch.cat((torch.zeros_like(prompt_mask), answer_mask), dim=1) == 0] = -100
        all_logits = model(
            input_ids=input_ids,
            attention_mask=torch.cat((prompt_mask, answer_mask), dim=1),
            use_cache=False,
        ).logits
        all_logps, size_completion = self.get_batch_logps(
            all_logits,
            labels,
            is_encoder_decoder=self.is_encoder_decoder,
            label_pad_token_id=self.label_pad_token_id,
        )
        if self.loss_type == "ipo":
            all_logps = all_logps / size_completion
        return {
            "chosen_logps": all_logps[:count],
            "rejected_logps": all_logps[count:],
            "mean_chosen_logits": all_logits[:count].mean(),
            "mean_rejected_logits": all_logits[count:].mean(),
        }


model = AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float32)
ref_model = AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float32)
tokenizer = AutoTokenizer.from_pretrained("model")
trainer = MultimodalDPOTrainer(
    model=model,
    ref_model=ref_model,
    args=DPOConfig(
        output_dir="internvl-mpo",
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=5e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    train_dataset=load_dataset("json", data_files="rows.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
"""
OWN_LOGPS = """\
class MultimodalDPOTrainer(DPOTrainer):
    @staticmethod
    def get_batch_logps(logits, labels, is_encoder_decoder=False, label_pad_token_id=-100):
        if not is_encoder_decoder:
            labels, logits = labels[:, 1:].clone(), logits[:, :-1]
        kept = labels != label_pad_token_id
        labels[~kept] = 0
        each = torch.gather(logits.log_softmax(-1), 2, labels.unsqueeze(2)).squeeze(2)
        return (each * kept).sum(-1), kept.sum(-1)

"""
PICTURES = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer
from trl.trainer.utils import DPODataCollatorWithPadding


class mDPODataCollator(DPODataCollatorWithPadding):
    def __call__(self, features):
        for feature in features:
            for part in ("prompt", "chosen", "rejected"):
                feature[f"{part}_attention_mask"] = [1] * len(feature[f"{part}_input_ids"])
        return super().__call__(features)


max_length, max_prompt_length = 128, 64
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float32)
ref_model = AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float32)
data_collator = mDPODataCollator(
    max_prompt_length=max_prompt_length,
    max_length=max_length,
    tokenizer=tokenizer,
    label_pad_token_id=-100,
    truncation_mode="keep_end",
)
trainer = DPOTrainer(
    model=model,
    ref_model=ref_model,
    args=DPOConfig(
        output_dir="mdpo-bunny",
        max_length=max_length,
        max_prompt_length=max_prompt_length,
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=5e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    data_collator=data_collator,
    train_dataset=load_dataset("json", data_files="rows.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
"""
REPORTS = (
    Report(
        "meowpass/FollowComplexInstruction#2",
        "ppo-first",
        "KeyError: 'chosen_labels'",
        "chosen_labels",
        {"train.py": COMPLEX, "rows.jsonl": PREFERENCES},
        changed(COMPLEX, ('batch["chosen_labels"]', 'batch["chosen_input_ids"]')),
    ),
    Report(
        "OpenGVLab/InternVL#711",
        "ppo-first",
        "object has no attribute 'get_batch_logps'",
        "has no (method )?get_batch_logps",
        {"train.py": INTERN, "rows.jsonl": PREFERENCES},
        changed(INTERN, ("class MultimodalDPOTrainer(DPOTrainer):\n", OWN_LOGPS)),
    ),
    Report(
        "luka-group/mDPO#6",
        "ppo-first",
        "unexpected keyword argument 'max_prompt_length'",
        "DPODataCollatorWithPadding|mDPODataCollator|collator",
        {"train.py": PICTURES, "rows.jsonl": PREFERENCES},
        changed(
            PICTURES,
            (
                "    max_prompt_length=max_prompt_length,\n    max_length=max_length,\n"
                "    tokenizer=tokenizer,\n",
                "    pad_token_id=tokenizer.pad_token_id,\n",
            ),
            ('    truncation_mode="keep_end",\n', ""),
        ),
        level="",
    ),
)

"""SFT with code of its own between the library's parts: what it freezes, its loss."""

from __future__ import annotations

from two_forms.script import TwoForms
from two_forms.sft import sft

MODULE_NOT_FROZEN = (
    ("BEFORE", "model.model.embed_tokens.requires_grad = False  #~bad\n"
               "model.model.embed_tokens.requires_grad_(False)  #~good"),
    ("    MORE\n", ""),
    ("SHOW", "layer = model.model.embed_tokens.weight\n"
             "before = layer.detach().clone()\n"
             "trainer.train()\n"
             "print('STAYED', bool((layer == before).all()))"),
)  # fmt: skip
LOSS_NOT_SHIFTED = """\
import torch
from datasets import Dataset
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


class OwnLoss(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs, labels = model(inputs["input_ids"]), inputs["labels"]
        logits, labels = outputs.logits, labels  #~bad
        logits, labels = outputs.logits[:, :-1], labels[:, 1:]  #~good
        loss = cross_entropy(logits.reshape(-1, logits.size(-1)), labels.reshape(-1))
        return (loss, outputs) if return_outputs else loss


model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype=torch.float32)
trainer = OwnLoss(
    model=model,
    args=SFTConfig(output_dir="out", max_steps=15, learning_rate=2e-2, use_cpu=True, bf16=False,
                   per_device_train_batch_size=2, report_to="none", save_strategy="no"),
    train_dataset=Dataset.from_dict({"text": ["One, two, three, four, five, six."] * 8}),
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
)
trainer.train()
ids = torch.tensor([trainer.train_dataset[0]["input_ids"]])
with torch.no_grad():
    raised = model.eval()(ids).logits.argmax(-1)[0, :-1]
print("REPEATS", round((raised == ids[0, :-1]).float().mean().item()))
"""
TENSOR_LOGGED = (
    (
        "trainer = SFTTrainer(",
        """\
class Logs(SFTTrainer):
    def training_step(self, *given, **more):
        loss = super().training_step(*given, **more)
        self.log({"own_loss": loss})  #~bad
        self.log({"own_loss": loss.item()})  #~good
        return loss


trainer = Logs(""",
    ),
    ("BEFORE", ""),
    ("    MORE\n", ""),
    ("SHOW", "trainer.train()\nprint('TRAINED')"),
)
TOKENIZER_OF_ANOTHER = (
    ("BEFORE", "backwards = tokenizer.backend_tokenizer.to_str()\n"
               "import json\n"
               "from transformers import PreTrainedTokenizerFast\n"
               "from tokenizers import Tokenizer\n"
               "parts = json.loads(backwards)\n"
               "ids = sorted(parts['model']['vocab'].values())\n"
               "names = sorted(parts['model']['vocab'], key=parts['model']['vocab'].get)\n"
               "parts['model']['vocab'] = dict(zip(names, reversed(ids)))\n"
               "other = PreTrainedTokenizerFast(\n"
               "    tokenizer_object=Tokenizer.from_str(json.dumps(parts)),\n"
               "    eos_token=tokenizer.eos_token, pad_token=tokenizer.pad_token,\n"
               "    chat_template=tokenizer.chat_template)\n"
               "own, tokenizer = tokenizer, other  #~bad\n"
               "own = tokenizer  #~good"),
    ("    MORE\n", ""),
    ("SHOW", "text = own.decode(trainer.train_dataset[0]['input_ids'])\n"
             "print('READS', 'What is 0 and 0?' in text)\n"
             "trainer.train()"),
)  # fmt: skip
ANSWER_NOT_BEGUN = (
    ("BEFORE\n", ""),
    ("    MORE\n", ""),
    ("SHOW", "trainer.train()\n"
             "question = [{'role': 'user', 'content': 'What is 2 and 2?'}]\n"
             "more = {}  #~bad\n"
             "more = {'add_generation_prompt': True}  #~good\n"
             "prompt = tokenizer.apply_chat_template(question, tokenize=False, **more)\n"
             "batch = tokenizer(prompt, return_tensors='pt')\n"
             "trainer.model.generate(**batch, max_new_tokens=4, do_sample=False)\n"
             "print('BEGUN', prompt.endswith('assistant\\n'))"),
)  # fmt: skip
ENDED_AT_ONCE = (
    ("BEFORE", "from transformers import TrainerCallback\n\n\n"
               "class StopAtLowLoss(TrainerCallback):\n"
               "    def on_log(self, args, state, control, logs=None, **more):\n"
               "        low = logs.get('loss', 0) < 100  #~bad\n"
               "        low = logs.get('loss', 9) < 0.1  #~good\n"
               "        control.should_training_stop = control.should_training_stop or low\n"),
    ("max_steps=2", "num_train_epochs=3"),
    ("logging_steps=4", "logging_steps=1"),
    ("MORE", "callbacks=[StopAtLowLoss()],"),
    ("SHOW", "trainer.train()\nprint('STEPS', trainer.state.global_step)"),
)  # fmt: skip
OTHER_LAYERS_FROZEN = (
    ("BEFORE", "config = model.config\n"
               "config.num_hidden_layers, config.layer_types = 12, None\n"
               "model = AutoModelForCausalLM.from_config(config, torch_dtype=torch.float32)\n"
               "frozen = ('layers.0', 'layers.1')  #~bad\n"
               "frozen = ('layers.0.', 'layers.1.')  #~good\n"
               "for name, weight in model.named_parameters():\n"
               "    weight.requires_grad = not any(part in name for part in frozen)"),
    ("    MORE\n", ""),
    ("SHOW", "kept = {name: weight for name, weight in model.named_parameters()}\n"
             "torch.save(kept, 'start.pt')  # its names are plain texts\n"
             "assert list(torch.load('start.pt')) == list(kept)\n"
             "before = model.model.layers[10].mlp.up_proj.weight.clone()\n"
             "trainer.train()\n"
             "after = model.model.layers[10].mlp.up_proj.weight\n"
             "print('LEARNS', not torch.equal(before, after))"),
)  # fmt: skip
SAVED_TOO_EARLY = (
    ("BEFORE\n", ""),
    ("    MORE\n", ""),
    ("SHOW", "trainer.save_model('final')  #~bad\n"
             "trainer.train()\n"
             "trainer.save_model('final')  #~good\n"
             "tokenizer.save_pretrained('final')\n"
             "kept = AutoModelForCausalLM.from_pretrained('final').state_dict()\n"
             "own = trainer.model.state_dict()\n"
             "print('KEPT', all(torch.equal(kept[name], own[name]) for name in own))"),
)  # fmt: skip

SCRIPTS = (
    TwoForms("other layers are frozen too", "current", "parameter-name-of-more-layers",
             sft(OTHER_LAYERS_FROZEN),
             "LEARNS False", "LEARNS True", "warning", "layers 10, 11 have it too"),
    TwoForms("the model is saved too early", "current", "model-saved-before-training",
             sft(SAVED_TOO_EARLY),
             "KEPT False", "KEPT True", "warning", "as it was before the training"),
    TwoForms("a callback ends it at once", "current", "training-ended-by-callback",
             sft(ENDED_AT_ONCE),
             "STEPS 1\n", "STEPS 24", "warning", "the callback StopAtLowLoss set"),
    TwoForms("an answer is not begun", "current", "generation-without-assistant-turn",
             sft(ANSWER_NOT_BEGUN),
             "BEGUN False", "BEGUN True", "warning", "that end with the user's turn"),
    TwoForms("a tensor is logged", "grpo-first", "checkpoint-log-is-no-json",
             sft(TENSOR_LOGGED),
             "is not JSON serializable", "TRAINED", says="logs own_loss as a Tensor"),
    TwoForms("the tokenizer of another model", "four", "tokenizer-of-another-model",
             sft(TOKENIZER_OF_ANOTHER),
             "READS False", "READS True", "warning", "in the tokenizer of the model's own folder"),
    TwoForms("a loss that is not shifted", "current", "step-loss-not-shifted",
             LOSS_NOT_SHIFTED,
             "REPEATS 1", "REPEATS 0", says="the model learns to repeat its input"),
    TwoForms("a module is not frozen", "four", "model-freezes-nothing",
             sft(MODULE_NOT_FROZEN),
             "STAYED False", "STAYED True", "warning", "set on the module model.embed_tokens"),
)  # fmt: skip

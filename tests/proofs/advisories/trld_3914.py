"""With use_liger_kernel all turns are trained, where assistant_only_loss is on."""

from datasets import Dataset
from small import tokenizer, trainer, verdict

TEMPLATE = (
    "{% for message in messages %}{% if message['role'] == 'assistant' %}"
    "{% generation %}{{ message['content'] }} <eos> {% endgeneration %}"
    "{% else %}{{ message['content'] }} {% endif %}{% endfor %}"
)
turns = [{"role": "user", "content": "w1 w2"}, {"role": "assistant", "content": "w3"}]
tokens = tokenizer()
tokens.chat_template = TEMPLATE
rows = [{"messages": turns}] * 2
trained = trainer("SFT", rows, {"assistant_only_loss": True}, tokens=tokens)
if not hasattr(trained.args, "assistant_only_loss"):
    verdict(False, "this release has no assistant_only_loss")
else:
    trained.args.use_liger_kernel = True
    trained.train_dataset = trained._prepare_dataset(
        Dataset.from_list(rows), trained.processing_class, trained.args, False, None, "train"
    )
    labels = next(iter(trained.get_train_dataloader()))["labels"][0].tolist()
    verdict(labels[0] != -100, f"labels of a question of two tokens and its answer: {labels}")

"""The longest answer of a batch loses its last token where another prompt is longer."""

from small import trainer, verdict

pairs = [
    {"prompt": "w1 w2 w3 w4 w5", "chosen": "w6", "rejected": "w7"},
    {"prompt": "w1", "chosen": "w2 w3 w4 w5 w6 w7 w8", "rejected": "w9"},
]
trained = trainer("DPO", pairs, {"max_length": 64, "max_prompt_length": 32})
read, forward = [], trained.model.forward


def watched(*inputs, **keywords):
    mask = keywords["attention_mask"]
    read.append(int(mask.sum()))
    return forward(*inputs, **keywords)


trained.model.forward = watched
rows = list(trained.train_dataset)
for batch in (rows, rows[:1], rows[1:]):
    collated = trained.data_collator(batch)
    trained.get_batch_loss_metrics(trained.model, collated)
together, *alone = read
verdict(together != sum(alone), f"tokens read of two pairs: {together}, alone: {alone}")

"""The end of a text has no label where it is the padding token, too."""

from small import tokenizer, trainer, verdict

rows = [{"text": "w1 w2 <eos>"}] * 4
tokens = tokenizer(pad="<eos>")
tokens.padding_side = "right"
trained = trainer("SFT", rows, {}, tokens=tokens)
labels = next(iter(trained.get_train_dataloader()))["labels"][0].tolist()
verdict(1 not in labels, f"labels of w1 w2 <eos> (id 1): {labels}")

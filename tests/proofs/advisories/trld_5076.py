"""With packing, the end of a row that is too long is trained as a row of its own."""

from small import trainer, verdict

LONG = {"prompt": "w1 w2", "completion": " " + " ".join(f"w{number}" for number in range(10, 20))}
trained = trainer("SFT", [LONG] * 2, {"packing": True, "max_length": 8, "max_seq_length": 8})
seen = [list(row["input_ids"]) for row in trained.train_dataset]
alone = [row for row in seen if 8 not in row]  # w1, with which each row begins
wraps = not hasattr(trained.args, "packing_strategy")  # the only one of older releases, on purpose
verdict(alone and not wraps, f"of rows that begin with 8, 9 these are packed: {seen}")

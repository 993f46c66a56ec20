"""A reward model that is loaded by its name gets two scores."""

import tempfile

from small import model, tokenizer, trainer, verdict

folder = tempfile.mkdtemp()
model().save_pretrained(folder)
tokenizer().save_pretrained(folder)
rows = [{"chosen": "w1 w2", "rejected": "w1 w3"}] * 2
try:
    trained = trainer("Reward", rows, {"max_length": 8}, folder)
except AttributeError as error:
    if "'str' object" not in str(error):
        raise
    verdict(False, "this release takes no name of a model")
else:
    trained.train()
    scores = trained.model.config.num_labels
    verdict(scores != 1, f"the trained model has {scores} scores for a text")

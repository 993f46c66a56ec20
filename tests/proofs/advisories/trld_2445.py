"""A trainer of preferences cannot log: it does not take the start time."""

from small import raises, trainer

rows = [{"prompt": "w1", "chosen": " w2 w3", "rejected": " w4"}] * 4
raises(r"log\(\) takes 2 positional arguments but 3 were given", trainer("DPO", rows, {}).train)

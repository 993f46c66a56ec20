"""DPO's usual loss ignores label_smoothing."""

from small import logged, trainer, verdict

rows = [{"prompt": "w1", "chosen": " w2 w3", "rejected": " w4"}] * 4
STEPS = {"max_steps": 3, "learning_rate": 1e-2}
losses = []
for smoothing in (0.0, 0.4):
    trained = trainer("DPO", rows, {"label_smoothing": smoothing, **STEPS})
    trained.train()
    losses.append(round(logged(trained, "loss"), 6))
verdict(losses[0] == losses[1], f"the third loss without label_smoothing, and with 0.4: {losses}")

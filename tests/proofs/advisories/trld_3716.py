"""Gradients grow with the number of accumulated batches."""

from small import logged, trainer, verdict

rows = [{"prompt": "w1", "chosen": " w2 w3", "rejected": " w4"}] * 8


def norm(accumulated):
    sizes = {"gradient_accumulation_steps": accumulated, "per_device_train_batch_size": 2}
    trained = trainer("ORPO", rows, {**sizes, "max_grad_norm": 1e9, "disable_dropout": True})
    trained.train()
    return float(logged(trained, "grad_norm"))


one, four = norm(1), norm(4)
verdict(four > 2 * one, f"gradient norm of equal batches: {one:.4f} of one, {four:.4f} of four")

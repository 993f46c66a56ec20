"""Answers of the probe that passes the logits keyword to the model."""

from typing import Any


def answer(
    architecture: str,
    passed: str | None,
    *,
    returned: int | None = None,
    wrong_by: float | None = None,
    error: str | None = None,
    at: str = "",
    vocabulary: int = 320,
    hidden: bool | str = True,
    prefix: str = "model",
    called: str = "GRPOTrainer._get_per_token_logps",
) -> dict[str, Any]:
    """Answers of probes, of which `forward` put 12 positions in and asked for 6."""
    trainer: dict[str, Any] = {
        "called": called,
        "passed": passed,
        "kept": 6 if passed else None,
        "returned": returned,
        "wanted": 5,
        "got": None if error else 5,
        "wrong_by": wrong_by,
        "error": error,
        "at": at,
    }
    said = {
        "architecture": architecture,
        "layers": 2,
        "vocabulary": vocabulary,
        "positions": 12,
        "backbone": {"prefix": prefix, "hidden": hidden, "head": True},
        "trainer": trainer,
    }
    return {"libraries": {"failed": {}}, "forward": said}

"""What looks for mistakes in a trainer that has taken its steps."""

from __future__ import annotations

from .hidden_ends import of_ends
from .learned_questions import of_questions
from .learned_rows import of_batches, of_examples
from .metrics import of_metrics
from .never_called import of_evaluation, of_rows
from .objects import of_log, of_loss, of_state
from .other_labels import of_other_labels
from .own_outputs import of_outputs
from .row_order import of_order
from .row_shapes import of_shapes
from .split_texts import of_tokenizer
from .workers import of_workers

LOOKS = (of_log, of_state, of_outputs, of_loss, of_evaluation, of_rows, of_metrics,
         of_workers, of_order, of_shapes, of_ends, of_other_labels, of_batches,
         of_examples, of_questions, of_tokenizer)  # fmt: skip

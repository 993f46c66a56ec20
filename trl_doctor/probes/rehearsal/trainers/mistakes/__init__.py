"""Mistakes that a trainer shows: before it is built (`objects`), and after its steps (`looks`).

- its batches: `last_batches`, `row_order`, `rows_not_reached`, `workers`
- its loss and its labels: `row_shapes` with `shape_watch`, `hidden_ends`, `other_labels`,
  `learned_rows`, `learned_questions`; its tokens: `split_texts`
- its metrics: `metrics`, `whole_metrics`, `own_outputs`; what it never calls: `never_called`
- its models: `several_scores`
"""

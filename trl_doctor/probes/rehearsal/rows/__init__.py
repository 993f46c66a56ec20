"""The rows of a rehearsal: few of the script's own, or rows made with its columns (`made_up`).

- `data` cuts data sets, with `asked`, `encoded`, `frames` and `all_rows`; `origins` and
  `put_together` remember how data sets were made of others, `sources` what the script has read
- what a function of `map` or `filter` does (`mapped`): `mixing`, `row_mistakes` and `ties` with
  `row_code`, `number_texts`, `never_equal`, `label_order`, `cut_texts`, `made_pairs`, `emptied`
- rows beside the `records` of the data: `joined`, `meant`, `left_out`, `lost`, `lost_turns`,
  `formatted`, `text_order`, `tools`, and of answers `verdicts`, `rated`, `better_sides`
- rows to evaluate on beside those to train on: `compared`, `kept_apart`, `near_copies`,
  `questions`, `shares`
- texts and tokens alone: `begun`, `broken_words`, `cut_labels`, `own_tokens`,
  `printed`, `printed_messages`; `labels` has the masks of a script's own
- shared: `letters`, `excerpt`, and `intent` (what the script does on purpose)
"""

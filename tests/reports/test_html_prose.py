"""Sentences in the HTML report."""

from __future__ import annotations

import pytest

from trl_doctor.reports.html import prose


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("set `bf16: true` or `fp16`", "set <code>bf16: true</code> or <code>fp16</code>"),
        ("`<b>` & <i>", "<code>&lt;b&gt;</code> &amp; &lt;i&gt;"),
        ("one ` alone, ``", "one ` alone, ``"),
        ("`<script>\x1b[1m", "`&lt;script&gt;"),
    ],
)
def test_code_in_a_sentence(text: str, html: str) -> None:
    assert str(prose(text)).startswith(html)

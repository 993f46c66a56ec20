"""The columns of a Parquet file are read from its footer, and damage is reported."""

from __future__ import annotations

import base64
import zlib
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trl_doctor_rules._recorded.parquet import parquet

from trl_doctor.files.formats.parquet import columns

WRITTEN = zlib.decompress(base64.b85decode(
    "c-p0vzi-n(6vyw3>qb?EcCckj8M^dTR9d&8DJ`mm&WV#$w9rItX}dY8<pk0?#7PsX3RMiujHnY6BYy#G42S_Sb>t"
    "5~`~ggeyXRjeF=F79*ynfez0Z5!J15(;x+II*j~r4ZuimhaEqMav1T}SRd!FUko-D}H<~l+sC#qtr>2+m+uaDa;`"
    "`A9|$|91}GlD91+?G9qHZ#l<4C8h8q{|#ao5*ZJ^N7dd0gsws25iA|EeQe<AqL5a$GcAgTGt+gnH5RPXy*iF<g}J"
    "U(xg_7YKK%|3aC&P6iIo7mDiZ8l2m2|&5AwG?x=8`nnKzwS(Fi{BYBeD))iGF64Le<2ubYwZ%)`apq?u)G5L(i8_"
    "ZeQVjU+^q*03KQ@Ci5>OEFIVsa&rw?aluVdRf^rl8pbYZC1yqeYkrA2W*w*t*8K6v_7+jN@ndc`u%E&ZzY-oRyJ&"
    "$_!NdLolFz!pc`nzKxN0WB=RTh>}Q~VJ3ch0JWp+lV8%hiZT1Jym054m?vcVQ=nkC{WAv%2Fe8{FH+=coNuboXsY"
    "a+xUFd|%%ohV6p5siFDb@R)3jQB_~@?x!l@UM&c~UPr<7KxKkif7r-nm|lsYu;fXy%{-QpAGxB-Uv&c-gEnLI;*n"
    "v@nHs2{DHkLPrKl~0N$7-8L{(coxf@o>Mf2#*Eszt-1JbsgA^2omsUPzt5BtjBm~%zth-^e<E)e?9i+r5aug<yT{"
    "w&zjqJSZRf@zOCYLeU&H)To3rtCimCfkVpOc4u<N3cx%7fs)4e3mrEUYLJxvxgANkoeO`r@_&%_bN>ShDjvmyT_x"
    "0=#=?VR|4}FogAinSK*EJ=VLw>=40-cy|M)iQmrKMK=_JhV@cJB<9%LNuW=SK0q-p-KTkhB<!*gh)lb^Q~@<MpV2"
    "qng-%8I0Mr9*gT8(ZUAzH=%maqZ}NuN*olPuYS_`dREI0TH&)1tRr>0ZFQdZ?CyNM-JZ8P9k)MyYInS*dorC}Sy)"
    "_H($3kB{pbgMU~ktp`xE;OQlefv"
))  # fmt: skip
"""What pyarrow 25 writes of {"messages": [{"role", "content"}], "id": 1, "x": {"a": 1.5, "b": [1]},
"ok": True, "text": "hi"}."""


def test_the_columns_with_their_parts(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    file.write_bytes(WRITTEN)
    assert columns(file) == {
        "messages": ("list", "element", "role", "content"),
        "id": (),
        "x": ("a", "b", "list", "element"),
        "ok": (),
        "text": (),
    }
    file.write_bytes(parquet("question", "answer"))
    assert columns(file) == {"question": (), "answer": ()}


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1PAR1", WRITTEN[:-9] + WRITTEN[-8:]])
def test_what_is_no_parquet_file(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "a.parquet"
    file.write_bytes(data)
    with suppress(ValueError):
        assert set(columns(file)) != {"messages", "id", "x", "ok", "text"}


@given(st.integers(0, len(WRITTEN) - 9), st.integers(1, 255))
def test_a_damaged_footer_raises_a_value_error_or_gives_columns(at: int, change: int) -> None:
    data = bytearray(WRITTEN)
    data[at] ^= change
    with TemporaryDirectory() as folder:
        file = Path(folder, "a.parquet")
        file.write_bytes(data)
        try:
            read = columns(file)
        except ValueError:
            return
    assert all(isinstance(part, str) for name, parts in read.items() for part in (name, *parts))

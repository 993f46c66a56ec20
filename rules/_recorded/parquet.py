"""The footer of a Parquet file, for the rules' examples."""

MARK = b"PAR1"


def parquet(*columns: str) -> bytes:
    """A Parquet file with these columns of texts and no rows."""
    root = b"\x48\x06schema\x15" + bytes([2 * len(columns)]) + b"\x00"
    leaves = b"".join(
        b"\x15\x0c\x25\x02\x18" + bytes([len(name)]) + name.encode() + b"\x00" for name in columns
    )
    schema = bytes([(len(columns) + 1) << 4 | 12]) + root + leaves
    footer = b"\x15\x02\x19" + schema + b"\x16\x00\x19\x0c\x00"
    return MARK + footer + len(footer).to_bytes(4, "little") + MARK

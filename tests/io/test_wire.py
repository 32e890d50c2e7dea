"""Fields of database rows are found where the protocols put them; the rows are made here by hand."""

import datetime as dt
import struct

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.io.databases.wire import (
    big_endian,
    civil_moments,
    clock_times,
    copied_fields,
    count_copied,
    count_packets,
    gather,
    little_endian,
    packet_fields,
)

ROWS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(st.none() | st.binary(max_size=300), min_size=width, max_size=width), max_size=6)
)


def array(content: bytes) -> np.ndarray:
    return np.frombuffer(content, np.uint8)


def copied(row: list[bytes | None]) -> bytes:
    fields = [struct.pack(">i", -1) if value is None else struct.pack(">i", len(value)) + value for value in row]
    return struct.pack(">h", len(row)) + b"".join(fields)


def packet(row: list[bytes | None]) -> bytes:
    missing = sum(1 << (i + 2) for i, value in enumerate(row) if value is None).to_bytes((len(row) + 9) // 8, "little")
    fields = [
        bytes([len(value)]) + value if len(value) < 251 else b"\xfc" + struct.pack("<H", len(value)) + value
        for value in row
        if value is not None
    ]
    content = b"\x00" + missing + b"".join(fields)
    return len(content).to_bytes(3, "little") + b"\x07" + content


def values(buffer: np.ndarray, begins: np.ndarray, lengths: np.ndarray) -> list[list[bytes | None]]:
    columns = []
    for begin, length in zip(begins, lengths, strict=True):
        content, ends = gather(buffer, begin, length)
        columns.append(
            [None if n < 0 else content[a:b].tobytes() for n, a, b in zip(length, ends, ends[1:], strict=False)]
        )
    return [list(row) for row in zip(*columns, strict=True)]


@settings(deadline=None)
@given(ROWS, st.integers(0, 20))
def test_rows_of_a_copy_are_found_also_when_the_last_is_cut(rows: list, cut: int) -> None:
    whole = b"".join(copied(row) for row in rows)
    buffer = array(whole + (copied(rows[0])[:-1][:cut] if rows else b"\xff\xff"))
    count, after = count_copied(buffer, 0)
    assert (count, after) == (len(rows), len(whole))
    if rows:
        assert values(buffer, *copied_fields(buffer, 0, count, len(rows[0]))) == rows


@settings(deadline=None)
@given(ROWS)
def test_row_packets_are_found_up_to_the_one_that_ends_them(rows: list) -> None:
    whole = b"".join(packet(row) for row in rows)
    buffer = array(whole + b"\x05\x00\x00\x09\xfe\x00\x00\x02\x00")
    assert count_packets(buffer, 0) == (len(rows), len(whole), 254)
    if rows:
        widths = np.zeros(len(rows[0]), np.int64)
        assert values(buffer, *packet_fields(buffer, 0, len(rows), widths)) == rows


def test_an_error_packet_ends_the_rows() -> None:
    assert count_packets(array(b"\x03\x00\x00\x01\xff\x01\x02"), 0) == (0, 0, 255)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5))
@settings(deadline=None)
def test_integers_of_both_orders_are_read(numbers: list[int]) -> None:
    begins, lengths = np.arange(0, 8 * len(numbers), 8), np.full(len(numbers), 8)
    size = len(numbers)
    assert big_endian(array(struct.pack(f">{size}q", *numbers)), begins, lengths).tolist() == numbers
    assert little_endian(array(struct.pack(f"<{size}q", *numbers)), begins, lengths, True).tolist() == numbers


def test_short_integers_keep_their_sign() -> None:
    begins, lengths = np.array([0, 1, 3]), np.array([1, 2, -1])
    content = array(struct.pack("<bh", -3, -300) + b"\x09")
    assert little_endian(content, begins, lengths, True).tolist() == [-3, -300, 0]
    assert little_endian(content, begins, lengths, False).tolist() == [253, 65236, 0]


@settings(deadline=None)
@given(st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31)))
def test_moments_of_mariadb_are_microseconds_since_1970(moment: dt.datetime) -> None:
    fields = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.microsecond)
    content = struct.pack("<HBBBBBI", *fields)
    found, present = civil_moments(array(content), np.array([0]), np.array([11]))
    assert present.all()
    assert found[0] == (moment - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)


def test_dates_of_zeros_are_missing() -> None:
    _, present = civil_moments(array(struct.pack("<HBB", 0, 0, 0)), np.array([0]), np.array([4]))
    assert not present.any()


def test_times_of_mariadb_may_be_negative_and_long() -> None:
    content = array(struct.pack("<BIBBBI", 1, 34, 22, 59, 59, 5))
    expected = -((34 * 24 + 22) * 3600 + 59 * 60 + 59) * 1_000_000 - 5
    assert clock_times(content, np.array([0]), np.array([12])).tolist() == [expected]

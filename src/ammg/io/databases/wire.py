"""Rows as databases send them: where each field of a run of bytes begins and how long it is.

PostgreSQL's binary COPY (manual, section COPY, "Binary Format") and the binary rows of MySQL and MariaDB (protocol
manual, "Binary Resultset Row") are fields of known or stated length, so one walk over the bytes finds all of them and
no value becomes a Python object.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]


@jit
def count_copied(buffer: Bytes, start: int) -> tuple[int, int]:
    """Whole rows of a PostgreSQL copy from `start` on, and where the bytes after them begin."""
    rows = 0
    here = start
    size = buffer.size
    while here + 2 <= size:
        fields = (np.int64(buffer[here]) << 8) | np.int64(buffer[here + 1])
        if fields == 0xFFFF:  # the trailer
            break
        end = here + 2
        for _ in range(fields):
            if end + 4 > size:
                return rows, here
            end += 4 + max(_int32(buffer, end), 0)
        if end > size:
            return rows, here
        rows += 1
        here = end
    return rows, here


@jit
def copied_fields(buffer: Bytes, start: int, rows: int, columns: int) -> tuple[Places, Places]:
    """Begin and length (-1 for missing) of every field, one line per column."""
    begins = np.empty((columns, rows), np.int64)
    lengths = np.empty((columns, rows), np.int64)
    here = start
    for row in range(rows):
        here += 2
        for column in range(columns):
            length = _int32(buffer, here)
            begins[column, row] = here + 4
            lengths[column, row] = length
            here += 4 + max(length, 0)
    return begins, lengths


@jit
def count_packets(buffer: Bytes, start: int) -> tuple[int, int, int]:
    """Whole row packets of MariaDB from `start` on, where the rest begins, and the first byte of the ending packet.

    That byte is 254 for the end, 255 for an error, 1 for a row of 16 MB and more, and 0 when rows may follow.
    """
    rows = 0
    here = start
    while here + 5 <= buffer.size:
        length = _uint(buffer, here, 3)
        head = buffer[here + 4]
        if length == 0xFFFFFF:
            return rows, here, 1
        if here + 4 + length > buffer.size:
            break
        if head == 255 or (head == 254 and length < 9):
            return rows, here, int(head)
        rows += 1
        here += 4 + length
    return rows, here, 0


@jit
def packet_fields(buffer: Bytes, start: int, rows: int, widths: NDArray[np.int64]) -> tuple[Places, Places]:
    """Begin and length (-1 for missing) of every field, one line per column; a width of 0 stands for a length that is
    sent with the value.
    """
    columns = widths.size
    begins = np.empty((columns, rows), np.int64)
    lengths = np.empty((columns, rows), np.int64)
    packet = start
    for row in range(rows):
        missing = packet + 5
        here = missing + (columns + 9) // 8
        for column in range(columns):
            length = int(widths[column])
            bit = column + 2
            if (buffer[missing + bit // 8] >> (bit % 8)) & 1:
                length = -1
            elif length == 0:
                length = int(buffer[here])
                here += 1
                if length > 251:
                    size = 2 if length == 252 else 3 if length == 253 else 8
                    length = _uint(buffer, here, size)
                    here += size
            begins[column, row] = here
            lengths[column, row] = length
            here += max(length, 0)
        packet += 4 + _uint(buffer, packet, 3)
    return begins, lengths


@jit
def gather(buffer: Bytes, begins: Places, lengths: Places) -> tuple[Bytes, Places]:
    """The bytes of one column without gaps, and where each value begins among them (one place more than values)."""
    ends = np.zeros(lengths.size + 1, np.int64)
    for row in range(lengths.size):
        ends[row + 1] = ends[row] + max(lengths[row], 0)
    content = np.empty(ends[-1], np.uint8)
    for row in range(lengths.size):
        target = ends[row]
        for i in range(max(lengths[row], 0)):
            content[target + i] = buffer[begins[row] + i]
    return content, ends


@jit
def big_endian(buffer: Bytes, begins: Places, lengths: Places) -> Places:
    """Signed integers of 1, 2, 4 or 8 bytes, most significant first; 0 where missing."""
    values = np.zeros(begins.size, np.int64)
    for row in range(begins.size):
        length = lengths[row]
        if length > 0:
            value = np.int64(np.int8(buffer[begins[row]]))
            for i in range(1, length):
                value = (value << 8) | np.int64(buffer[begins[row] + i])
            values[row] = value
    return values


@jit
def little_endian(buffer: Bytes, begins: Places, lengths: Places, signed: bool) -> Places:
    """Integers of 1, 2, 4 or 8 bytes, least significant first; 0 where missing."""
    values = np.zeros(begins.size, np.int64)
    for row in range(begins.size):
        length = lengths[row]
        if length > 0:
            value = np.int64(_uint(buffer, begins[row], length))
            if signed and length < 8 and value >> (8 * length - 1):
                value -= np.int64(1) << (8 * length)
            values[row] = value
    return values


@jit
def civil_moments(buffer: Bytes, begins: Places, lengths: Places) -> tuple[Places, NDArray[np.bool_]]:
    """Microseconds since 1970 of MariaDB's dates and moments, and which are there: dates of zeros count as missing."""
    values = np.zeros(begins.size, np.int64)
    present = np.zeros(begins.size, np.bool_)
    for row in range(begins.size):
        here = begins[row]
        if lengths[row] < 4 or buffer[here + 2] == 0 or buffer[here + 3] == 0:
            continue
        days = _days(_uint(buffer, here, 2), int(buffer[here + 2]), int(buffer[here + 3]))
        seconds = days * 86_400
        if lengths[row] >= 7:
            seconds += int(buffer[here + 4]) * 3_600 + int(buffer[here + 5]) * 60 + int(buffer[here + 6])
        values[row] = seconds * 1_000_000 + (_uint(buffer, here + 7, 4) if lengths[row] >= 11 else 0)
        present[row] = True
    return values, present


@jit
def clock_times(buffer: Bytes, begins: Places, lengths: Places) -> Places:
    """Microseconds of MariaDB's times, which may be negative and longer than a day; 0 where missing."""
    values = np.zeros(begins.size, np.int64)
    for row in range(begins.size):
        here = begins[row]
        if lengths[row] >= 8:
            hours = _uint(buffer, here + 1, 4) * 24 + int(buffer[here + 5])
            seconds = hours * 3_600 + int(buffer[here + 6]) * 60 + int(buffer[here + 7])
            value = seconds * 1_000_000 + (_uint(buffer, here + 8, 4) if lengths[row] >= 12 else 0)
            values[row] = -value if buffer[here] else value
    return values


@jit
def _days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 in the Gregorian calendar, with years that begin in March so that leap days come last."""
    shifted = year - (month <= 2)
    era = shifted // 400
    in_era = shifted - era * 400
    in_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return int(era * 146_097 + in_era * 365 + in_era // 4 - in_era // 100 + in_year - 719_468)


@jit
def _int32(buffer: Bytes, here: int) -> int:
    value = np.int64(np.int8(buffer[here]))
    for i in range(1, 4):
        value = (value << 8) | np.int64(buffer[here + i])
    return int(value)


@jit
def _uint(buffer: Bytes, here: int, width: int) -> int:
    value = np.int64(0)
    for i in range(width):
        value |= np.int64(buffer[here + i]) << np.int64(8 * i)
    return int(value)

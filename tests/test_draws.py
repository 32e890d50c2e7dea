"""Draws are secret, addressed and reproducible."""

import hashlib
import pickle
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.draws import CHUNK, Draws, Secret, WatchedDraws, _stretched, chunk_bounds
from ammg.errors import InputError

DRAWS = Draws(Secret.known("known answer")).at("step", 0)
IDS = np.array([0, 1, 2, 65_535, 65_536, 65_537, 131_072])
ids = st.lists(st.integers(0, 200_000), min_size=1, max_size=30, unique=True).map(lambda x: np.array(x, dtype=np.int64))


# Known answers: whoever changes one of these numbers changes every release for the same secret.


def test_uniform_numbers_are_the_known_answers() -> None:
    known = """0x1.790abfd185f86p-2 0x1.7aa7d221bb58ap-2 0x1.8959037325810p-1 0x1.f3239737aaa8dp-1
               0x1.dd79f50b675c8p-3 0x1.6973c14862e90p-3 0x1.5e3854ba5cb5cp-2"""
    assert [x.hex() for x in DRAWS.uniform(IDS, "age")] == known.split()


def test_normal_numbers_are_the_known_answers() -> None:
    known = """0x1.f3a475b385d50p-1 -0x1.704f98bd5a3f1p+0 -0x1.2144593febcfep+0 -0x1.4685c44d0a1c4p+0
               0x1.77ec123aa8f38p-1 -0x1.3804ceaeff8e7p-9 0x1.700b327df49acp+0"""
    assert [x.hex() for x in DRAWS.normal(IDS, "age")] == known.split()


def test_a_generator_gives_the_known_answers() -> None:
    assert DRAWS.generator("age").integers(1000, size=4).tolist() == [696, 305, 646, 731]
    assert DRAWS.generator("age").permutation(6).tolist() == [3, 5, 2, 4, 0, 1]
    known = [-0.49256478056069636, -1.502120565608573, 0.6707060516255888]
    assert DRAWS.generator("age").standard_normal(3).tolist() == known


def test_uniform_numbers_are_those_of_the_cipher_in_rfc_8439() -> None:
    digest = hashlib.blake2b(key=DRAWS.secret.key, digest_size=32)
    for part in ("step", "0", "uniform", "age", "1"):  # the last is the chunk
        digest.update(len(part).to_bytes(8, "little") + part.encode())
    stream = b"".join(_chacha20_block(digest.digest(), counter) for counter in range(2))
    expected = (np.frombuffer(stream, "<u8") >> np.uint64(11)) * 2.0**-53
    assert np.array_equal(DRAWS.uniform(np.arange(CHUNK, CHUNK + 16), "age"), expected)


# Addresses


@settings(max_examples=40, deadline=None)
@given(ids, st.data())
def test_some_ids_get_the_same_numbers_as_among_all(wanted: np.ndarray, data: st.DataObject) -> None:
    part = np.array(data.draw(st.permutations(wanted.tolist())), dtype=np.int64)
    part = part[: data.draw(st.integers(1, len(part)))]
    for draw in (DRAWS.uniform, DRAWS.normal):
        by_id = dict(zip(wanted.tolist(), draw(wanted, "x").tolist(), strict=True))
        assert draw(part, "x").tolist() == [by_id[i] for i in part.tolist()]


def test_a_whole_chunk_and_its_records_one_by_one_agree() -> None:
    whole = DRAWS.normal(np.arange(CHUNK + 3), "x")
    for position in (0, 1, 65_534, 65_535, 65_536, 65_538):
        assert DRAWS.normal(np.array([position]), "x")[0] == whole[position]
    assert np.array_equal(DRAWS.normal(np.arange(65_535, 65_537), "x"), whole[65_535:65_537])


def test_a_record_that_is_asked_for_twice_gets_its_number_twice() -> None:
    first = DRAWS.uniform(np.arange(3), "x")
    assert DRAWS.uniform(np.array([0, 0, 2]), "x").tolist() == [first[0], first[0], first[2]]


def test_no_ids_no_numbers() -> None:
    assert DRAWS.uniform(np.array([], dtype=np.int64), "x").shape == (0,)


@pytest.mark.parametrize(
    "other",
    [
        Draws(Secret.of("another")).at("step", 0),
        Draws(Secret.known("known answer")).at("step", 1),
        Draws(Secret.known("known answer")).at("step"),
        DRAWS.at("stratum", "north"),
    ],
)
def test_another_secret_step_or_stratum_gives_other_numbers(other: Draws) -> None:
    assert not np.isin(other.uniform(IDS, "x"), DRAWS.uniform(IDS, "x")).any()
    assert other.generator("x").random() != DRAWS.generator("x").random()


def test_another_column_gives_other_numbers() -> None:
    assert not np.isin(DRAWS.uniform(IDS, "y"), DRAWS.uniform(IDS, "x")).any()


def test_labels_that_run_together_are_different_addresses() -> None:
    secret = Secret.of(1)
    assert Draws(secret, ("ab", "c")).generator().random() != Draws(secret, ("a", "bc")).generator().random()


def test_chunks_repeat_no_number() -> None:
    both = DRAWS.uniform(np.arange(2 * CHUNK), "x")
    assert len(np.unique(both)) == 2 * CHUNK


def test_numbers_follow_their_laws() -> None:
    uniform, normal = DRAWS.uniform(np.arange(CHUNK), "x"), DRAWS.normal(np.arange(CHUNK), "x")
    assert uniform.min() >= 0
    assert uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 5 / np.sqrt(12 * CHUNK)
    assert abs(normal.mean()) < 5 / np.sqrt(CHUNK)
    assert abs(normal.var() - 1) < 5 * np.sqrt(2 / CHUNK)


def test_chunk_bounds_cut_between_65_535_and_65_536() -> None:
    assert chunk_bounds(IDS) == [(0, 4), (4, 6), (6, 7)]
    assert chunk_bounds(np.array([], dtype=np.int64)) == []


# The secret


def test_a_secret_is_drawn_from_the_operating_system_unless_given() -> None:
    assert Secret.of(None) != Secret.of(None)
    assert len(Secret.of(None).key) == 32
    assert Secret.of("a") == Secret.of("a") != Secret.of("b")
    assert Secret.of(Secret.of(7)) == Secret.of(7) == Secret.of(np.int64(7))


def test_a_typed_secret_is_stretched_once_per_process() -> None:
    keys = {Secret.of(typed).key for typed in ("1234", 1234, b"1234", b"x" * 31)}
    assert len(keys) == 3  # text and bytes of the same characters are one secret
    stretched = _stretched.cache_info().misses
    assert Secret.of("1234").key in keys
    assert _stretched.cache_info().misses == stretched


def test_the_derivation_of_a_typed_secret_is_scrypt() -> None:
    expected = hashlib.scrypt(b"int:7", salt=b"ammg secret", n=2**15, r=8, p=1, maxmem=2**26, dklen=32)
    assert Secret.of(7).key == expected


def test_random_bytes_are_not_stretched() -> None:
    raw = bytes(range(32))
    assert Secret.of(raw).key == hashlib.sha256(b"ammg secret" + raw).digest()


@pytest.mark.parametrize("value", [0.5, "", b"", ["hunter2"]])
def test_what_cannot_be_a_secret_is_refused_without_showing_it(value: object) -> None:
    with pytest.raises(InputError, match="A secret is a whole number, a text or bytes that are not empty") as refused:
        Secret.of(value)  # type: ignore[arg-type]
    assert "hunter2" not in str(refused.value)


def test_a_secret_shows_nothing_of_itself() -> None:
    secret = Secret.of("hunter2")
    for shown in (repr(secret), str(secret), f"{secret}", repr(Draws(secret).at("x")), repr([secret])):
        assert "hunter2" not in shown
        assert secret.key.hex() not in shown
        assert repr(secret.key) not in shown


def test_draws_go_to_workers_as_bytes_and_give_the_same_numbers_there() -> None:
    there = pickle.loads(pickle.dumps(DRAWS))
    assert np.array_equal(there.normal(IDS, "x"), DRAWS.normal(IDS, "x"))


def _chacha20_block(key: bytes, counter: int) -> bytes:
    """One block of RFC 8439, with a counter of 64 bits and a nonce of zero."""
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *struct.unpack("<8I", key), counter, 0, 0, 0]
    words = list(start)

    def quarter_round(a: int, b: int, c: int, d: int) -> None:
        for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            words[x] = (words[x] + words[y]) & 0xFFFFFFFF
            mixed = words[z] ^ words[x]
            words[z] = ((mixed << turn) | (mixed >> (32 - turn))) & 0xFFFFFFFF

    for _ in range(10):
        for column in range(4):
            quarter_round(column, 4 + column, 8 + column, 12 + column)
        for diagonal in range(4):
            quarter_round(diagonal, 4 + (diagonal + 1) % 4, 8 + (diagonal + 2) % 4, 12 + (diagonal + 3) % 4)
    return struct.pack("<16I", *((word + first) & 0xFFFFFFFF for word, first in zip(words, start, strict=True)))


def test_watched_draws_give_the_same_numbers_and_remember_that_they_were_asked() -> None:
    watched, plain = (kind(Secret.of(1)).at("step", 0) for kind in (WatchedDraws, Draws))
    assert not watched.drawn
    assert watched.at("deeper").keyed("a") == plain.at("deeper").keyed("a")
    assert watched.drawn
    assert watched.generator("b").random() == plain.generator("b").random()
    assert len(watched.asked) == 2

import numpy as np

from ammg.kernels.splitmix import next_uniform, skip_uniform, start_stream


def test_the_stream_is_that_of_the_published_generator():
    state = np.array([1234567], dtype=np.uint64)
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]  # reference implementation of Vigna
    for number in published:
        assert next_uniform(state) == (number >> 11) / 2**53


def test_the_same_generator_gives_the_same_stream():
    first, second = start_stream(np.random.default_rng(5)), start_stream(np.random.default_rng(5))
    assert [next_uniform(first) for _ in range(9)] == [next_uniform(second) for _ in range(9)]
    assert start_stream(np.random.default_rng(6))[0] != start_stream(np.random.default_rng(5))[0]


def test_a_number_that_is_skipped_is_the_one_that_would_have_been_drawn():
    drawn, skipped = np.array([7], dtype=np.uint64), np.array([7], dtype=np.uint64)
    next_uniform(drawn)
    skip_uniform(skipped)
    assert next_uniform(drawn) == next_uniform(skipped)

"""Frames are followed to their end: several, one a member, skippable; cuts are refused (bad inputs A2, A3, A8)."""

import io

import pytest
import zstandard

from loaders.containers.zstd_frames import FrameFollower, decompressed_blocks
from loaders.errors import EvidenceError
from loaders.limits import DEFAULTS, MIB, Limits
from tests.synthetic_archive import zst

TEXT = bytes(range(256)) * 2000
SKIPPABLE = b"\x5a\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"notes"


def decompress(data: bytes, limits: Limits = DEFAULTS) -> bytes:
    return b"".join(decompressed_blocks(io.BytesIO(data), "demo.tar.zst", limits, lambda size: None))


@pytest.mark.parametrize(
    "data",
    [
        zst(TEXT),
        zst(TEXT, frame_bytes=700),
        zst(TEXT[:1000]) + zst(TEXT[1000:]),
        SKIPPABLE + zst(TEXT, frame_bytes=100_000) + SKIPPABLE,
        SKIPPABLE.join([b"", zst(TEXT[:1000]), zst(TEXT[1000:]), b""]),
        zstandard.ZstdCompressor(write_content_size=False, write_checksum=False).compress(TEXT),
        zst(b"") + zst(TEXT) + zst(b""),
    ],
    ids=["one", "many", "two", "skippable_around", "skippable_between", "no_size_no_checksum", "empty_frames"],
)
def test_all_frames_are_read_as_one_stream(data):
    assert decompress(data) == TEXT


@pytest.mark.parametrize("cut", range(1, 60))
def test_a_cut_inside_a_frame_is_refused(cut):
    whole = zst(b"some text " * 3) + SKIPPABLE
    if len(whole) - cut in (len(whole) - len(SKIPPABLE), 0):
        pytest.skip("a frame ends there")
    if cut < len(whole):
        with pytest.raises(EvidenceError, match="ends inside frame|damaged"):
            decompress(whole[:-cut])


def test_bytes_behind_the_last_frame_are_refused():
    with pytest.raises(EvidenceError, match="no Zstandard frame starts at byte"):
        decompress(zst(TEXT) + b"more")


def test_a_frame_that_needs_a_dictionary_is_refused():
    dictionary = zstandard.ZstdCompressionDict(b"words " * 100, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    header = bytearray(zst(TEXT))
    header[4] |= 1
    with pytest.raises(EvidenceError, match="needs a dictionary"):
        decompress(bytes(header))
    assert dictionary.dict_id() == 0


def test_a_flipped_bit_in_the_content_is_refused():
    data = bytearray(zst(b"abc" * 1000))
    data[-6] ^= 1
    with pytest.raises(EvidenceError, match="damaged"):
        decompress(bytes(data))


def test_a_small_archive_that_becomes_huge_is_refused_early():
    bomb = zst(bytes(500 * MIB), level=3)
    assert len(bomb) < 60_000
    with pytest.raises(EvidenceError, match="raise the limit compression_ratio|compression_ratio"):
        decompress(bomb)
    with pytest.raises(EvidenceError, match="decompressed_bytes"):
        decompress(bomb, Limits(decompressed_bytes=10 * MIB))


def test_a_window_above_the_limit_is_refused_by_its_header():
    parameters = zstandard.ZstdCompressionParameters(window_log=28, enable_ldm=True, write_content_size=False)
    stream = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    data = stream.compress(TEXT) + stream.flush()
    with pytest.raises(EvidenceError, match=f"window of {1 << 28} bytes, the limit is {1 << 27}"):
        decompress(data)


def test_the_follower_counts_frames_whatever_the_pieces():
    data = zst(TEXT, frame_bytes=50_000) + SKIPPABLE
    for size in (1, 3, 4096, len(data)):
        follower = FrameFollower("demo", 1 << 27)
        for start in range(0, len(data), size):
            follower.feed(data[start : start + size])
        follower.finish()
        assert follower.frames == -(-len(TEXT) // 50_000) + 1

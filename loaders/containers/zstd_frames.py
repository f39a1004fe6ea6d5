"""Decompress a Zstandard stream of any number of frames, and know whether it ended where a frame ends.

The usual stream readers stop silently at the end of a cut file. So the compressed bytes are followed here frame by
frame and block by block (RFC 8878, section 3) while the library decodes them: the follower knows at the last byte
whether
the last frame was whole, what window each frame asks for, and whether something else than a frame comes after it.
"""

from collections.abc import Callable, Iterator
from typing import BinaryIO

import zstandard

from loaders.errors import EvidenceError
from loaders.limits import Limits

READ_BYTES = 1 << 20
BLOCK_BYTES = 1 << 22
FRAME_MAGIC = b"\x28\xb5\x2f\xfd"
SKIPPABLE_MAGICS = {bytes([0x50 + low]) + b"\x2a\x4d\x18" for low in range(16)}
REPACK = "Fetch the archive again, or name the intact copy."


class FrameFollower:
    """Follows frames through `feed`; `finish` raises unless the bytes ended exactly behind a frame.

    Raises EvidenceError (blocking) on a foreign magic number, a dictionary, a reserved block or too large a window.
    """

    def __init__(self, place: str, window_bytes: int):
        self._place, self._window_bytes = place, window_bytes
        self._held, self._skip, self._position = b"", 0, 0
        self._expect(4, self._magic)
        self.frames = 0
        self._in_frame = False

    def feed(self, chunk: bytes) -> None:
        at, end = 0, len(chunk)
        while at < end:
            if self._skip >= end - at:
                self._skip -= end - at
                break
            at += self._skip
            self._skip = 0
            if self._held or end - at < self._need:
                wanted = self._need - len(self._held)
                self._held += chunk[at : at + wanted]
                at += wanted
                if len(self._held) < self._need:
                    break
                field, self._held = self._held, b""
            else:
                field = chunk[at : at + self._need]
                at += self._need
            self._position_of_field = self._position + at
            self._next(field)
        self._position += end

    def finish(self) -> None:
        if self._in_frame or self._held or self._skip:
            raise self._fault(
                f"the compressed stream ends inside frame {self.frames + 1}, after {self._position} bytes", REPACK
            )

    def _expect(self, need: int, then: Callable[[bytes], None]) -> None:
        self._need, self._next = need, then

    def _magic(self, field: bytes) -> None:
        if field == FRAME_MAGIC:
            self._in_frame = True
            self._expect(1, self._descriptor)
        elif field in SKIPPABLE_MAGICS:
            self._in_frame = True
            self._expect(4, self._skippable)
        else:
            raise self._fault(
                f"no Zstandard frame starts at byte {self._position_of_field - 4} (found {field!r})", REPACK
            )

    def _skippable(self, field: bytes) -> None:
        self._skip = int.from_bytes(field, "little")
        self._end_frame()

    def _descriptor(self, field: bytes) -> None:
        bits = field[0]
        self._single_segment = bool(bits & 0x20)
        self._has_checksum = bool(bits & 0x04)
        if bits & 0x08:
            raise self._fault(f"frame {self.frames + 1} sets a reserved bit", REPACK)
        if bits & 0x03:
            raise self._fault(f"frame {self.frames + 1} needs a dictionary", "Compress the archive without one.")
        size_bytes = (int(self._single_segment), 2, 4, 8)[bits >> 6]
        self._expect((0 if self._single_segment else 1) + size_bytes, self._frame_header)

    def _frame_header(self, field: bytes) -> None:
        if self._single_segment:
            window = int.from_bytes(field, "little") + (256 if len(field) == 2 else 0)
        else:
            base = 1 << (10 + (field[0] >> 3))
            window = base + base // 8 * (field[0] & 7)
        if window > self._window_bytes:
            raise self._fault(
                f"frame {self.frames + 1} asks for a window of {window} bytes, the limit is {self._window_bytes}",
                "Compress the archive with a smaller window, or raise the limit window_bytes.",
            )
        self._expect(3, self._block)

    def _block(self, field: bytes) -> None:
        bits = int.from_bytes(field, "little")
        kind, size = bits >> 1 & 3, bits >> 3
        if kind == 3:
            raise self._fault(f"frame {self.frames + 1} holds a reserved block", REPACK)
        self._skip = 1 if kind == 1 else size
        if bits & 1:
            self._skip += 4 if self._has_checksum else 0
            self._end_frame()

    def _end_frame(self) -> None:
        self._in_frame = False
        self.frames += 1
        self._expect(4, self._magic)

    def _fault(self, problem: str, remedy: str) -> EvidenceError:
        return EvidenceError(self._place, None, problem, remedy, "Nothing of this archive was loaded.", blocks=True)


class _FollowedFile:
    """The compressed file as the decoder sees it: each chunk is followed, counted and reported before it is decoded."""

    def __init__(self, file: BinaryIO, follower: FrameFollower, progress: Callable[[int], None]):
        self._file, self._follower, self._progress = file, follower, progress
        self.consumed = 0

    def read(self, size: int) -> bytes:
        chunk = self._file.read(size)
        if chunk:
            self.consumed += len(chunk)
            self._follower.feed(chunk)
            self._progress(len(chunk))
        return chunk


def decompressed_blocks(file: BinaryIO, place: str, limits: Limits, progress: Callable[[int], None]) -> Iterator[bytes]:
    """Yield the decompressed stream in blocks of BLOCK_BYTES.

    Raises EvidenceError (blocking) when the stream is cut, damaged, or larger than `limits` allow. `progress` is told
    how many compressed bytes each read took.
    """
    follower = FrameFollower(place, limits.window_bytes)
    source = _FollowedFile(file, follower, progress)
    decoder = zstandard.ZstdDecompressor(max_window_size=limits.window_bytes)
    produced = 0
    with decoder.stream_reader(source, read_size=READ_BYTES, read_across_frames=True, closefd=False) as stream:
        while True:
            try:
                block = stream.read(BLOCK_BYTES)
            except zstandard.ZstdError as error:
                raise _refusal(
                    place, f"the compressed stream is damaged near byte {source.consumed} ({error})", REPACK
                ) from error
            if not block:
                break
            produced += len(block)
            if produced > limits.decompressed_bytes:
                raise _refusal(
                    place,
                    f"more than {limits.decompressed_bytes} bytes come out of it",
                    "Raise the limit decompressed_bytes if that is right.",
                )
            if produced > limits.ratio_floor_bytes and produced > limits.compression_ratio * source.consumed:
                raise _refusal(
                    place,
                    f"{source.consumed} bytes became {produced}, more than {limits.compression_ratio} times as many",
                    "Raise the limit compression_ratio if that is right.",
                )
            yield block
    follower.finish()


def _refusal(place: str, problem: str, remedy: str) -> EvidenceError:
    return EvidenceError(place, None, problem, remedy, "Nothing of this archive was loaded.", blocks=True)

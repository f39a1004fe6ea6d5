"""One reader for `.tar.zst`, `.tar` and trees: proved, streamed, held against the manifest (bad inputs A1 to A8)."""

import hashlib
import tarfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loaders.archives import Archive, Delivery
from loaders.errors import EvidenceError
from loaders.limits import KIB, MIB, Limits
from loaders.member_manifest import MANIFEST_PATH
from tests.synthetic_archive import (
    SLOT,
    HardLink,
    Link,
    linked_attempt,
    manifest,
    tar_bytes,
    with_manifest,
    write_archive,
    write_bytes,
    write_tree,
    zst,
)  # fmt: skip

MEMBERS = {
    "output/g/s/attempt-7/trial-7.json": b"{}",
    "output/g/s/trial-7.json": Link("attempt-7/trial-7.json"),
    "paper/x": b"p" * 90_000,
}


def contents(archive: Archive, delivery: Delivery = Delivery.WHOLE) -> dict[str, bytes | None]:
    """What the archive delivers, by path."""
    found: dict[str, bytes | None] = {}
    for piece in archive.pieces(lambda member: delivery):
        found[piece.member.path] = (
            None if piece.data is None else (found.get(piece.member.path) or b"") + bytes(piece.data)
        )
    return found


def refusal(archive: Archive) -> EvidenceError:
    with pytest.raises(EvidenceError) as caught:
        contents(archive)
    assert caught.value.blocks
    return caught.value


def test_archive_plain_tar_and_tree_deliver_the_same(tmp_path):
    members = with_manifest(MEMBERS)
    compressed = Archive(write_archive(tmp_path, MEMBERS))
    plain = Archive(write_bytes(tmp_path, tar_bytes(members), "demo.tar"))
    tree = Archive(write_tree(tmp_path / "tree", members))
    expected = {path: None if isinstance(content, Link) else content for path, content in members.items()}
    assert contents(compressed) == contents(plain) == expected
    assert {path: data for path, data in contents(tree).items() if tree.members[path].kind != "directory"} == expected
    assert compressed.proof == "sidecar" and plain.proof == "sidecar" and tree.proof is None


@pytest.mark.parametrize("delivery", list(Delivery))
def test_every_delivery_digests_the_whole_member(tmp_path, delivery):
    archive = Archive(write_archive(tmp_path, MEMBERS), Limits(trace_piece_bytes=4 * KIB))
    found = contents(archive, delivery)
    assert archive.members["paper/x"].sha256 == hashlib.sha256(b"p" * 90_000).hexdigest()
    assert found["paper/x"] == (None if delivery is Delivery.NONE else b"p" * 90_000)


def test_a_stream_comes_in_bounded_pieces(tmp_path):
    archive = Archive(write_archive(tmp_path, MEMBERS), Limits(trace_piece_bytes=4 * KIB))
    pieces = [piece for piece in archive.pieces(lambda member: Delivery.STREAM) if piece.member.path == "paper/x"]
    assert max(len(piece.data) for piece in pieces) == 4 * KIB
    assert [piece.is_last for piece in pieces] == [False] * (len(pieces) - 1) + [True]


def test_another_digest_is_refused_before_a_byte_is_parsed(tmp_path):
    path = write_bytes(tmp_path, b"this is no archive at all", sidecar=False)
    told = str(refusal(Archive(path, expected_sha256="a" * 64)))
    assert "its SHA-256 is" in told and "given says aaaa" in told


def test_a_cut_archive_is_refused_wherever_it_is_cut(tmp_path):
    tar = tar_bytes(with_manifest(MEMBERS))
    tar = tar[: -(-len(tar.rstrip(b"\0")) // 512) * 512 + 1024]  # the two zero blocks, without further padding
    frames = [zst(tar[start : start + 20_000]) for start in range(0, len(tar), 20_000)]
    whole = b"".join(frames)
    edges = {len(b"".join(frames[:count])) for count in range(1, len(frames))}
    for cut in sorted(edges | {10, len(whole) // 2, len(whole) - 3}):
        refusal(Archive(write_bytes(tmp_path, whole[:cut])))
    refusal(Archive(write_bytes(tmp_path, zst(tar.rstrip(b"\0")))))
    assert len(contents(Archive(write_bytes(tmp_path, whole)))) == len(MEMBERS) + 1


def test_one_frame_a_member_is_one_archive(tmp_path):
    tar = tar_bytes(with_manifest(MEMBERS))
    assert len(contents(Archive(write_bytes(tmp_path, zst(tar, frame_bytes=512))))) == len(MEMBERS) + 1


def test_the_same_name_twice_names_both_offsets(tmp_path):
    for names in (("a", "a"), ("a", "./a"), ("a//b", "a/./b")):
        path = write_bytes(tmp_path, zst(tar_bytes([(names[0], b"one"), (names[1], b"two")])))
        assert "twice, at bytes 0 and 1024" in str(refusal(Archive(path)))


def test_names_that_differ_in_case_are_a_finding(tmp_path):
    archive = Archive(write_archive(tmp_path, {"a/B": b"1", "a/b": b"2"}))
    contents(archive)
    assert [(finding.finding, finding.member_path) for finding in archive.findings] == [("names_differ_in_case", "a/b")]


def test_the_manifest_may_stand_anywhere(tmp_path):
    listed = manifest(MEMBERS)
    for order in ([(MANIFEST_PATH, listed), *MEMBERS.items()], [*MEMBERS.items(), (MANIFEST_PATH, listed)]):
        archive = Archive(write_bytes(tmp_path, zst(tar_bytes(order))))
        contents(archive)
        assert len(archive.entries) == len(MEMBERS)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda members: members.pop("paper/x"), "'paper/x' is listed but absent"),
        (lambda members: members.update(extra=b"1"), "'extra' is not listed"),
        (lambda members: members.update({"paper/x": b"q" * 90_000}), "'paper/x' has SHA-256"),
        (lambda members: members.update({"paper/x": b"p"}), "'paper/x' has 1 bytes, listed with 90000"),
    ],
    ids=["absent", "not_listed", "other_content", "other_size"],
)
def test_a_member_that_disagrees_with_the_manifest_is_refused_by_name(tmp_path, change, told):
    members = with_manifest(MEMBERS)
    change(members)
    assert told in str(refusal(Archive(write_bytes(tmp_path, zst(tar_bytes(members))))))


def test_a_proved_archive_without_manifest_is_a_finding(tmp_path):
    archive = Archive(write_bytes(tmp_path, zst(tar_bytes(MEMBERS))))
    contents(archive)
    assert [finding.finding for finding in archive.findings] == ["no_member_manifest"]


def test_an_archive_that_nothing_proves_is_refused_unless_allowed(tmp_path):
    path = write_bytes(tmp_path, zst(tar_bytes(MEMBERS)), sidecar=False)
    assert "nothing proves it" in str(refusal(Archive(path)))
    archive = Archive(path, must_be_proved=False)
    contents(archive)
    assert [finding.finding for finding in archive.findings] == ["unproved_source"]


def test_a_hard_link_is_proved_by_its_target(tmp_path):
    archive = Archive(write_archive(tmp_path, {"a": b"x", "b": HardLink("a")}))
    contents(archive)
    assert archive.members["b"].link_target == "a"


def test_a_link_to_nothing_is_a_finding(tmp_path):
    archive = Archive(write_bytes(tmp_path, zst(tar_bytes({"a/l": Link("gone")}))))
    contents(archive)
    assert ("link_without_file", "a/l") in [(finding.finding, finding.member_path) for finding in archive.findings]


def test_a_member_below_a_link_is_refused(tmp_path):
    path = write_bytes(tmp_path, zst(tar_bytes({"real/x": b"1", "link": Link("real"), "link/y": b"2"})))
    assert "'link/y' lies below the link 'link'" in str(refusal(Archive(path)))


def test_a_member_of_a_hundred_gigabytes_is_refused_by_its_header(tmp_path):
    info = tarfile.TarInfo("huge")
    info.size = 100 << 30
    path = write_bytes(tmp_path, zst(info.tobuf(tarfile.GNU_FORMAT)))
    assert "'huge' has 107374182400 bytes" in str(refusal(Archive(path)))


def test_limits_name_themselves(tmp_path):
    path = write_archive(tmp_path, MEMBERS)
    assert "limit members" in str(refusal(Archive(path, Limits(members=2))))
    assert "limit manifest_bytes" in str(refusal(Archive(path, Limits(manifest_bytes=100))))
    assert "limit decompressed_bytes" in str(refusal(Archive(path, Limits(decompressed_bytes=KIB))))


def test_progress_counts_compressed_bytes_up_to_the_total(tmp_path):
    seen = []
    path = write_archive(tmp_path, MEMBERS)
    contents(Archive(path, progress=lambda done, total: seen.append((done, total))))
    size = path.stat().st_size
    assert seen[-1] == (size, size)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_a_tree_is_known_by_its_content(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    for root in (one, two):
        write_tree(root, with_manifest(MEMBERS))
    first, second = Archive(one), Archive(two)
    contents(first)
    contents(second)
    assert first.sha256 == second.sha256
    (two / "paper/x").write_bytes(b"q" * 90_000)
    assert "'paper/x' has SHA-256" in str(refusal(third := Archive(two)))
    assert third.sha256 != first.sha256


def test_a_missing_archive_is_told_plainly(tmp_path):
    with pytest.raises(EvidenceError, match="cannot be opened"):
        contents(Archive(tmp_path / "none.tar.zst"))


@given(data=st.data())
@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_archive_loads_identically_or_is_refused(tmp_path, data):
    """With no digest known, manifest, checksums and end blocks alone must catch every cut and every flipped bit."""
    good = zst(tar_bytes(with_manifest(linked_attempt())), frame_bytes=3000)
    expected = contents(Archive(write_bytes(tmp_path, good, sidecar=False)))
    bad = bytearray(good)
    if data.draw(st.booleans(), label="cut"):
        del bad[data.draw(st.integers(0, len(good) - 1)) :]
    else:
        bad[data.draw(st.integers(0, len(good) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    try:
        found = contents(Archive(write_bytes(tmp_path, bytes(bad), sidecar=False)))
    except EvidenceError:
        return
    assert found == expected


def test_memory_stays_bounded_for_a_large_member(tmp_path):
    """A member far above the piece size passes in pieces: no piece, and so no copy, is larger."""
    size = 40 * MIB
    path = write_archive(tmp_path, {f"{SLOT}/attempt-1/gpu-memory-1.csv": b"0,1\n" * (size // 4)})
    largest = 0
    for piece in Archive(path, Limits(ratio_floor_bytes=1 << 40)).pieces(lambda member: Delivery.STREAM):
        largest = max(largest, len(piece.data or b""))
    assert largest == Limits().trace_piece_bytes

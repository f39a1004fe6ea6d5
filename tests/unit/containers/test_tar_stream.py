"""The tar reader sees what `tarfile` sees, and refuses more."""

import io
import tarfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.containers.member import FILE, HARDLINK, SYMLINK
from loaders.containers.tar_stream import tar_members
from loaders.errors import EvidenceError
from loaders.limits import DEFAULTS, Limits
from tests.synthetic_archive import HardLink, Link, member, tar_bytes

FORMS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}
PARTS = st.text(
    st.characters(codec="utf-8", exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=40
)
NAMES = st.lists(PARTS.filter(lambda part: part not in (".", "..")), min_size=1, max_size=6).map("/".join)


def read(data: bytes, block: int = 1 << 20, limits: Limits = DEFAULTS) -> list[tuple]:
    """Path, kind, link target, header offset and content of every member."""
    blocks = (data[start : start + block] for start in range(0, len(data), block))
    return [
        (found.path, found.kind, found.link_target, found.offset, b"".join(content(7)) if found.kind == FILE else b"")
        for found, content in tar_members(blocks, "demo.tar", limits)
    ]


def by_tarfile(data: bytes) -> list[tuple]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        return [
            (
                "/".join(part for part in info.name.split("/") if part not in ("", ".")),
                "file" if info.isreg() else "symlink" if info.issym() else "hardlink" if info.islnk() else "directory",
                info.offset,
                archive.extractfile(info).read() if info.isreg() else b"",
            )
            for info in archive
        ]


@given(
    members=st.dictionaries(NAMES, st.binary(max_size=1500), max_size=8),
    form=st.sampled_from(sorted(FORMS)),
    block=st.sampled_from([100, 512, 4096, 1 << 20]),
)
@settings(deadline=None, max_examples=60)
def test_any_archive_of_tarfile_is_read_as_tarfile_reads_it(members, form, block):
    try:
        data = tar_bytes(members, FORMS[form])
    except ValueError:
        return  # the name does not fit into a ustar header
    assert [(path, kind, offset, content) for path, kind, _, offset, content in read(data, block)] == by_tarfile(data)


@given(where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7), form=st.sampled_from(sorted(FORMS)))
@settings(deadline=None, max_examples=200)
def test_a_damaged_archive_is_refused_or_read_as_tarfile_reads_it(where, bit, form):
    content = {"a/b": b"x" * 700, f"{'n' * 60}/{'m' * 60}": b"long", "c": b""}
    data = bytearray(tar_bytes(content, FORMS[form]))
    data[int(where * len(data))] ^= 1 << bit
    try:
        ours = read(bytes(data))
    except EvidenceError:
        return
    assert [(path, kind, offset, content) for path, kind, _, offset, content in ours] == by_tarfile(bytes(data))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_links_keep_their_targets(form):
    data = tar_bytes({"s/a/t.json": b"{}", "s/t.json": Link("a/t.json"), "hard": HardLink("s/a/t.json")}, form)
    assert [(path, kind, target) for path, kind, target, _, _ in read(data)] == [
        ("s/a/t.json", FILE, None),
        ("s/t.json", SYMLINK, "s/a/t.json"),
        ("hard", HARDLINK, "s/a/t.json"),
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("device", tarfile.CHRTYPE),
        ("disk", tarfile.BLKTYPE),
        ("pipe", tarfile.FIFOTYPE),
        ("old", tarfile.CONTTYPE),
        ("odd", b"Z"),
    ],
)
def test_other_kinds_of_member_are_refused(name, kind):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        archive.addfile(member(name, b"", kind)[0])
    with pytest.raises(EvidenceError, match=f"{name}.*only files, folders and links are allowed"):
        read(out.getvalue())


@pytest.mark.parametrize("name", ["/outside", "../outside", "a/../../outside"])
def test_an_unsafe_name_names_its_offset(name):
    with pytest.raises(EvidenceError, match="at byte 1024") as refusal:
        read(tar_bytes([("good", b"x"), (name, b"")]))
    assert refusal.value.blocks


@pytest.mark.parametrize("link", [Link, HardLink])
@pytest.mark.parametrize("target", ["/outside", "../../outside"])
def test_an_unsafe_link_is_refused(link, target):
    with pytest.raises(EvidenceError, match="inside/link"):
        read(tar_bytes([("inside/link", link(target))]))


def test_an_archive_without_its_end_is_refused():
    whole = tar_bytes({"a": b"x" * 600})
    for end in (0, 100, 512, 700, 1536, 1536 + 512):
        with pytest.raises(EvidenceError, match="before its end-of-archive blocks"):
            read(whole[:end])
    assert len(read(whole[: 1536 + 1024])) == 1


def test_one_zero_block_is_no_end():
    whole = tar_bytes({"a": b"x"})
    with pytest.raises(EvidenceError, match="not followed by a second"):
        read(whole[:1024] + bytes(512) + whole[:1024] + bytes(1024))


def test_bytes_behind_the_end_are_refused():
    with pytest.raises(EvidenceError, match="bytes follow the end-of-archive blocks"):
        read(tar_bytes({"a": b"x"}) + tar_bytes({"b": b"x"}))


def test_a_header_with_a_wrong_checksum_is_refused():
    data = bytearray(tar_bytes({"a": b"x"}))
    data[0] = ord("b")
    with pytest.raises(EvidenceError, match="checksum of the tar header at byte 0"):
        read(bytes(data))


def test_a_global_header_may_not_rename_members():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"path": "x"}) as archive:
        archive.addfile(*[member("a", b"")[0]])
    with pytest.raises(EvidenceError, match="global header"):
        read(out.getvalue())


def test_a_sparse_file_is_refused():
    info, _ = member("a", b"")
    info.pax_headers = {"GNU.sparse.major": "1"}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info)
    with pytest.raises(EvidenceError, match="sparse"):
        read(out.getvalue())


def test_a_link_that_carries_content_is_refused():
    out = io.BytesIO()
    info, _ = member("a", Link("b"))
    info.size = 5
    out.write(info.tobuf(tarfile.USTAR_FORMAT) + bytes(512) + bytes(1024))
    with pytest.raises(EvidenceError, match="carries 5 bytes"):
        read(out.getvalue())


def test_long_names_and_headers_have_limits():
    with pytest.raises(EvidenceError, match="limit path_bytes"):
        read(tar_bytes({"n" * 200: b""}), limits=Limits(path_bytes=150))
    with pytest.raises(EvidenceError, match="limit header_bytes"):
        read(tar_bytes({"n" * 5000: b""}), limits=Limits(header_bytes=1000))


def test_sizes_from_eight_gigabytes_on_are_understood():
    info, _ = member("big", b"")
    info.size = 9 << 30
    data = info.tobuf(tarfile.GNU_FORMAT)
    found, _ = next(tar_members([data], "demo.tar", Limits()))
    assert found.size == 9 << 30

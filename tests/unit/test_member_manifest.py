"""Members and manifest agree in both directions (bad input A7)."""

import pytest

from loaders.containers.member import Member
from loaders.errors import EvidenceError
from loaders.member_manifest import Entry, check_members, read_manifest, resolve

HEADER = b"path,category,size_bytes,sha256\n"
DIGEST = "0" * 64


def test_a_manifest_is_read_by_path():
    assert read_manifest(HEADER + f'"a,b",curated_benchmark,5,{DIGEST}\n'.encode(), "m") == {
        "a,b": Entry("curated_benchmark", 5, DIGEST)
    }


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "header is None"),
        (b"path,size\n", "expected"),
        (HEADER + b"a,c,5\n", ":2: 3 fields"),
        (HEADER + f"a,c,-5,{DIGEST}\n".encode(), "no readable size"),
        (HEADER + f"a,c,5,{DIGEST.upper().replace('0', 'F')}\n".encode(), "no readable size"),
        (HEADER + f"a,c,5,{DIGEST}\n./a,c,5,{DIGEST}\n".encode(), ":3: 'a' is listed twice"),
        (HEADER + f"../a,c,5,{DIGEST}\n".encode(), "climbs"),
        (HEADER + b"\xff\n", "not readable as UTF-8"),
    ],
)
def test_a_manifest_that_cannot_be_trusted_is_refused(content, told):
    with pytest.raises(EvidenceError, match=told):
        read_manifest(content, "m")


def test_every_kind_of_disagreement_is_named():
    members = {
        "right": Member("right", "file", 5, sha256=DIGEST),
        "longer": Member("longer", "file", 6, sha256=DIGEST),
        "other": Member("other", "file", 5, sha256="1" * 64),
        "extra": Member("extra", "file", 5, sha256=DIGEST),
        "dangling": Member("dangling", "symlink", 0, link_target="gone"),
        "folder": Member("folder", "directory", 0),
        "paper/artifact_manifest.md": Member("paper/artifact_manifest.md", "file", 1, sha256=DIGEST),
    }
    entries = {path: Entry("c", 5, DIGEST) for path in ("right", "longer", "other", "dangling", "absent")}
    with pytest.raises(EvidenceError) as refusal:
        check_members(members, entries, "demo")
    told = str(refusal.value)
    assert "5 members disagree" in told
    for part in (
        "'absent' is listed but absent",
        "'extra' is not listed",
        "'longer' has 6 bytes, listed with 5",
        "'other' has SHA-256 1111",
        "'gone'",
    ):
        assert part in told


def test_a_link_is_proved_by_the_content_it_leads_to():
    members = {"a": Member("a", "file", 5, sha256=DIGEST), "l": Member("l", "symlink", 0, link_target="a")}
    check_members(members, {"a": Entry("c", 5, DIGEST), "l": Entry("c", 5, DIGEST)}, "demo")


def test_links_in_a_circle_lead_nowhere():
    members = {"a": Member("a", "symlink", 0, link_target="b"), "b": Member("b", "symlink", 0, link_target="a")}
    assert resolve(members, "a") is None

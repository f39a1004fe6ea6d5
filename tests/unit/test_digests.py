"""Manifests in every shape of the release say the same thing, and a file that is not the promised one is named."""

import hashlib
import json
from pathlib import Path

import pytest

from loaders.digests import MEMBER_MANIFEST, Promise, check, read_promises, sha256_of
from loaders.errors import EvidenceError

HEX = hashlib.sha256(b"a\n").hexdigest()


def promises(folder: Path, manifest: str, text: str) -> dict[str, list[Promise]]:
    path = folder / manifest
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return read_promises(folder)


@pytest.mark.parametrize(
    ("manifest", "text", "covered", "size"),
    [
        (
            "benchmark/manifest.json",
            json.dumps({"algorithm": "sha256", "files": {"a.csv": {"sha256": HEX, "size_bytes": 2}}}),
            "benchmark/a.csv",
            2,
        ),
        (
            "benchmark/manifest.json",
            json.dumps({"algorithm": "sha256", "files": {"a.csv": HEX}}),
            "benchmark/a.csv",
            None,
        ),
        ("x/output_manifest.json", json.dumps({"a.csv": {"sha256": HEX, "size_bytes": 2}}), "x/a.csv", 2),
        (
            "x/source-provenance.json",
            json.dumps({"source_commit": "c", "files": {"a.csv": {"sha256": HEX, "size_bytes": 2}}}),
            "x/a.csv",
            2,
        ),
        ("x/a.csv.sha256", f"{HEX}\n", "x/a.csv", None),
        ("x/locked.sha256", f"{HEX} *a.csv\n", "x/a.csv", None),
        ("MANIFEST.sha256", f"{HEX.upper()}  ./x/a.csv\n\n", "x/a.csv", None),
        (MEMBER_MANIFEST, f"path,category,size_bytes,sha256\nx/a.csv,c,2,{HEX}\n", "x/a.csv", 2),
    ],
)
def test_every_shape_of_manifest_is_read(tmp_path: Path, manifest: str, text: str, covered: str, size: int | None):
    assert promises(tmp_path, manifest, text) == {covered: [Promise(HEX, size, manifest)]}


@pytest.mark.parametrize(
    ("manifest", "text", "problem"),
    [
        ("manifest.json", "[]", "not a JSON object"),
        ("manifest.json", "{", "none of the known manifest shapes"),
        ("manifest.json", '{"algorithm": "md5", "files": {}}', "its algorithm is 'md5'"),
        ("manifest.json", '{"files": {"a.csv": "abc"}}', "not 64 hexadecimal digits"),
        ("manifest.json", json.dumps({"files": {"../a.csv": HEX}}), "a path outside its folder"),
        ("manifest.json", json.dumps({"files": {"/a.csv": HEX}}), "a path outside its folder"),
        ("manifest.json", json.dumps({"files": {"a.csv": 3}}), "none of the known manifest shapes"),
        ("MANIFEST.sha256", "hello\n", "line 1 is 'hello'"),
    ],
)
def test_a_manifest_that_cannot_be_read_blocks(tmp_path: Path, manifest: str, text: str, problem: str):
    with pytest.raises(EvidenceError, match=problem) as caught:
        promises(tmp_path, manifest, text)
    assert caught.value.blocks


def test_a_file_must_meet_every_promise(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"a\n")
    sha256, size = sha256_of(tmp_path / "a")
    assert (sha256, size) == (HEX, 2)
    check("a", sha256, size, [Promise(HEX, 2, "m"), Promise(HEX, None, "n")])
    with pytest.raises(EvidenceError, match=r"n promises 0{64} \(any size\)"):
        check("a", sha256, size, [Promise(HEX, 2, "m"), Promise("0" * 64, None, "n")])
    with pytest.raises(EvidenceError, match=r"promises .* \(3 bytes\)"):
        check("a", sha256, size, [Promise(HEX, 3, "m")])

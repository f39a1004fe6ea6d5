"""The digest is settled before a byte is parsed (bad input A1)."""

import json

import pytest

from loaders.errors import EvidenceError
from loaders.proofs import Expectation, expected_digest, read_release_record, read_sidecar

ONE, TWO = "a1" * 32, "b2" * 32


@pytest.mark.parametrize(
    "text",
    [
        ONE,
        f"{ONE}\n",
        f"{ONE}  x.tar.zst\n",
        f"{ONE} *releases/x.tar.zst\r\n",
        f"\ufeff{ONE.upper()}  x.tar.zst",
        f"SHA256 (x.tar.zst) = {ONE}\n",
        f"# made by hand\n{TWO}  y.tar.zst\n{ONE}  x.tar.zst\n",
    ],
)
def test_a_sidecar_of_any_usual_form_is_understood(text):
    assert read_sidecar(text.encode(), "x.tar.zst.sha256", "x.tar.zst") == ONE


@pytest.mark.parametrize("text", ["", "not a digest", ONE[:-1], f"{ONE}\n{TWO}\n"])
def test_a_sidecar_without_one_digest_is_refused(text):
    with pytest.raises(EvidenceError, match="expected one"):
        read_sidecar(text.encode(), "x.tar.zst.sha256", "x.tar.zst")


@pytest.mark.parametrize(
    "record",
    [
        {"archive": {"path": "releases/x.tar.zst", "sha256": ONE, "size_bytes": 5}},
        {"archives": [{"path": "releases/y.tar.zst", "sha256": TWO}, {"path": "releases/x.tar.zst", "sha256": ONE}]},
        {"archives": {"x.tar.zst": {"sha256": ONE}, "y.tar.zst": {"sha256": TWO}}},
        {"archives": {"releases/x.tar.zst": ONE.upper(), "y.tar.zst": TWO}},
    ],
)
def test_a_release_record_of_any_shape_is_understood(record):
    assert read_release_record(json.dumps(record).encode(), "release.json", "x.tar.zst") == ONE


def test_a_release_record_of_other_archives_says_nothing():
    assert (
        read_release_record(
            b'{"archive": {"path": "y.tar.zst", "sha256": "%s"}}' % ONE.encode(), "release.json", "x.tar.zst"
        )
        is None
    )


def test_a_release_record_above_the_archive_is_found(tmp_path):
    (tmp_path / "releases").mkdir()
    (tmp_path / "release.json").write_text(json.dumps({"archive": {"path": "releases/x.tar.zst", "sha256": ONE}}))
    assert expected_digest(tmp_path / "releases" / "x.tar.zst") == Expectation(ONE, "release.json")


def test_sources_that_disagree_are_refused(tmp_path):
    (tmp_path / "x.tar.zst.sha256").write_text(ONE)
    with pytest.raises(EvidenceError, match="given says b2.*sidecar says a1"):
        expected_digest(tmp_path / "x.tar.zst", TWO)


def test_half_a_digest_is_no_digest(tmp_path):
    with pytest.raises(EvidenceError, match="not 64 hexadecimal digits"):
        expected_digest(tmp_path / "x.tar.zst", ONE[:32])

"""An extracted tree is read by the same rules as an archive."""

import os

import pytest

from loaders.containers.tree import open_tree, tree_members
from loaders.errors import EvidenceError
from loaders.limits import Limits
from tests.synthetic_archive import Link, write_tree


def test_members_come_sorted_and_links_stay_links(tmp_path):
    write_tree(tmp_path, {"b/x": b"1", "a/t.json": b"22", "a/link": Link("t.json")})
    members = tree_members(tmp_path, Limits())
    assert [(member.path, member.kind, member.size, member.link_target) for member in members] == [
        ("a", "directory", 0, None),
        ("a/link", "symlink", 0, "a/t.json"),
        ("a/t.json", "file", 2, None),
        ("b", "directory", 0, None),
        ("b/x", "file", 1, None),
    ]


def test_a_link_out_of_the_tree_is_refused(tmp_path):
    write_tree(tmp_path / "tree", {"a/link": Link("../../secret")})
    with pytest.raises(EvidenceError, match="leads outside"):
        tree_members(tmp_path / "tree", Limits())


def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(EvidenceError, match="neither a file nor a folder nor a link"):
        tree_members(tmp_path, Limits())


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path):
    write_tree(tmp_path, {"a": b"12345"})
    members = tree_members(tmp_path, Limits())
    (tmp_path / "a").write_bytes(b"1234567")
    with pytest.raises(EvidenceError, match="changed while it was read"):
        for _, content in open_tree(tmp_path, members, lambda size: None):
            list(content(3))


def test_too_many_members_are_refused(tmp_path):
    write_tree(tmp_path, {str(number): b"" for number in range(5)})
    with pytest.raises(EvidenceError, match="limit members"):
        tree_members(tmp_path, Limits(members=4))

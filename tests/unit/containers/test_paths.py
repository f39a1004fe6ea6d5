"""The path and link rules of release format 1.2 (bad input A4)."""

import pytest

from loaders.containers.paths import UnsafePath, link_target, member_path


@pytest.mark.parametrize("name", [b"/outside", b"../outside", b"a/../../outside", b"a/..", b"..", b"//x", b"\xff"])
def test_an_unsafe_name_is_refused(name):
    with pytest.raises(UnsafePath):
        member_path(name)


@pytest.mark.parametrize(
    ("name", "path"),
    [(b"./a", "a"), (b"a//b/./c", "a/b/c"), (b"a/", "a"), (b"./", ""), (b"...", "..."), ("ü".encode(), "ü")],
)
def test_a_safe_name_is_normalised(name, path):
    assert member_path(name) == path


@pytest.mark.parametrize("symbolic", [True, False])
@pytest.mark.parametrize("target", [b"/outside", b"../../outside", b"", b"\xff", b"a/../../../b"])
def test_a_link_that_leads_out_is_refused(target, symbolic):
    with pytest.raises(UnsafePath):
        link_target("inside/link", target, symbolic)


def test_a_symbolic_link_counts_from_its_folder():
    assert link_target("inside/link", b"../trial.json", symbolic=True) == "trial.json"


def test_a_hard_link_counts_from_the_root():
    assert link_target("inside/link", b"inside/trial.json", symbolic=False) == "inside/trial.json"
    with pytest.raises(UnsafePath):
        link_target("inside/link", b"../trial.json", symbolic=False)

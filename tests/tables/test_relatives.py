"""Related sequences are found, strangers and repeats are not, and options are never ignored."""

import tracemalloc

import numpy as np
import pytest

from helpers_cli import mercer
from mercer.app.sequences import check_sequences
from mercer.datasets import load_promoters, load_splice
from mercer.tables.relatives import find_relatives, folds_of_families


def random_dna(rng, n, length):
    return np.array(["".join(row) for row in rng.choice(list("ACGT"), (n, length))], dtype=object)


def test_strangers_have_no_relatives():
    rng = np.random.default_rng(0)
    for n, length in ((60, 80), (400, 300)):
        assert find_relatives(random_dna(rng, n, length)).related == 0


def test_overlapping_windows_are_one_family():
    rng = np.random.default_rng(1)
    genome = "".join(rng.choice(list("ACGT"), 400))
    windows = [genome[i : i + 100] for i in range(0, 300, 60)]
    things = np.array([*windows, *random_dna(rng, 10, 100)], dtype=object)
    found = find_relatives(things)
    assert len(set(found.groups[:5])) == 1
    assert found.related == 5
    (said,) = check_sequences(things, np.arange(1, 16), grouped=False)
    assert said.code == "related"
    assert said.message.startswith("5 of 15 sequences share a stretch")


def test_repeats_of_a_unit_do_not_make_relatives():
    rng = np.random.default_rng(2)
    things = random_dna(rng, 20, 60)
    for i, unit in enumerate(["A", "CA", "CAG"] * 4):
        things[i] = things[i][:30] + unit * 20
    assert find_relatives(things).related == 0


def test_real_sets():
    promoters = find_relatives(load_promoters().X)
    others = load_promoters().labels == "other"
    sizes = np.bincount(promoters.groups)[promoters.groups]
    assert np.count_nonzero(sizes[others] > 1) >= 45  # windows of one piece of DNA
    codes = {f.code for f in check_sequences(load_splice().X, np.arange(1, 3191), False)}
    assert codes == {"duplicates", "related"}


def test_kernels_are_chosen_without_relatives_across_folds(tmp_path):
    """A kernel that recognises the piece of DNA does not win over one that knows promoters."""
    wishes = ("--kernel", "spectrum:length=6+weighted_degree:length=5", "--report", "none")
    found = mercer("fit", load_promoters().file, *wishes, "-o", tmp_path / "out")
    assert "Weighted degree SVC" in found.out
    assert "weighted_degree" in found.out  # among the kernels searched, as --kernel takes it
    rng = np.random.default_rng(3)
    assert folds_of_families(random_dna(rng, 40, 60), np.repeat([0, 1], 20)) is None


def test_one_very_long_sequence_costs_no_more_than_itself():
    rng = np.random.default_rng(4)
    things = np.array(["".join(rng.choice(list("ACGT"), 30)) for _ in range(3000)], dtype=object)
    things[0] = "".join(rng.choice(list("ACGT"), 1_000_000))
    things[5] = things[4]
    tracemalloc.start()
    found = check_sequences(things, np.arange(1, 3001), True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [f.code for f in found] == ["duplicates"]
    assert found[0].rows == (6,)
    assert peak < 50e6  # 3000 x 1,000,000 letters side by side would be 12 GB


def test_empty_and_short():
    things = np.array(["A", "C", "ACGT"], dtype=object)
    assert find_relatives(things).related == 0


def test_group_related_keeps_families_together(tmp_path):
    wishes = ("--group", "related", "--kernel", "weighted_degree", "--report", "none")
    found = mercer("fit", load_promoters().file, *wishes, "-o", tmp_path / "out")
    assert found.code == 0
    assert "whole groups" in (found.out + found.err)
    assert "57 symbols, 4 different: A C G T" in " ".join((found.out + found.err).split())
    assert "NEW.fasta" in (found.out + found.err)


@pytest.mark.parametrize("option", ["--group", "--order", "--ignore"])
def test_options_that_name_columns_are_refused(option, tmp_path):
    found = mercer("fit", load_promoters().file, option, "patient", "-o", tmp_path / "out")
    assert found.code == 3
    assert "--group related" in (found.out + found.err)


@pytest.mark.parametrize("kernel", ["mismatch", "spectrum:length=4+weighted_degree"])
def test_string_kernels_can_be_named(kernel, tmp_path):
    wishes = ("--kernel", kernel, "--report", "none", "--certify", "holdout")
    found = mercer("fit", load_promoters().file, *wishes, "-o", tmp_path / "out")
    assert found.code == 0


def test_a_kernel_for_numbers_is_refused_with_the_names_of_others(tmp_path):
    found = mercer("fit", load_promoters().file, "--kernel", "gaussian", "-o", tmp_path / "out")
    assert found.code == 2
    assert "Gaussian does not compare strings" in found.err
    assert "spectrum" in found.err


def test_inspect_describes_sequences(tmp_path):
    found = mercer("inspect", load_promoters().file)
    assert "106 sequences" in found.out
    assert "57 symbols, 4 different: A C G T" in found.out
    assert "labels: other 53, promoter 53" in found.out
    assert "--group related" in found.out
    (tmp_path / "plain.fasta").write_text(">a\nACGT\n>b\nACGG\n")
    assert "no labels" in mercer("inspect", tmp_path / "plain.fasta").out
    refused = mercer("fit", tmp_path / "plain.fasta", "-o", tmp_path / "out")
    assert (refused.code, "'>name label'" in refused.err) == (3, True)

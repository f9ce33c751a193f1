"""FASTA, FASTQ and one string per line: labels, gaps, compression and damaged files."""

import gzip

import pytest

from mercer.errors import DataError
from mercer.io.readers import read

FASTA = """>one promoter
acgt
ACGT

>two other
; a comment
TTTT
>three promoter
AC-G
>four other
NNNN
>five other
>six promoter
GG
"""


def test_fasta_with_labels_and_an_empty_sequence(tmp_path):
    path = tmp_path / "a.fasta"
    path.write_text(FASTA)
    data = read(path)
    assert data.kind == "objects"
    assert data.objects.tolist() == ["ACGTACGT", "TTTT", "AC-G", "NNNN", "GG"]
    assert data.labels.tolist() == ["promoter", "other", "promoter", "other", "promoter"]
    assert data.dropped == [(5, "'five other' has no sequence")]
    assert data.rows_read == 6


@pytest.mark.parametrize(
    ("header", "label"), [("a|x|{}", "{}"), ("a label={} more", "{}"), ("a CLASS:{}", "{}")]
)
def test_labels_in_other_places(tmp_path, header, label):
    path = tmp_path / "a.fa"
    lines = [f">{header.format(k % 2)}\nACGT" for k in range(8)]
    path.write_text("\n".join(lines))
    assert read(path).labels.tolist() == [label.format(k % 2) for k in range(8)]


def test_descriptions_are_not_labels(tmp_path):
    path = tmp_path / "a.fa"
    path.write_text("\n".join(f">name{k} note{k}\nACGT" for k in range(8)))
    assert read(path).labels is None


def test_compressed_and_without_a_telling_name(tmp_path):
    path = tmp_path / "reads.gz"
    path.write_bytes(gzip.compress(FASTA.encode()))
    assert read(path).format == "fasta"
    path.write_bytes(gzip.compress(b"@a x\nACGT\n+\nIIII\n@b y\nTT\n+\nII\n"))
    data = read(path)
    assert data.format == "fastq"
    assert data.objects.tolist() == ["ACGT", "TT"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.fasta", "ACGT\n>a\nACGT\n", "line 1 of a.fasta comes before"),
        ("a.fasta", ">a\nAC9T\n", "line 2, place 3"),
        ("a.fasta", "; nothing\n", "no sequences"),
        ("a.fastq", "@a\nACGT\n+\nIII\n", "3 qualities for 4 letters"),
        ("a.fastq", "@a\nACGT\n+\n", "ends inside the read"),
        ("a.fastq", "a\nACGT\n+\nIIII\n", "line 1"),
    ],
)
def test_damaged_files_say_where(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        read(path)


def test_lines(tmp_path):
    path = tmp_path / "words.lines"
    path.write_text("one string\n\nnaïve: ä\n")
    data = read(path)
    assert data.objects.tolist() == ["one string", "naïve: ä"]
    assert data.dropped == [(2, "the line is blank")]
    path = tmp_path / "sms.txt"
    path.write_text("ham\thello you\nspam\twin, now\nham\tsee\tyou\nspam\tfree\nham\tok\nham\tgo\n")
    data = read(path, format="lines")
    assert data.labels.tolist() == ["ham", "spam", "ham", "spam", "ham", "ham"]
    assert data.objects[2] == "see\tyou"

"""Inputs that a search guided by coverage has kept, tried again (benchmarks/faults/inputs.py)."""

import shutil
import subprocess
import zipfile

import pytest
from benchmarks.faults import compiled, inputs
from benchmarks.faults.inputs import CORPUS, Reached, one, replayed, stored

import mercer


@pytest.mark.parametrize("target", sorted(inputs.WORK))
def test_the_kept_inputs_are_read_or_refused_with_words(target):
    assert len(stored(target)) > 10
    with mercer.config(memory_limit="200MB"):
        assert replayed(target) == []


def test_an_error_for_nobody_is_a_finding(monkeypatch):
    def careless(content):
        return content[3]

    monkeypatch.setitem(inputs.WORK, "readers", careless)
    assert one("readers", b"abcd") is None
    assert one("readers", b"abc").startswith("IndexError")


def test_inputs_that_reach_other_lines_are_told_from_the_same_again():
    reached = Reached()
    assert reached.new("readers", b"a,b\n1,2\n3,4\n") == (None, True)
    assert reached.new("readers", b"a,b\n1,2\n3,4\n") == (None, False)
    assert reached.new("readers", b"1 1:0.5\n-1 2:1\n") == (None, True)


@pytest.mark.parametrize("target", sorted(compiled.SOURCES))
def test_the_kept_inputs_of_the_compiled_core(tmp_path, target):
    """Without a fuzzer: its target, called with every input, agrees with its slow twins."""
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no compiler here")
    with zipfile.ZipFile(CORPUS / f"{compiled.corpus(target)}.zip") as box:
        box.extractall(tmp_path / "inputs")
    main = tmp_path / "main.cpp"
    main.write_text(
        "#include <cstdint>\n#include <fstream>\n#include <iterator>\n#include <vector>\n"
        'extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t);\n'
        "int main(int n, char** names) {\n"
        "  for (int i = 1; i < n; ++i) {\n"
        "    std::ifstream file(names[i], std::ios::binary);\n"
        "    std::vector<char> all{std::istreambuf_iterator<char>(file), {}};\n"
        "    LLVMFuzzerTestOneInput((const uint8_t*)all.data(), all.size());\n  }\n}\n"
    )
    sources = [compiled.CORE / source for source in compiled.SOURCES[target]]
    subprocess.run([compiler, "-O0", *compiled.FLAGS, "-o", tmp_path / "program", main, *sources],
                   check=True)  # fmt: skip
    names = sorted((tmp_path / "inputs").iterdir())
    assert len(names) > 50
    subprocess.run([tmp_path / "program", *names], check=True)

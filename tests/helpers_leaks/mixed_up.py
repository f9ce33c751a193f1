"""A certificate of one model, shown as that of another."""

import json
import tempfile
from pathlib import Path

import mercer
from helpers_cli import mercer as command
from helpers_leaks import Claim, noise, tidy, way
from helpers_leaks.clean_files import clouds
from mercer import report
from mercer.io.model_file import open_model
from mercer.learners import LogisticClassifier


def _easy(rng, n=150):
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] > 0) * 1


def _shown(path):
    """What ``mercer certify MODEL`` shows, as a claim about a model of coin flips."""
    ran = command("certify", path, "--json")
    if ran.code:
        return None
    document = json.loads(ran.out)
    return Claim(document["value"], 0.5, clean=not document.get("found"))


@way(draws=1, delta=0.0)
def notes_of_another_model_in_a_file(rng):
    """``about`` was taken over from the file of a better model."""
    good = mercer.certified_fit(LogisticClassifier(), *_easy(rng), random_state=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mercer"
        mercer.save(good, path, {"certificate": good.certificate_.to_dict()})
        about = open_model(path).about
        mercer.save(LogisticClassifier(certify=None).fit(*noise(rng, 80, 3)), path, about)
        return _shown(path)


def _reported(model, certificate):
    document = report.build(model, certificate=certificate)
    found = document["sections"]["certificate"]["certificate"]
    return Claim(found["value"], 0.5, clean=not found.get("found"))


@way()
def report_with_the_certificate_of_another_model(rng):
    good = LogisticClassifier().fit(*_easy(rng))
    certificate = mercer.certify(good, *_easy(rng))
    return _reported(mercer.SVC().fit(*noise(rng, 80, 3)), certificate)


@way()
def report_of_a_model_fitted_anew(rng):
    model = LogisticClassifier().fit(*_easy(rng))
    certificate = mercer.certify(model, *_easy(rng))
    return _reported(model.fit(*noise(rng, 80, 3)), certificate)


@way()
def report_with_the_certificate_of_another_fit(rng):
    good = mercer.certified_fit(LogisticClassifier(), *_easy(rng), random_state=0)
    bad = mercer.certified_fit(LogisticClassifier(), *noise(rng, 150, 3), random_state=0)
    return _reported(bad, good.certificate_)


def _said_in(document):
    return mercer.bounds.Certificate.from_dict(document["sections"]["certificate"]["certificate"])


@tidy
def report_of_fresh_rows(rng):
    model = LogisticClassifier().fit(*clouds(rng, 100))
    certificate = mercer.certify(model, *clouds(rng, 150))
    return _said_in(report.build(model, certificate=certificate))


@tidy(share=3)
def saved_model_of_the_command_line(rng):
    X, y = clouds(rng, 100)
    rows = [f"{a:.5f},{b:.5f},{c:.5f},{'ny'[t]}" for (a, b, c), t in zip(X, y, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder) / "data.csv", Path(folder) / "out"
        data.write_text("\n".join(["a,b,c,y", *rows]) + "\n")
        quick = ("--kernel", "gaussian", "--report", "none")
        ran = command("fit", data, "--target", "y", "--output", out, *quick)
        assert ran.code == 0, ran.err
        ran = command("certify", out / "model.mercer", "--json")
        return mercer.bounds.Certificate.from_dict(json.loads(ran.out))

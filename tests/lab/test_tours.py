"""The three tours, clicked to their end: what each step says is true of what is on the screen."""

import json
import re

import pytest

from helpers_lab import STATIC, browser, complaints, running_lab, wait_for

TOURS = json.loads((STATIC / "tours.json").read_text())["tours"]
FACTS = """return Object.fromEntries([...document.querySelectorAll('main dl.facts dt')]
           .map(d => [d.textContent, d.nextElementSibling.textContent]))"""


class Page:
    """What a visitor reads and touches."""

    def __init__(self, tab):
        self.tab = tab

    def facts(self, *needed):
        """Numbers beside the picture, once those that are needed are there and rest."""

        def there():
            found = self.tab.execute_script(FACTS)
            return found if all(name in found for name in needed) else None

        last = wait_for(there, what=f"{needed}")
        while True:
            self.tab.execute_async_script("setTimeout(arguments[0], 400, true)")
            now = wait_for(there)
            if {**now, "answered in": ""} == {**last, "answered in": ""}:
                return {name: _number(text) for name, text in now.items()}
            last = now

    def until(self, condition, what):
        """Facts, once they are so."""
        wait_for(lambda: condition(self.facts()), what=what)

    def slide(self, label, value):
        """Put a slider somewhere between 0 and 1."""
        self.tab.execute_script(
            "const r = document.querySelector(`input[aria-label='${arguments[0]}']`);"
            "r.value = Number(r.min) + arguments[1] * (r.max - r.min);"
            "r.dispatchEvent(new Event('input'))",
            label, value,
        )  # fmt: skip

    def press(self, words):
        """A button by what stands on it."""
        self.tab.execute_script(
            "[...document.querySelectorAll('main button')]"
            ".find(b => b.textContent === arguments[0]).click()",
            words,
        )

    def text(self, selector):
        return self.tab.find_element("css selector", selector).text

    def touch(self, selector):
        """A mark of the picture, the first of its kind."""
        from selenium.webdriver import ActionChains

        mark = self.tab.find_elements("css selector", selector)[0]
        ActionChains(self.tab).move_to_element(mark).click().perform()


def _number(text):
    found = re.match(r"-?[\d.]+(e-?\d+)?", text)
    return text if found is None else float(found.group())


SUPPORT = ("support vectors below C", "support vectors at C")


def two_clouds(page):
    found = page.facts(*SUPPORT)
    marked = page.tab.find_elements("css selector", "svg .holds, svg .inside, svg .wrong")
    assert len(marked) == sum(found[name] for name in SUPPORT) < found["points"]


def price(page):
    before = page.facts(*SUPPORT)
    assert before["support vectors at C"] > before["points"] / 2
    page.slide("C, price of an error", 0.7)
    after = page.facts(*SUPPORT)
    assert after["margin, 1/‖w‖"] < before["margin, 1/‖w‖"]
    assert sum(after[k] for k in SUPPORT) < sum(before[k] for k in SUPPORT)


def crossed(page):
    for place in (0.2, 0.5, 0.9):
        page.slide("C, price of an error", place)
        found = page.facts("misclassified")
        assert found["misclassified"] >= found["points"] / 4


def islands(page):
    found = page.facts("misclassified", "true risk (law known)", "leave-one-out, exact")
    assert found["misclassified"] == 0
    assert found["true risk (law known)"] > 2 * found["nobody can beat"]
    assert found["leave-one-out, exact"] > 0
    page.slide("length scale", 0.45)
    page.until(lambda now: now.get("true risk (law known)", 99) < found["true risk (law known)"],
               "a smaller risk")  # fmt: skip


def one_label(page):
    page.facts("duality gap")
    page.press("flips")
    page.touch("svg circle[class='plus ']")
    wait_for(lambda: "changed its class" in page.text("#moved"), what="the leverage")
    wait_for(lambda: "α = " in page.text("#said"), what="its weight")
    assert float(page.text("#said").partition("α = ")[2].rstrip(".")) <= 1.0


def proof(page):
    found = page.facts("duality gap")
    assert 0 <= found["duality gap"] < 1e-3
    code = page.tab.execute_script("return document.querySelector('main details pre').textContent")
    assert "SVC(C=1" in code


def circle(page):
    volume = "share of all classifiers that are consistent"
    before = page.facts(volume)[volume]
    page.touch("main svg .axis")  # an empty place of the plane: a row more
    assert 0 <= page.facts(volume)[volume] <= before


def sphere(page):
    page.facts("radius of the largest ball (sine)")
    points = page.tab.find_elements("css selector", ".hands circle, .hands rect")
    circles = page.tab.find_elements("css selector", "svg .faintline")
    assert len(circles) == len(points)


def centres(page):
    page.facts("radius of the largest ball (sine)")
    words = page.tab.execute_script("return document.querySelector('main').textContent")
    assert "SVM" in words
    assert "Bayes point" in words
    assert len(page.tab.find_elements("css selector", "svg .mutedfill")) >= 100


def volume(page):
    found = page.facts("ln 1/volume, upper limit")
    first = next(value for name, value in found.items() if name.startswith("≤"))
    assert 0 < first < 100
    assert found["share of all classifiers that are consistent"] > 0


def one_rule(page):
    lucky = "the luckiest rule looks like"
    found = page.facts(lucky)
    assert abs(found[lucky] - found["true error of every rule"]) < 5
    page.slide("rules", 0.95)
    page.until(lambda now: now[lucky] < found[lucky], "a luckier rule")


def three_points(page):
    assert page.facts("labelings that can be produced")["labelings that can be produced"] == 8
    page.touch("main svg .axis")
    wait_for(lambda: page.facts()["points"] == 4, what="a fourth point")
    assert page.facts()["labelings that can be produced"] <= 14


def bars(page):
    page.facts("training error")
    shown = page.tab.execute_script(
        "return [...document.querySelectorAll('main svg g')].map(g => g.textContent)"
    )
    assert sum("≤" in words for words in shown) >= 3
    page.slide("rows", 0.2)
    wait_for(lambda: "says nothing" in page.text("main svg"), what="a bound that says nothing")


def looks(page):
    page.facts("errors on held-out rows")
    shown = page.tab.execute_script(
        "return [...document.querySelectorAll('main svg g')].map(g => g.lastChild.textContent)"
    )
    title = page.tab.execute_script(
        "return [...document.querySelectorAll('main svg g')].map(g => g.children[1].textContent)"
    )
    bounds = {name: _number(words[2:]) for name, words in zip(title, shown, strict=True)
              if words.startswith("≤")}  # fmt: skip
    assert "hold-out" in min(bounds, key=bounds.get)
    assert "Look 1 at" in page.text("main")
    for place in (0.3, 0.6, 0.8):
        page.slide("C", place)
    wait_for(lambda: "Look 4 at" in page.text("main"), what="looks to be counted")
    assert "the honest number is" in page.text("main")


def promise(page):
    page.until(lambda now: now["samples"] == 200, "all samples")
    found = page.facts()
    assert found["certificates that are wrong"] <= 0.05 * 200 + 8
    assert "holds" in page.text("#verdict")


def cheat(page):
    wait_for(lambda: page.facts()["samples"] >= 60, 120, "some samples")
    assert "broken" in page.text("#verdict")


CHECKS = {
    "Margins": [two_clouds, price, crossed, islands, one_label, proof],
    "Version space": [circle, sphere, centres, volume],
    "A certificate": [one_rule, three_points, bars, looks, promise, cheat],
}


@pytest.fixture(scope="module")
def tab():
    with running_lab() as lab, browser(1280, 1300) as tab:
        tab.get(lab.address.url())
        wait_for(lambda: tab.find_elements("css selector", "main svg"))
        tab.set_script_timeout(60)
        yield tab


@pytest.mark.slow
@pytest.mark.parametrize("tour", TOURS, ids=lambda tour: tour["title"])
def test_a_tour_is_true_to_its_end(tab, tour):
    checks = CHECKS[tour["title"]]
    assert len(checks) == len(tour["steps"])
    tab.get_log("browser")
    tab.find_element("id", "tours").click()
    place = TOURS.index(tour)
    wait_for(lambda: tab.find_elements("css selector", "dialog button"))[place].click()
    for k, (step, check) in enumerate(zip(tour["steps"], checks, strict=True), start=1):
        box = wait_for(lambda: tab.find_element("css selector", ".tour"))
        assert f"{k} of {len(checks)}" in box.text
        assert step["words"] in box.text
        view = step["at"].partition("?")[0]
        wait_for(lambda v=view: tab.find_element("css selector", "#views a[aria-current]")
                 .get_attribute("data-view") == v, what=view)  # fmt: skip
        tab.execute_script("document.querySelector('.tour').style.visibility = 'hidden'")
        check(Page(tab))
        tab.execute_script("document.querySelector('.tour').style.visibility = ''")
        box.find_element("css selector", "button.main").click()
    assert not tab.find_elements("css selector", ".tour")
    assert complaints(tab) == []

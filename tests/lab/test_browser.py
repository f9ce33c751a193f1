"""The page in a real browser: points are dragged, the line moves, the console stays silent."""

import pytest

from helpers_lab import browser, complaints, running_lab, wait_for

LINE = "return document.getElementById('decision-line')?.getAttribute('d') || ''"


@pytest.fixture(scope="module")
def page():
    with running_lab() as lab, browser() as tab:
        tab.get(lab.address.url())
        wait_for(lambda: tab.execute_script(LINE), what="a first line")
        yield lab, tab


def settle(tab):
    """Wait until the line stays what it is."""
    last = None
    for _ in range(100):
        now = wait_for(lambda: tab.execute_script(LINE))
        if now == last:
            return now
        last = now
        wait_for(lambda: tab.execute_async_script("setTimeout(arguments[0], 250, true)"))
    raise AssertionError("the line does not come to rest")


def drag(tab, selector, dx, dy):
    from selenium.webdriver import ActionChains

    mark = tab.find_element("css selector", selector)
    ActionChains(tab).click_and_hold(mark).move_by_offset(dx, dy).release().perform()


def test_the_token_leaves_the_address(page):
    lab, tab = page
    assert lab.address.token not in tab.current_url


def test_dragging_a_support_vector_moves_the_line(page):
    _, tab = page
    before = settle(tab)
    drag(tab, "svg .wrong", 60, -60)
    wait_for(lambda: tab.execute_script(LINE) != before, what="the line to move")
    wait_for(lambda: "edits=m" in tab.current_url, what="the change in the address")


def test_a_shared_address_opens_the_same_picture(page):
    _, tab = page
    before, address = settle(tab), tab.current_url
    tab.get("about:blank")
    tab.get(address)
    assert settle(tab) == before


def test_removing_a_point_far_outside_changes_nothing(page):
    _, tab = page
    settle(tab)
    outside = "svg circle[class='plus ']"
    tab.execute_script(
        "[...document.querySelectorAll('button')].find(b => b.textContent === 'removes').click()"
    )
    count = len(tab.find_elements("css selector", "svg circle, svg rect"))
    tab.find_element("css selector", outside).click()
    wait_for(lambda: "Nothing changed" in tab.find_element("id", "moved").text)
    assert len(tab.find_elements("css selector", "svg circle, svg rect")) == count - 1


def test_thirty_interactions_without_a_complaint(page):
    from selenium.webdriver.common.keys import Keys

    _, tab = page
    tab.get_log("browser")
    picture = tab.find_element("css selector", "main svg")
    picture.click()
    moves = (Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    for key in ("n", "f", *moves, "n", "p", "f", "a", *moves, Keys.DELETE, "n", "f"):
        tab.switch_to.active_element.send_keys(key)
    for slider in tab.find_elements("css selector", "input[type=range]")[:2]:
        for key in (Keys.ARROW_RIGHT,) * 6 + (Keys.ARROW_LEFT,) * 4:
            slider.send_keys(key)
    settle(tab)
    assert complaints(tab) == []
    assert "error" not in (tab.find_element("id", "said").get_attribute("class") or "")


@pytest.mark.parametrize("width", [500, 820, 1400])
def test_nothing_sticks_out_at_any_width(page, width):
    _, tab = page
    tab.set_window_size(width, 1000)
    wide, inner = tab.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert wide <= inner


VIEWS = ("version_space", "bounds", "calculator", "promise", "shattering", "large_numbers",
         "spectral", "diffusion", "strings", "distances", "data")  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_draws_without_a_complaint(page, view):
    """At tablet width, in the theme that is on: a picture or a form, and a silent console."""
    _, tab = page
    tab.get_log("browser")
    tab.set_window_size(820, 1100)
    tab.execute_script("location.hash = arguments[0]", view)
    drawn = "main svg circle, main svg rect, main svg path, main .drop"
    wait_for(lambda: tab.find_elements("css selector", drawn), 60, f"{view} to draw")
    title = tab.find_element("css selector", "#views a[aria-current]").get_attribute("data-view")
    assert title == view
    wide, inner = tab.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert wide <= inner
    assert complaints(tab) == []
    assert "error" not in (tab.find_element("id", "said").get_attribute("class") or "")


SMALLEST = """return Math.min(...[...document.querySelectorAll('main .picture text')]
              .map(t => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a))"""


@pytest.mark.parametrize("view", ["margins", "version_space", *VIEWS[1:-1]])
def test_letters_in_pictures_can_be_read_on_a_narrow_page(page, view):
    _, tab = page
    tab.set_window_size(520, 1100)
    tab.execute_script("location.hash = 'data'")
    wait_for(lambda: tab.find_elements("css selector", "main .drop"))
    tab.execute_script("location.hash = arguments[0]", view)
    wait_for(lambda: tab.find_elements("css selector", "main .picture text"), 60, f"{view} to draw")
    assert tab.execute_script(SMALLEST) >= 9


WHERE = """const mark = document.querySelector("svg.plane circle");
           mark.scrollIntoView({block: "center"});
           const box = mark.getBoundingClientRect();
           return [(box.left + box.right) / 2, (box.top + box.bottom) / 2]"""


def test_a_finger_beside_a_point_takes_it(page):
    """Fingertips are wider than points; a mouse that far away adds one."""
    from selenium.webdriver.common.actions.action_builder import ActionBuilder
    from selenium.webdriver.common.actions.pointer_input import PointerInput

    _, tab = page
    tab.set_window_size(820, 1300)
    tab.execute_script("location.hash = 'shattering'")
    marks = "svg.plane circle"
    wait_for(lambda: len(tab.find_elements("css selector", marks)) == 3)
    for kind, count in (("touch", 3), ("mouse", 4)):
        x, y = tab.execute_script(WHERE)
        actions = ActionBuilder(tab, mouse=PointerInput(kind, kind))
        pointer = actions.pointer_action.move_to_location(int(x) + 16, int(y)).pointer_down()
        pointer.move_to_location(int(x) + 60, int(y)).pointer_up()
        actions.perform()
        wait_for(lambda n=count: len(tab.find_elements("css selector", marks)) == n, what=kind)
        assert (tab.execute_script(WHERE)[0] - x > 20) == (kind == "touch")


def test_both_themes_differ_and_are_kept(page):
    _, tab = page
    ground = "return getComputedStyle(document.body).backgroundColor"
    tab.execute_script("location.hash = 'margins'")
    settle(tab)
    before = tab.execute_script(ground)
    tab.find_element("id", "theme").click()
    after = tab.execute_script(ground)
    assert before != after
    tab.refresh()
    settle(tab)
    assert tab.execute_script(ground) == after


def test_a_foreign_page_can_neither_post_nor_frame_nor_read(page):
    """From another origin in the same browser, which holds the cookie."""
    lab, tab = page
    tab.get("data:text/html,<title>evil</title>")
    tab.set_script_timeout(30)
    told = tab.execute_async_script(
        """const [base, done] = arguments;
        const told = (asked) => asked.then(() => "read", () => "refused");
        const heads = {"content-type": "application/json"}, credentials = "include";
        const post = fetch(base + "/api/margins/fit",
          {method: "POST", credentials, headers: heads, body: "{}"});
        Promise.all([told(post), told(fetch(base + "/api/views", {credentials}))]).then(done);""",
        f"http://{lab.netloc}",
    )
    assert told == ["refused", "refused"]
    tab.execute_script(
        "document.body.innerHTML = `<iframe src='${arguments[0]}'></iframe>`", lab.address.url()
    )
    frame = wait_for(lambda: tab.find_element("css selector", "iframe"))
    tab.switch_to.frame(frame)
    assert not tab.find_elements("id", "decision-line")
    tab.switch_to.default_content()

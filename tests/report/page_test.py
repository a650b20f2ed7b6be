#!/usr/bin/env python3
"""Opens reports of real runs in headless Chromium: they are complete, ask for nothing, and have one cursor for all.

usage: page_test.py LIEGRAD
Leaves the status 77 where there is no Chromium.
"""

import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import browser
from browser import Browser

LIEGRAD = None
FOLDER = None


def liegrad(*arguments):
    """What the command printed; its status must be zero."""
    done = subprocess.run([LIEGRAD, *map(str, arguments)], cwd=FOLDER, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"liegrad {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def write_noisy_top():
    """Positions and orientations of the top with noise, from a run with another method."""
    liegrad("simulate", "heavy_top", "--method", "radau-3", "--t-end", 0.5, "--output-every", 0.01, "--out", "exact.csv")
    generator = random.Random(1)
    with open(FOLDER / "exact.csv", newline="") as source, open(FOLDER / "noisy.csv", "w", newline="") as target:
        names = ["t"] + [f"top.x.{i}" for i in (1, 2, 3)] + [f"top.q.{i}" for i in (1, 2, 3, 4)]
        writer = csv.writer(target)
        writer.writerow(names)
        for row in csv.DictReader(source):
            noisy = [float(row[name]) + generator.gauss(0, 0.01) for name in names[1:]]
            length = sum(x * x for x in noisy[3:]) ** 0.5
            writer.writerow([row["t"]] + noisy[:3] + [x / length for x in noisy[3:]])


def make_pages():
    liegrad("simulate", "heavy_top", "--step", "1e-3", "--t-end", 0.5, "--out", "top.csv", "--json", "top.json")
    liegrad("simulate", "slider_crank", "--t-end", 0.2, "--out", "crank.csv", "--json", "crank.json")
    liegrad("simulate", "right_angle_beam", "--t-end", 4, "--out", "beam.csv", "--json", "beam.json")
    for mode in ("forward", "adjoint"):
        liegrad("sensitivity", "heavy_top", "--of", "top.x[3]", "--wrt", "top.J1,top.X2", "--t-end", 0.1, "--mode", mode,
                "--json", f"{mode}.json")
    liegrad("converge", "heavy_top", "--steps", "0.002,0.001", "--t-end", 0.1, "--json", "converge.json")
    write_noisy_top()
    liegrad("fit", "heavy_top", "--data", "noisy.csv", "--free", "top.X2,top.omega2", "--start", "top.X2=1.02",
            "--out", "fit.csv", "--motion", "motion.csv", "--json", "fit.json")
    liegrad("control", "reorientation", "--steps", 30, "--out", "turn.csv", "--json", "turn.json")
    liegrad("static", "cantilever", "--set", "tip.load.f3=-500", "--load-steps", 5, "--out", "bent.csv", "--json", "bent.json")
    liegrad("report", "top.json", "crank.json", "beam.json", "forward.json", "adjoint.json", "converge.json",
            "fit.json", "turn.json", "bent.json", "--out", "page.html", "--title", "Everything <at> once")


class Page(unittest.TestCase):
    """In the order of the files: top, crank, beam, sensitivities, convergence, fit, control, a beam at rest."""

    TOP, CRANK, BEAM, SENSITIVITY, CONVERGE, FIT, CONTROL, STATIC = range(8)
    WITH_SCENE = (TOP, CRANK, BEAM, FIT, CONTROL, STATIC)

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser().__enter__()
        cls.browser.open(FOLDER / "page.html")
        cls.browser.wait_for_frame()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def section(self, number, call, *arguments):
        return self.browser.run(f"return liegradReport.sections[{number}].{call}", *arguments)

    def canvas(self, number):
        return self.browser.find(f"[data-section='{number}'] .view canvas")[0]

    def show(self, number, time):
        self.section(number, f"setTime({time})")
        self.browser.wait_for_frame()

    def test_has_no_error_and_asks_for_nothing(self):
        messages = [entry for entry in self.browser.console() if entry["level"] == "SEVERE"]
        self.assertEqual(messages, [])
        self.assertEqual(self.browser.requests(), [])

    def test_forbids_requests(self):
        with Browser() as other:
            other.open(FOLDER / "page.html")
            answer = other.run("""
                return fetch('https://example.org/').then(() => 'answered', (error) => error.constructor.name);""")
            self.assertEqual(answer, "TypeError")
            loaded = other.run("""
                const image = new Image();
                const result = new Promise((done) => {
                  image.onload = () => done('loaded');
                  image.onerror = () => done('refused');
                });
                image.src = 'https://example.org/a.png';
                return result;""")
            self.assertEqual(loaded, "refused")
            said = [entry["message"] for entry in other.console()]
            self.assertEqual(sum("Content Security Policy directive" in message for message in said), 2, said)

    def test_title_is_text(self):
        self.assertEqual(self.browser.run("return document.title"), "Everything <at> once")
        self.assertEqual(self.browser.run("return document.querySelector('h1').textContent"), "Everything <at> once")

    def test_every_view_shows_something(self):
        for number in self.WITH_SCENE:
            self.browser.run(f"document.querySelectorAll('section')[{number}].scrollIntoView()")
            self.browser.wait_for_frame()
            colors = self.browser.colors(self.canvas(number))
            background = max(set(colors), key=colors.count)
            other = sum(color != background for color in colors)
            self.assertGreater(other, 0.005 * len(colors), f"section {number}")
            self.assertGreater(len(set(colors)), 10, f"section {number}")

    def test_every_plot_is_there(self):
        for number in range(8):
            wanted = self.section(number, "plots")
            self.assertEqual(len(self.browser.find(f"[data-section='{number}'] .plot canvas")), wanted)
        self.assertGreaterEqual(self.section(self.TOP, "plots"), 5)
        self.assertEqual(self.section(self.CONVERGE, "plots"), 1)

    def test_plots_have_labels_and_legends(self):
        for figure in self.browser.run("""
                return [...document.querySelectorAll('.plot')].map((figure) => ({
                  title: figure.querySelector('figcaption').textContent,
                  names: figure.querySelectorAll('.legend li').length,
                }));"""):
            self.assertTrue(figure["title"])
            self.assertGreater(figure["names"], 0, figure["title"])

    def test_the_load_stands_for_time_where_nothing_moves_in_time(self):
        player = f"document.querySelector(\"[data-section='{self.STATIC}'] .time\").textContent"
        self.show(self.STATIC, 1)
        self.assertEqual(self.browser.run(f"return {player}").strip(), "load = 1.0000")
        tip = self.section(self.STATIC, "positionOf('tip')")
        with open(FOLDER / "bent.csv", newline="") as file:
            last = list(csv.DictReader(file))[-1]
        for i in range(3):
            self.assertAlmostEqual(tip[i], float(last[f"tip.x.{i + 1}"]), delta=1e-5)

    def test_everything_that_moves_is_in_the_picture(self):
        for number in self.WITH_SCENE:
            outside = self.section(number, "mostOutside()")
            self.assertLessEqual(outside, 1.0, f"section {number}")
            self.assertGreater(outside, 0.5, f"section {number}")

    def test_slider_moves_the_body_and_all_plots(self):
        before = self.section(self.TOP, "positionOf('top')")
        self.browser.run("""
            const slider = document.querySelector("[data-section='0'] input[type=range]");
            slider.value = 0.3;
            slider.dispatchEvent(new Event('input'));""")
        self.browser.wait_for_frame()
        after = self.section(self.TOP, "positionOf('top')")
        self.assertGreater(sum(abs(a - b) for a, b in zip(before, after)), 0.1)
        for time in self.section(self.TOP, "shownTimes()"):
            self.assertAlmostEqual(time, 0.3, delta=0.005)
        with open(FOLDER / "top.csv", newline="") as file:
            row = next(row for row in csv.DictReader(file) if abs(float(row["t"]) - 0.3) < 1e-9)
        for i in range(3):
            self.assertAlmostEqual(after[i], float(row[f"top.x.{i + 1}"]), delta=1e-4)

    def test_pointer_over_a_plot_moves_the_body_and_all_plots(self):
        self.show(self.FIT, 0)
        before = self.section(self.FIT, "positionOf('top')")
        residuals = self.browser.find(f"[data-section='{self.FIT}'] .plot .u-over")[-1]
        self.browser.run("arguments[0].scrollIntoView({block: 'center'})", residuals)
        self.browser.move_pointer_to(residuals, 40, 0)
        self.browser.wait_for_frame()
        time = self.section(self.FIT, "time()")
        self.assertGreater(time, 0.25)
        for shown in self.section(self.FIT, "shownTimes()"):
            self.assertAlmostEqual(shown, time, delta=0.005)
        after = self.section(self.FIT, "positionOf('top')")
        self.assertGreater(sum(abs(a - b) for a, b in zip(before, after)), 0.1)

    def test_play_advances_time(self):
        self.show(self.CONTROL, 0)
        button = f"document.querySelector(\"[data-section='{self.CONTROL}'] .play\")"
        self.browser.run(f"{button}.click()")
        for _ in range(20):
            self.browser.wait_for_frame()
        self.browser.run(f"{button}.click()")
        self.assertGreater(self.section(self.CONTROL, "time()"), 0)

    def test_theme_button_changes_colours(self):
        paper = "return getComputedStyle(document.body).backgroundColor"
        light = self.browser.run(paper)
        self.browser.run("document.querySelector('.theme').click()")
        self.browser.wait_for_frame()
        self.assertNotEqual(self.browser.run(paper), light)
        self.browser.run("document.querySelector('.theme').click()")
        self.assertEqual(self.browser.run(paper), light)

    def test_sensitivities_stand_side_by_side(self):
        cells = self.browser.run("""
            const table = document.querySelectorAll('section')[3].querySelectorAll('table')[1];
            return [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent));""")
        self.assertEqual(cells[0], ["by", "forward", "adjoint"])
        self.assertEqual(len(cells), 3)
        for row in cells[1:]:
            self.assertEqual(row[1][:10], row[2][:10])

    def test_fits_on_a_narrow_screen(self):
        with Browser(size=(420, 900), dark=True) as narrow:
            narrow.open(FOLDER / "page.html")
            narrow.wait_for_frame()
            self.assertLessEqual(narrow.run("return document.documentElement.scrollWidth"), 420)
            edges = narrow.run("""
                return [...document.querySelectorAll('.player')].map((player) =>
                  player.lastElementChild.getBoundingClientRect().right - player.getBoundingClientRect().right);""")
            self.assertTrue(edges)
            self.assertLessEqual(max(edges), 1)

    def test_without_script_there_are_tables_and_figures(self):
        with Browser(script=False) as still:
            still.open(FOLDER / "page.html")
            self.assertEqual(still.find("canvas"), [])
            figures = still.find(".static img")
            self.assertGreater(len(figures), 10)
            # A picture of nothing is far shorter.
            self.assertGreater(len(still.screenshot(figures[0])), 5000)
            self.assertGreater(len(still.find("table")), 5)


class Description(unittest.TestCase):
    """A page that is described in JSON, with every shape and joint there is."""

    def test_every_shape_is_drawn(self):
        still = [[0, 0, 0, 1, 0, 0, 0]] * 2
        shapes = [{"kind": "box", "size": [1, 2, 3], "rotation": [1, 0, 0, 0]},
                  {"kind": "sphere", "radius": 1, "position": [3, 0, 0]},
                  {"kind": "cylinder", "from": [0, 0, 0], "to": [0, 5, 0], "radius": 0.1},
                  {"kind": "cylinder", "radius": 1, "length": 0.2, "axis": [1, 0, 0]},
                  {"kind": "frame", "length": 2}]
        joints = [{"kind": kind, "position": [i, 0, 0], "axis": [0, 0, 1]}
                  for i, kind in enumerate(("spherical", "revolute", "prismatic", "rigid", "ground"))]
        scene = {"time": [0, 1], "bodies": [{"name": "all", "shapes": shapes, "pose": still}], "joints": joints,
                 "ghosts": [{"name": "measured", "body": "all", "pose": still}],
                 "curves": [{"name": "beam", "points": [{"body": None, "point": [0, 0, 0]}, {"body": "all"}]}],
                 "arrows": [{"name": "force", "unit": "N", "body": "all", "vector": [[1, 0, 0], [0, 0, 0]]}],
                 "trails": [{"name": "path", "body": "all"}]}
        page = {"title": "Shapes", "sections": [{"title": "Shapes </script>", "scene": scene}]}
        (FOLDER / "shapes.json").write_text(json.dumps(page))
        liegrad("report", "shapes.json", "--out", "shapes.html")
        with Browser() as view:
            view.open(FOLDER / "shapes.html")
            view.wait_for_frame()
            self.assertEqual([entry for entry in view.console() if entry["level"] == "SEVERE"], [])
            colors = view.colors(view.find(".view canvas")[0])
            self.assertGreater(len(set(colors)), 30)


class OneRun(unittest.TestCase):
    def test_has_its_title_once_and_angles_by_themselves(self):
        liegrad("report", "crank.json", "--out", "crank.html")
        page = (FOLDER / "crank.html").read_text("utf-8")
        self.assertEqual(page.count(">Slider crank</h"), 1)
        data = json.loads(page.split('id="data">')[1].split("</script>")[0])
        angles = [plot for plot in data["sections"][0]["plots"] if plot["title"].startswith("Angle of")]
        self.assertTrue(angles)
        self.assertEqual({plot["unit"] for plot in angles}, {"rad"})


    def test_springs_end_on_their_bodies(self):
        liegrad("simulate", "andrews", "--t-end", 1e-3, "--out", "andrews.csv", "--json", "andrews.json")
        drawing = json.loads((FOLDER / "andrews.json").read_text())["drawing"]
        spring = next(curve for curve in drawing["curves"] if curve["name"] == "spring")
        ends = [end for end in spring["points"] if end["body"]]
        self.assertTrue(ends)
        for end in ends:
            body = next(body for body in drawing["bodies"] if body["name"] == end["body"])
            self.assertIn(end["point"], [shape.get("to") for shape in body["shapes"]])


class BadInput(unittest.TestCase):
    def refused(self, name, text, sentence):
        (FOLDER / name).write_text(text)
        done = subprocess.run([LIEGRAD, "report", name], cwd=FOLDER, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(sentence, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_is_refused_in_a_sentence(self):
        self.refused("none.json", "", "none.json is no JSON: it is empty")
        self.refused("comma.json", '{"command": "fit",\n "a": 1,\n}', "comma.json is no JSON: line 3, column 1 has a comma too "
                     "many before '}'; remove it")
        self.refused("list.json", "[]", "list.json is no JSON object")
        self.refused("other.json", "{}", "other.json is no summary")
        self.refused("half.json", '{"command": "simulate"}', "half.json is not as docs/report.md describes it")
        self.refused("lost.json", '{"command": "simulate", "system": "a", "options": {}, "samples_file": "lost.csv"}',
                     "lost.csv")


if __name__ == "__main__":
    LIEGRAD = str(pathlib.Path(sys.argv.pop(1)).resolve())
    if not browser.is_available():
        print("page_test: chromium and chromium-driver are not installed", file=sys.stderr)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        make_pages()
        unittest.main(verbosity=2, exit=True)

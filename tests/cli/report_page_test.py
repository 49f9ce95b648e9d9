#!/usr/bin/env python3
"""The page of stint report in headless Chromium: no errors, every canvas drawn. Usage: report_page_test.py STINT (run by ctest).

Exit code 77, with one line, where there is no Chromium."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import report_test

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# Before everything else in the page: errors are counted. After it: canvases whose pixels are not all alike.
WATCH = """<script>window.problems = [];
window.addEventListener("error", (e) => window.problems.push(String(e.message)));
document.addEventListener("securitypolicyviolation", (e) => window.problems.push("blocked " + e.blockedURI));
console.error = (...words) => window.problems.push(words.join(" "));
console.warn = console.error;</script>"""
COUNT = """<script>window.addEventListener("load", () => {
  const drawn = [...document.querySelectorAll("canvas")].map((canvas) => {
    const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const colors = new Set();
    for (let i = 0; i < data.length && colors.size < 3; i += 4) colors.add(data.slice(i, i + 4).join());
    return colors.size >= 3;
  });
  const charts = [...document.querySelectorAll("canvas")].map((canvas) => Chart.getChart(canvas)).filter(Boolean);
  const labels = charts.map((chart) => {
    const {x, y} = chart.scales;
    return [x, y].filter((axis) => axis.type === "logarithmic").map((axis) => axis.ticks.filter((tick) => tick.label).length);
  }).flat();
  const alike = charts.flatMap((chart) => Object.values(chart.scales)).filter((axis) => {
    const texts = axis.ticks.map((tick) => tick.label).filter(Boolean);
    return axis.options.title.display && new Set(texts).size < texts.length;
  }).length;
  const kept = URL.createObjectURL;
  let saved = 0;
  URL.createObjectURL = () => { ++saved; return "#"; };
  if (charts.length) document.querySelectorAll("button.save").forEach((button) => button.click());
  URL.createObjectURL = kept;
  const svgs = charts.map((chart) => {
    const svg = new DOMParser().parseFromString(chartToSvg(chart), "image/svg+xml");
    const lines = [...svg.querySelectorAll('path[fill="none"]')].filter((path) => !path.getAttribute("d").includes("Z"));
    const lost = chart.data.datasets.filter((set) => set.showLine && set.borderWidth > 0 && set.data.length > 1)
      .filter((set) => !lines.some((path) => path.getAttribute("stroke") === set.borderColor && path.getAttribute("d").includes("L")));
    if (lost.length) return -lost.length;
    return svg.querySelector("parsererror") ? 0 : Math.min(svg.querySelectorAll("path").length, svg.querySelectorAll("text").length);
  });
  window.dispatchEvent(new Event("beforeprint"));
  const folded = document.querySelectorAll("details:not([open])").length;
  const answer = {problems: window.problems, drawn, labels, alike, svgs, saved, folded, wide: document.documentElement.scrollWidth > window.innerWidth};
  document.body.textContent = "ANSWER" + JSON.stringify(answer) + "END";
});</script>"""


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        databases = report_test.make_databases(cls.folder)
        cls.page = cls.folder / "report.html"
        subprocess.run([report_test.STINT, "report", *databases, "-o", cls.page], check=True, capture_output=True)

    def look(self, width, change=lambda text: text):
        page = change(self.page.read_text()).replace("<head>", "<head>" + WATCH, 1).replace("</body>", COUNT + "</body>")
        watched = self.folder / "watched.html"
        watched.write_text(page)
        done = subprocess.run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder / 'profile'}",
                               f"--window-size={width},900", "--virtual-time-budget=20000", "--dump-dom", watched.as_uri()],
                              capture_output=True, text=True, timeout=300)
        found = re.search(r"ANSWER(.*)END", done.stdout, re.S)
        self.assertTrue(found, done.stderr[-2000:])
        answer = json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
        self.assertEqual(answer["problems"], [])
        self.assertGreater(len(answer["drawn"]), 8)
        self.assertTrue(all(answer["drawn"]), answer["drawn"])
        return answer

    def test_plots_are_drawn_without_errors(self):
        self.look(1280)

    def test_figures_can_be_saved_and_paper_shows_tables(self):
        answer = self.look(1280)
        self.assertEqual(answer["saved"], len(answer["drawn"]))
        self.assertGreater(min(answer["svgs"]), 2)  # paths and texts of the poorest figure
        self.assertEqual(answer["folded"], 0)
        self.assertNotRegex(self.page.read_text(), r"details\s*\{\s*display:\s*none")

    def test_logarithmic_axes_have_several_ticks(self):
        answer = self.look(1280)
        self.assertGreaterEqual(min(answer["labels"]), 3)
        self.assertEqual(answer["alike"], 0)
        self.assertGreaterEqual(min(self.look(500)["labels"]), 2)

    def test_nothing_is_wider_than_a_phone(self):
        self.assertFalse(self.look(500)["wide"])  # the narrowest window that Chromium makes

    def test_dark(self):
        self.look(1280, lambda text: text.replace("(prefers-color-scheme: dark)", "(min-width: 1px)"))

    def test_a_page_whose_plots_are_lost_is_noticed(self):
        with self.assertRaises(AssertionError):
            self.look(1280, lambda text: text.replace("new Chart(", "void ("))


if __name__ == "__main__":
    report_test.STINT = sys.argv.pop(1)
    if CHROMIUM is None:
        print("skipped: no chromium to look at pages with")
        sys.exit(77)
    unittest.main()

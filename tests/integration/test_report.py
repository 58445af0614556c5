"""The report of a solution: a page and a text that say all there is to say of it."""

import re
import shutil
import struct
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree
import zlib

from support import PATIENCE, IpfitTest, frames_of

XHTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
CHROMIUM = shutil.which("chromium")


def colours_of(png):
    """The colours in a PNG of 8 bits per channel, as chromium writes it."""
    data, parts, at = png.read_bytes(), [], 8
    width, height, _, kind = struct.unpack_from(">IIBB", data, 16)
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        if data[at + 4 : at + 8] == b"IDAT":
            parts.append(data[at + 8 : at + 8 + length])
        at += length + 12
    raw, channels = zlib.decompress(b"".join(parts)), {2: 3, 6: 4}[kind]
    size = width * channels
    above, colours = bytearray(size), set()
    for row in range(height):
        begin = row * (size + 1)
        how, line = raw[begin], bytearray(raw[begin + 1 : begin + 1 + size])
        for i in range(size):
            left = line[i - channels] if i >= channels else 0
            up = above[i]
            corner = above[i - channels] if i >= channels else 0
            if how == 1:
                line[i] = (line[i] + left) & 255
            elif how == 2:
                line[i] = (line[i] + up) & 255
            elif how == 3:
                line[i] = (line[i] + (left + up) // 2) & 255
            elif how == 4:
                guess = left + up - corner
                nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
                line[i] = (line[i] + nearest[2]) & 255
        above = line
        colours.update(bytes(line[i : i + 3]) for i in range(0, size, channels))
    return colours


class Report(IpfitTest):
    def fit(self, **options):
        self.run_ipfit("fit", self.write_fit(**options), "--out", self.directory / "out", "--quiet")
        return self.directory / "out"

    def page(self, out):
        path = out / "solutions" / "default" / "report.html"
        self.assertLess(path.stat().st_size, 1_000_000)
        return ElementTree.parse(path).getroot()

    def headings(self, page):
        return [heading.text for heading in page.iter(XHTML + "h2")]

    def test_every_fit_leaves_a_page_that_needs_nothing_else(self):
        out = self.fit()
        page = self.page(out)
        self.assertEqual(
            self.headings(page)[:6],
            [
                "Errors",
                "Predictions and references",
                "Errors of forces",
                "Worst structures",
                "What the fit listens to",
                "Two atoms alone",
            ],
        )
        titles = [plot.get("aria-label") for plot in page.iter(SVG + "svg")]
        for title in ("Energy", "Force components: errors", "By distance", "Cu-Cu", "Cu-Au", "Au-Au"):
            self.assertIn(title, titles)
        tags = {element.tag for element in page.iter()}
        for tag in ("script", "link", "img", "iframe"):
            self.assertNotIn(XHTML + tag, tags)
        for element in page.iter():
            for name, value in element.attrib.items():
                self.assertNotRegex(value, r"nan|inf\b|://", (element.tag, name))
        # Every axis of every plot names its unit, or is a number of something.
        for plot in page.iter(SVG + "svg"):
            texts = [text.text for text in plot.iter(SVG + "text")]
            if plot.get("aria-label") == "Singular values":
                self.assertIn("number", texts)
                continue
            self.assertGreaterEqual(len([t for t in texts if re.search(r", (eV|meV|Å)", t)]), 2, texts)

        text = (out / "solutions" / "default" / "report.txt").read_text()
        self.assertIn((out / "solutions" / "default" / "errors.txt").read_text(), text)
        self.assertIn((out / "fit.toml").read_text(), text)

    def test_the_worst_structures_stand_where_the_report_says(self):
        out = self.fit()
        text = (out / "solutions" / "default" / "report.txt").read_text()
        worst = re.findall(r"(?m)^(\S+\.xyz) +(\d+) +(\d+) ", text)
        self.assertEqual(len(worst), 20)
        lines = {name: (self.directory / name).read_text().splitlines() for name in ("train.xyz", "test.xyz")}
        for name, frame, line in worst:
            head = "".join(frames_of(self.directory / name)[int(frame) - 1].splitlines()[:2])
            self.assertEqual(head, lines[name][int(line) - 1] + lines[name][int(line)])

    def test_names_are_text_whatever_they_look_like(self):
        fit = self.write_fit()
        data = self.directory / "train.xyz"
        group = "a<b> & 'c' </td>"
        data.write_text(re.sub(r'config_type=("[^"]*"|\S+)', f'config_type="{group}"', data.read_text()))
        data.rename(self.directory / "<train> & 'x'.xyz")
        fit.write_text(fit.read_text().replace('"train.xyz"', "\"<train> & 'x'.xyz\""))
        out = self.directory / "out <&>"
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        texts = {element.text for element in self.page(out).iter()}
        self.assertIn(group, texts)
        self.assertIn("<train> & 'x'.xyz", texts)
        self.assertIn("out <&>: solution default", texts)

    def test_the_report_is_written_again_on_demand_and_says_what_is_missing(self):
        out = self.fit()
        solution = out / "solutions" / "default"
        before = (solution / "report.html").read_text()
        (solution / "report.html").unlink()
        self.assertIn(str(solution / "report.html"), self.run_ipfit("report", out, "--solution", "default"))
        self.assertEqual((solution / "report.html").read_text(), before)

        # Another potential: neither the predictions nor the dimers are its own.
        (out / "fit.toml").write_text((out / "fit.toml").read_text().replace("energy = 30.0", "energy = 3.0"))
        self.run_ipfit("solve", out)
        self.assertIn("Errors", self.headings(self.page(out)))
        self.assertNotIn("Two atoms alone", self.headings(self.page(out)))
        (out / "fit.toml").write_text((out / "fit.toml").read_text().replace("energy = 3.0", "energy = 2.0"))
        self.run_ipfit("solve", out, "--no-errors")
        self.run_ipfit("report", out)
        self.assertEqual(self.headings(self.page(out)), ["Fit", "Data", "Fit file, with every default"])
        self.assertIn("No predictions of this potential are stored", (solution / "report.html").read_text())
        self.run_ipfit("fit", out / "fit.toml", "--out", out, "--quiet")
        self.assertIn("Two atoms alone", self.headings(self.page(out)))

    def test_mistakes_are_named(self):
        self.assertIn("nowhere", self.run_ipfit("report", self.directory / "nowhere", expect=3))
        out = self.fit()
        self.assertIn("other", self.run_ipfit("report", out, "--solution", "other", expect=3))

    @unittest.skipUnless(CHROMIUM, "no chromium here: not looked at in a browser")
    def test_a_browser_shows_the_page(self):
        out = self.fit()
        picture = self.directory / "page.png"
        shown = subprocess.run(
            [
                CHROMIUM,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--window-size=1000,1100",
                f"--user-data-dir={self.directory / 'profile'}",
                f"--screenshot={picture}",
                (out / "solutions" / "default" / "report.html").as_uri(),
            ],
            capture_output=True,
            timeout=2 * PATIENCE,
            check=False,
        )
        self.assertTrue(picture.exists(), shown.stderr)
        colours = colours_of(picture)
        # The ground, and both sets: what is not drawn, or stands outside its frame, has no colour.
        for colour in (b"\xff\xff\xff", bytes.fromhex("0072B2"), bytes.fromhex("D55E00")):
            self.assertIn(colour, colours)


if __name__ == "__main__":
    unittest.main(verbosity=2)

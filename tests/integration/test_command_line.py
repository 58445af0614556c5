"""docs/reference/ipfit.md lists the commands and options that the program has, and no others."""

import re
import subprocess
import unittest

from support import BIN, ROOT


def help_of(*arguments):
    return subprocess.run([BIN / "ipfit", *arguments, "--help"], capture_output=True, text=True, check=True).stdout


def options_of(text):
    return set(re.findall(r"^\s+(?:-\w,)?(--[a-z-]+)", text, re.M)) - {"--help", "--version"}


class CommandLine(unittest.TestCase):
    def test_every_command_and_option_is_documented_and_the_other_way_round(self):
        text = (ROOT / "docs" / "reference" / "ipfit.md").read_text()
        sections = re.split(r"^##+ ipfit ", text, flags=re.M)[1:]
        documented = {section.split()[0]: set(re.findall(r"^\| `(--[a-z-]+)`", section, re.M)) for section in sections}
        commands = re.findall(r"^  ([a-z]+)  ", help_of().split("Subcommands:")[1], re.M)
        self.assertEqual(set(documented), set(commands))
        for command in commands:
            self.assertEqual(documented[command], options_of(help_of(command)), command)

    def test_every_command_says_what_it_does(self):
        for line in help_of().split("Subcommands:")[1].splitlines():
            if line.startswith("  "):
                self.assertGreater(len(line.split()), 3, line)


if __name__ == "__main__":
    unittest.main(verbosity=2)

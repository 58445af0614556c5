"""Every exit code of common/result.h stands in docs/reference/exit-codes.md under the same name, and back."""

import re

CODE = "common/result.h"
PAGE = "docs/reference/exit-codes.md"
NOT_ERRORS = {0: "success", 130: "interrupted"}


def findings(tree):
    body = re.search(r"enum class ErrorKind\s*\{(.*?)\n\};", tree.get(CODE, ""), re.S)
    in_code = {int(number): name.lower() for name, number in re.findall(r"^\s*k(\w+) = (\d+),", body[1] if body else "", re.M)}
    on_page = {int(number): name for number, name in re.findall(r"^\| *(\d+) *\| *([\w-]+) *\|", tree.get(PAGE, ""), re.M)}
    expected = {**in_code, **NOT_ERRORS}
    for number in sorted(expected.keys() | on_page.keys()):
        if number not in on_page:
            yield f"{PAGE}: exit code {number} ({expected[number]}) is missing"
        elif number not in expected:
            yield f"{PAGE}: exit code {number} ({on_page[number]}) is not in {CODE}"
        elif expected[number] != on_page[number]:
            yield f"{PAGE}: exit code {number} is called {on_page[number]}, in {CODE} it is {expected[number]}"

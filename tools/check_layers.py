#!/usr/bin/env python3
"""Checks that every #include keeps to the floor table of docs/architecture.md,
and that no type has the name of another one in the same namespace.

Usage: check_layers.py [ROOT]. Prints one line per offence; exit code 1 if any.

The table stands between the markers `layers:begin` and `layers:end`. A row is
  | floor | room | purpose | sees |
where room is a folder (`core/base`, `cli`) or a pattern (`kernels/*`; rows
earlier in the table win), and sees is empty or a comma-separated list of rooms
or patterns. A room sees itself, the rooms listed, and all lower floors; a list
that starts with "only" replaces the lower floors. include/stint is floor 0 and
seen by everybody. A room <floor>/testing is seen by the tests, benchmarks and
fuzzers of its floor and by nobody else.
"""

import dataclasses
import fnmatch
import pathlib
import re
import sys

TABLE = "docs/architecture.md"
PUBLIC = "include/stint"
PLATFORM = "core/platform"
TEST_FILE = re.compile(r"_(test|bench|fuzz)\.cc$|/testing/")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
# Headers of the operating system: only the platform room may use them.
SYSTEM = re.compile(r"^(sys/|linux/|(unistd|fcntl|dirent|pthread|sched)\.h)")


@dataclasses.dataclass
class Room:
    floor: int
    pattern: str
    only: bool
    sees: list[str]


def read_table(text):
    """The rooms in the table's order; ValueError when it is malformed."""
    match = re.search(r"layers:begin.*?\n(.*?)<!-- layers:end", text, re.S)
    if not match:
        raise ValueError(f"{TABLE}: no table after layers:begin")
    rooms = []
    for line in match[1].strip().splitlines()[2:]:
        cells = line.replace("`", "").strip("| ").split(" | ")
        cells = [cell.strip() for cell in cells]
        if len(cells) == 3:
            cells.append("")
        if len(cells) != 4 or not cells[0].isdigit():
            raise ValueError(f"{TABLE}: expected 4 cells, found: {line}")
        only = cells[3].startswith("only ")
        sees = [s.strip() for s in cells[3].removeprefix("only ").split(",")]
        sees = [room for room in sees if room]
        rooms.append(Room(int(cells[0]), cells[1], only, sees))
    return rooms


def folder_room(path):
    """src/core/base/x.cc -> core/base; src/cli/x.cc -> cli."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] == "include":
        return PUBLIC
    return "/".join(parts[1:3] if len(parts) > 3 else parts[1:2])


def included_room(name):
    """The room of an #include "name"."""
    if name.startswith("stint/"):
        return PUBLIC
    return folder_room("src/" + name)


def find_room(rooms, name):
    for room in rooms:
        if fnmatch.fnmatchcase(name, room.pattern):
            return room
    return None


def may_see(rooms, user, used):
    """Whether a file of room `user` may include one of room `used`."""
    if used in (user, PUBLIC):
        return True
    if user == PUBLIC:
        return False
    row, other = find_room(rooms, user), find_room(rooms, used)
    if any(fnmatch.fnmatchcase(used, pattern) for pattern in row.sees):
        return True
    return not row.only and other.floor < row.floor


def check_line(rooms, path, line):
    """What is wrong with one line of the file; None if nothing."""
    room = folder_room(path)
    match = INCLUDE.match(line)
    if not match:
        return None
    if match[1] == "<":
        if SYSTEM.match(match[2]) and room != PLATFORM:
            return f"system header <{match[2]}> outside {PLATFORM}"
        return None
    used = included_room(match[2])
    if find_room(rooms, used) is None:
        return f'"{match[2]}" is in no room of {TABLE}'
    if used.endswith("/testing"):
        if not TEST_FILE.search(path):
            return f"{used} is for tests"
        own = room.split("/")[0] + "/testing"
        if used == own or find_room(rooms, used).floor < find_room(
                rooms, room).floor:
            return None
    if not may_see(rooms, room, used):
        return f"{room} must not see {used}"
    return None


def check_file(rooms, root, path):
    """The offences of one file, each as "path:line: what"."""
    room = folder_room(path)
    if find_room(rooms, room) is None:
        return [f"{path}:1: folder {room} is no room of {TABLE}"]
    offences = []
    for number, line in enumerate((root / path).read_text().splitlines(), 1):
        problem = check_line(rooms, path, line)
        if problem:
            offences.append(f"{path}:{number}: {problem}")
    return offences


NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
SCOPE = re.compile(r"[{};]")
NAMESPACE = re.compile(r"\bnamespace\b\s*([\w:]*)\s*$")
TYPE = re.compile(r"(?<!<)\b(?:class|struct|union|enum(?:\s+(?:class|struct))?)"
                  r"\s+(?:\[\[.*?\]\]\s*)?(\w+)\s*(?:final\s*)?(?::(?!:)[^;{]*)?$", re.S)


def defined_types(text):
    """The types that a file defines for the whole program, as namespace::name
    and line; those of functions, classes and unnamed namespaces are its own."""
    code = NOT_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
                  lambda m: re.sub(r"[^\n]", " ", m[0]), code, flags=re.M)
    types, scopes, begin = [], [], 0
    for match in SCOPE.finditer(code):
        head = code[begin:match.start()].strip()
        begin = match.end()
        if match[0] == "}" and scopes:
            scopes.pop()
        if match[0] != "{":
            continue
        namespace = NAMESPACE.search(head)
        found = TYPE.search(head)
        # None: what is defined within is no other file's.
        if namespace:
            scopes.append(namespace[1] or None)
            continue
        if found and scopes and None not in scopes:
            line = code.count("\n", 0, match.start()) + 1
            types.append(("::".join([*scopes, found[1]]), line))
        scopes.append(None)
    return types


def check_names(root, paths):
    """Types of one name in several files of the program: the linker takes the
    functions of either for both."""
    homes = {}
    for path in paths:
        if TEST_FILE.search(path):
            continue
        for name, line in defined_types((root / path).read_text()):
            homes.setdefault(name, []).append(f"{path}:{line}")
    return [f"{places[0]}: type {name} is defined in {', '.join(places[1:])}, too"
            for name, places in sorted(homes.items()) if len(places) > 1]


def check_tree(root):
    rooms = read_table((root / TABLE).read_text())
    paths = [path.relative_to(root).as_posix() for folder in ("src", "include")
             for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".cc", ".h")]
    offences = []
    for path in paths:
        offences += check_file(rooms, root, path)
    return offences + check_names(root, paths)


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here
    offences = check_tree(root)
    print("\n".join(offences), end="\n" if offences else "")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())

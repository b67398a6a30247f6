#!/usr/bin/env python3
"""Checks that the realtime functions can't lock or allocate, beyond what the compiler checks.

  realtime.py machine-code OBJECT...   reads the optimised code of every function marked @_noLocks, and of all
                                       that it calls in these objects: no call may lock, allocate or count
                                       references. Prints the functions read and the C functions they call.
  realtime.py refusals                 puts a print, an Array append, a class instance, a lock and an unlisted
                                       C call into each realtime file: the compiler must refuse each, at that
                                       line, and accept the file as it is and with a harmless line.

The realtime files are those of Sources/Audio that have @_noLocks in them; they build without the others.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = sorted(file for file in (ROOT / "Sources/Audio").rglob("*.swift") if "@_noLocks" in file.read_text())
FORBIDDEN = re.compile(
    r"swift_(retain|release|bridgeObject(Retain|Release)|once|beginAccess|allocObject|slowAlloc|initStackObject|"
    r"getGenericMetadata|getTypeByMangledName|dynamicCast|allocError|unexpectedError)"
    r"|__swift_instantiateConcreteTypeFromMangledName|(m|c|re)alloc$|free$|posix_memalign"
    r"|pthread_(mutex|rwlock|cond|spin)|sem_wait")


def without_comments(source):
    """The source with comments and the insides of strings blanked, so that braces can be counted."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, source, flags=re.S)


def realtime_functions(source):
    """(qualified name, start and end of the body, takes a statement) of each function under @_noLocks.

    A body that is one expression whose value is returned takes no statement.
    """
    text, found, types, depth, marked, variable = without_comments(source), [], [], 0, False, ""
    token = re.compile(
        r"[{}]|@_noLocks\b|\b(?:struct|class|enum|extension|actor)\s+([A-Z]\w*(?:\.\w+)*)[^{;]*\{"
        r"|\bfunc\s+(\w+)|\b(init|deinit|subscript)\b|\bvar\s+(\w+)|\b(get|set)\b(?=\s*\{)")
    place = 0
    while match := token.search(text, place):
        place = match.end()
        if match[0] == "@_noLocks":
            marked = True
        elif match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            while types and types[-1][1] > depth:
                types.pop()
        elif match[1]:
            depth += 1
            types.append((match[1], depth))
        else:
            variable = match[4] or variable
            if marked:
                marked = False
                opening = text.index("{", match.end()) + 1
                closing = matching_brace(text, opening)
                value = "->" in text[match.end():opening] or match[4] or match[5] == "get"
                name = ".".join([t for t, _ in types[-1:]] + [match[2] or match[3] or variable])
                found.append((name, opening, closing, not value or "return" in text[opening:closing]))
    return found


def matching_brace(text, place):
    depth = 1
    while depth:
        place += 1
        depth += {"{": 1, "}": -1}.get(text[place], 0)
    return place


def disassembly(objects):
    """For each function of the objects: the symbols that its code refers to."""
    functions, current = {}, None
    for path in objects:
        listing = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", path],
                                 check=True, capture_output=True, text=True).stdout
        for line in listing.splitlines():
            if head := re.match(r"[0-9a-f]+ <(.+)>:$", line):
                current = functions.setdefault(head[1], set())
            elif current is not None:
                if relocation := re.search(r"\bR_\w+\s+([^\s+]+?)(?:[-+]0x[0-9a-f]+)?$", line):
                    current.add(relocation[1])
                elif jump := re.search(r"<([^>+]+)(?:\+0x[0-9a-f]+)?>\s*$", line):
                    current.add(jump[1])
    return functions


def demangled(symbols):
    symbols = sorted(symbols)
    lines = subprocess.run(["swift", "demangle", "--compact"], input="\n".join(symbols), check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return dict(zip(symbols, lines))


def machine_code(objects):
    functions = disassembly(objects)
    names = demangled(functions)
    marked = {name for file in FILES for name, *_ in realtime_functions(file.read_text())}
    roots, faults = set(), []
    for name in sorted(marked):
        owner, _, function = name.rpartition(".")
        if function in ("init", "deinit"):
            continue
        spelled = re.compile(
            rf"(?:^|[. ]){re.escape(owner)}(?:<[^()]*>)?\.?\(?{function}(?: in _\w+\))?(?:[<(]|\.(?:getter|setter|read|modify))")
        here = {symbol for symbol, text in names.items() if spelled.search(text)}
        print(f"{name}: " + ("read" if here else "inlined into its callers"))
        roots |= here
    reached, waiting = set(), list(roots)
    while waiting:
        symbol = waiting.pop()
        if symbol not in reached:
            reached.add(symbol)
            waiting += [s for s in functions[symbol] if s in functions]
    outside = {s for symbol in reached for s in functions[symbol] if s not in functions}
    for symbol in sorted(reached):
        for call in sorted(functions[symbol]):
            if FORBIDDEN.search(call):
                faults.append(f"{names[symbol]} refers to {call}")
    calls = sorted(s for s in outside if not s.startswith((".", "$s")))
    print(f"{len(reached)} functions read, those called included; outside they refer to: {' '.join(calls)}")
    if not roots:
        faults.append("no realtime function found in " + " ".join(objects))
    return faults


# What must be refused: a name, a declaration beside the file's own, and a statement put into each function.
BAD = [
    ("a print", "", 'print("heard")'),
    ("an Array append", "", "var list = [1]; list.append(2); badSink(list.count)"),
    ("a class instance", "final class BadObject { var value = 0 }", "badSink(BadObject().value)"),
    ("a lock", "", "let badLock = Mutex(0); badLock.withLock { $0 += 1 }"),
    ("an unlisted C call", "", "badSink(Int(snd_pcm_hw_free(nil)))"),
]
SINK = "@_noLocks @inline(never) func badSink(_ value: Int) {}"


def compiler_options():
    options = ["-parse-as-library", "-swift-version", "6", "-module-name", "Audio", "-Onone"]
    for feature in ("ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"):
        options += ["-enable-upcoming-feature", feature]
    for module in ("ALSA", "Linux"):
        options += ["-I", str(ROOT / "Sources/C" / module)]
    return options


def build(file, declaration="", statement=""):
    """Compiles a realtime file with a statement put first in each function; the lines put in, and the errors."""
    source, lines = file.read_text(), set()
    for _, opening, _, takes_statement in reversed(realtime_functions(source)):
        if takes_statement and statement:
            lines.add(source.count("\n", 0, opening) + 1)
            source = f"{source[:opening]} {statement}; {source[opening:]}"
    source = "import CALSA; import Synchronization; " + source
    with tempfile.TemporaryDirectory() as folder:
        changed = pathlib.Path(folder, file.name)
        changed.write_text(source)
        extra = pathlib.Path(folder, "Extra.swift")
        extra.write_text(f"import Synchronization\n{SINK}\n{declaration}\n")
        others = [str(other) for other in FILES if other != file]
        result = subprocess.run(
            ["swiftc", *compiler_options(), "-c", "-o", f"{folder}/out.o", "-wmo",
             str(changed), str(extra), *others], capture_output=True, text=True)
    errors = {int(line): text for line, text in
              re.findall(rf"{re.escape(file.name)}:(\d+):\d+: error: (.*)", result.stderr)}
    return result, lines, errors


def refusals():
    def attempt(job):
        file, name, declaration, statement = job
        return job, build(file, declaration, statement)

    jobs = [(file, "nothing added", "", "") for file in FILES]
    jobs += [(file, "a harmless line", "", "badSink(1)") for file in FILES]
    jobs += [(file, *bad) for file in FILES for bad in BAD]
    faults = []
    with ThreadPoolExecutor(2) as pool:
        for (file, name, declaration, statement), (result, lines, errors) in pool.map(attempt, jobs):
            good = name in ("nothing added", "a harmless line")
            refused = sorted(lines & errors.keys())
            said = errors[refused[0]] if refused else "builds" if result.returncode == 0 else "fails elsewhere"
            print(f"{file.name} with {name}: {said} ({len(refused)} of {len(lines)} places)")
            if good and result.returncode:
                faults.append(f"{file.name} with {name} must build:\n{result.stderr}")
            elif not good and not (lines and lines == set(refused) and all(
                    re.search(r"\block|allocat|unpredictable performance", errors[n]) for n in refused)):
                faults.append(f"{file.name} with {name} must be refused at each place:\n{result.stderr}")
    return faults


def main():
    if sys.argv[1:2] == ["machine-code"] and len(sys.argv) > 2:
        faults = machine_code(sys.argv[2:])
    elif sys.argv[1:] == ["refusals"]:
        faults = refusals()
    else:
        sys.exit(__doc__)
    for fault in faults:
        print("FAULT:", fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

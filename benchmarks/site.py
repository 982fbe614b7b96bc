"""The site in a real browser: how soon it answers, whether it says what the command says, and what hostile input does.

    python benchmarks/site.py times|same|inputs|requests|axe|screenshots … --site FOLDER [--axe axe.min.js] [--images FOLDER]

It needs Chromium, the Python package playwright, a folder that ``lengthwise site build`` wrote, and for ``axe`` the npm package
axe-core. ``requests`` needs neither browser nor site.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import platform
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from urllib.parse import quote

from lengthwise.cli.main import main as run_command

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDTHS = {"1280": {"width": 1280, "height": 900}, "390": {"width": 390, "height": 844}}
NUM_LANGUAGES = 200
NUM_HOSTILE = 10_000


@contextlib.contextmanager
def served(*arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run ``lengthwise serve`` at a free port while the block runs; yield its address and its process."""
    command = [sys.executable, "-m", "lengthwise", "serve", "--port", "0", *arguments]
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip(), process
        finally:
            process.terminate()
            process.wait(10)
            errors.seek(0)
            said = errors.read()
            print(f"server: exit code {process.returncode}, {said.count('Traceback')} tracebacks on stderr")


@contextlib.contextmanager
def browser(profile: str | Path, **settings: object) -> Iterator[object]:
    """Open Chromium with a profile folder, so that a second start finds the cache of the first."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(profile), executable_path=shutil.which("chromium"), args=FLAGS, **settings
        )
        try:
            yield context
        finally:
            context.close()


def wait_for(page, text: str, *, where: str = "#answer", seconds: float = 120) -> None:
    page.locator(where, has_text=text).wait_for(timeout=1000 * seconds)


# Times


def measure_times(options: argparse.Namespace) -> None:
    """Cold: a new profile. Warm: a new browser with the profile of an earlier visit, so that its cache is on disk."""
    question = "(ab|bba)*"
    with served("--site", options.site) as (address, _):
        for name in ("1280", "390"):
            visits: dict[str, list[tuple[float, float, float]]] = {"cold": [], "warm": []}
            for _ in range(options.repeats):
                with tempfile.TemporaryDirectory() as profile:
                    for kind in ("cold", "warm", "warm"):
                        with browser(profile, viewport=WIDTHS[name]) as context:
                            page = context.new_page()
                            page.goto("about:blank")
                            shown, _ = first_answer(page, address, "(aa)*")
                            page.close()
                        if kind == "cold":
                            shutil.rmtree(profile)
                        with browser(profile, viewport=WIDTHS[name]) as context:
                            page = context.new_page()
                            page.goto("about:blank")
                            visits[kind].append(
                                (shown, *first_answer(page, f"{address}#what={quote(question)}", question))
                            )
            for kind, found in visits.items():
                shown, answered, cpu = ([visit[place] for visit in found] for place in range(3))
                print(
                    f"{name} px, {kind}, {len(found)} visits: pre-rendered example {spread(shown)}; verdict for {question} "
                    f"{spread(answered)}, CPU time of the browser until then {spread(cpu)}"
                )
    load = os.getloadavg()
    print(f"load average meanwhile: {load[0]:.1f} (1 min), {load[1]:.1f} (5 min) on {os.cpu_count()} cores")


def spread(values: Sequence[float]) -> str:
    return f"{median(values):.2f} s ({min(values):.2f} to {max(values):.2f})"


def first_answer(page, address: str, what: str) -> tuple[float, float]:
    """Return the seconds, and the CPU seconds of the browser, until an answer stands on the page."""
    started, before = time.perf_counter(), descendants_cpu()
    page.goto(address, wait_until="commit")
    page.locator("#answer p code", has_text=re.compile(f"^{re.escape(what)}$")).first.wait_for(timeout=120_000)
    return time.perf_counter() - started, descendants_cpu() - before


def descendants_cpu() -> float:
    """Return the CPU seconds of all living processes below this one, the server among them."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            parents[int(stat.parent.name)], ticks[int(stat.parent.name)] = (
                int(fields[1]),
                int(fields[11]) + int(fields[12]),
            )
    total = 0
    for process in parents:
        ancestor = process
        while ancestor in parents and ancestor != os.getpid():
            ancestor = parents[ancestor]
        total += ticks[process] if ancestor == os.getpid() and process != os.getpid() else 0
    return total / os.sysconf("SC_CLK_TCK")


# The same answers


def random_expression(draw: random.Random, depth: int) -> str:
    """Return a random regular expression over a, b and c."""
    if depth == 0:
        return draw.choice(["a", "b", "c", "ab", "()", "[ab]"])
    one, two = (random_expression(draw, draw.randrange(depth)) for _ in range(2))
    return draw.choice(
        [f"({one}|{two})", f"{one}{two}", f"({one})*", f"({one})+", f"({one}){{2}}", f"~({one})", f"({one}&~({two}))"]
    )


def expressions(number: int) -> list[str]:
    draw = random.Random(0)
    found: dict[str, None] = {}
    while len(found) < number:
        text = random_expression(draw, 4)
        if re.search(r"[abc]", text):
            found.setdefault(text)
    return list(found)


START_PYTHON = """async () => {
  const { Python } = await import(new URL("python.js", location.href));
  await new Promise((ready) => { window.measured = new Python((news) => { if (news.idle) ready(); }); });
}"""


def compare_answers(options: argparse.Namespace) -> None:
    encodings = "nope,ape,rope,alibi,fire"
    same = 0
    answers: Counter[str] = Counter()
    with (
        served("--site", options.site) as (address, _),
        tempfile.TemporaryDirectory() as profile,
        browser(profile) as context,
    ):
        page = context.new_page()
        page.goto(address)
        page.evaluate(START_PYTHON)
        spent = []
        for text in expressions(NUM_LANGUAGES):
            started = time.perf_counter()
            request = {"kind": "predict", "what": text, "encodings": encodings, "regex": True}
            found = page.evaluate("(request) => window.measured.ask(request)", request)
            spent.append(time.perf_counter() - started)
            with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(io.StringIO()):
                code = run_command(["predict", "--json", "--regex", "--encoding", encodings, "--", text])
            told = found.get("json", "")
            if code == 0 and told.encode() + b"\n" == printed.getvalue().encode():
                same += 1
                answers.update(row["answer"] for row in found["rows"])
            elif code == 2 and "error" in found:
                same += 1
                answers["error"] += 1
            else:
                print(f"differs: {text}")
    print(f"{same} of {NUM_LANGUAGES} random languages: the JSON of the browser is that of the command, byte for byte")
    print(f"answers: {dict(answers)}")
    print(f"time for one in the browser: median {1000 * median(spent):.0f} ms, longest {1000 * max(spent):.0f} ms")


# Hostile input

PAYLOADS = [
    "<script>fired=1</script>",
    "<img src=x onerror=fired=1>",
    "javascript:fired=1",
    "</textarea><svg onload=fired=1>",
    "{{constructor.constructor('fired=1')()}}",
    "__import__('js').fired=1",
    "'];fired=1;//",
    "%3Cscript%3Efired=1%3C/script%3E",
    "data:text/html,<script>fired=1</script>",
    "<iframe srcdoc='<script>parent.fired=1</script>'>",
    "../../etc/passwd",
    "/lengthwise/lengthwise/__main__.py",
    "/lib/python314.zip",
    "__proto__",
    "\u202e\u0000\ud800",
    r"\<<script>fired=1</script>>",
]
SIGNS = "ab01()[]|*+?.^$~&/\\{}<>'\"#;:=%@,- \n\té€"


def hostile_text(draw: random.Random) -> str:
    text = draw.choice(PAYLOADS) if draw.random() < 0.4 else "".join(draw.choices(SIGNS, k=draw.randrange(1, 40)))
    return text * draw.randrange(2, 60) if draw.random() < 0.1 else text


def hostile_fragment(draw: random.Random) -> str:
    """Return a fragment that asks something in most cases; now and then it is not encoded, or has unknown keys."""
    tab = draw.choice(["language", "language", "compare", "program", "evil"])
    asked = {"compare": ["what", "other"], "program": ["program", "input"]}.get(tab, ["what"])
    others = ["word", "encodings", "alphabet", "asked", "readout", "regex", "__proto__", "x"]
    parts = [f"tab={tab}"]
    for key in [*asked, *(draw.sample(others, draw.randrange(1, 3)) if draw.random() < 0.3 else [])]:
        text = hostile_text(draw)
        parts.append(f"{key}={text if draw.random() < 0.1 else quote(text.encode('utf-8', 'surrogatepass'))}")
    return "&".join(parts)


DRIVE = """async ({ fragments, seconds }) => {
  const counts = { answered: 0, errors: 0, empty: 0, slow: 0, markup: 0 };
  const status = document.getElementById("status"), answer = document.getElementById("answer");
  const wait = (milliseconds) => new Promise((go) => setTimeout(go, milliseconds));
  for (const [number, fragment] of fragments.entries()) {
    const started = performance.now();
    if (number % 50 === 49) { // typed
      const id = number % 100 === 99 ? "certificates" : "what";
      document.getElementById(id === "what" ? "tab-language" : "tab-check").click();
      document.getElementById(id).value = decodeURIComponent(fragment.replace(/%(?![0-9a-f]{2})|%[89a-f]./gi, "?"));
      document.getElementById(id).dispatchEvent(new Event("input"));
      await wait(350);
    } else {
      const heard = new Promise((go) => addEventListener("hashchange", go, { once: true }));
      location.hash = fragment;
      await Promise.race([heard, wait(200)]);
    }
    await wait(0);
    const isReady = () => status.textContent === "Ready.";
    while (!isReady() && performance.now() - started < 1000 * seconds) await wait(2);
    await wait(0);
    if (!isReady()) { counts.slow += 1; document.getElementById("stop").click(); }
    else if (answer.querySelector(".error")) counts.errors += 1;
    else if (answer.childElementCount) counts.answered += 1;
    else counts.empty += 1;
    if (answer.querySelector("script, img, iframe, object, embed, style, link, [onload], [onerror], a")) counts.markup += 1;
  }
  return counts;
}"""


def attack_page(options: argparse.Namespace) -> None:
    """Put fragments into the address; every field of the page is filled from it, as if typed."""
    draw = random.Random(1)
    foreign, dialogs, errors = [], [], []
    counts: Counter[str] = Counter()
    with (
        served("--site", options.site) as (address, _),
        tempfile.TemporaryDirectory() as profile,
        browser(profile) as context,
    ):
        page = context.new_page()
        page.on(
            "request",
            lambda request: foreign.append(request.url) if not request.url.startswith((address, "blob:")) else None,
        )
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        page.on("pageerror", lambda error: errors.append(str(error)[:200]))
        page.goto(address)
        wait_for(page, "Ready.", where="#status")
        started = time.perf_counter()
        done = 0
        while done < options.inputs:
            fragments = [hostile_fragment(draw) for _ in range(min(250, options.inputs - done))]
            counts.update(page.evaluate(DRIVE, {"fragments": fragments, "seconds": 12}))
            done += len(fragments)
            print(f"{done} inputs after {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
        spent = time.perf_counter() - started
        fired = page.evaluate("() => typeof window.fired !== 'undefined'")
        page.goto(f"{address}#what={quote('(aa)*')}")
        page.reload()
        page.locator("#answer td.NO").first.wait_for(timeout=120_000)
    print(f"{done} hostile inputs (every 50th typed, the others in the fragment) in {spent:.0f} s: {dict(counts)}")
    print(f"script run: {fired}; dialogs: {len(dialogs)}; requests elsewhere: {len(foreign)}")
    print(f"errors of the page: {len(errors)} {errors[:3]}")
    print("afterwards the page answers (aa)* with NO")


def hostile_request(draw: random.Random, port: int) -> tuple[str, bytes]:
    """Return the kind of a hostile request, and its bytes."""
    host = f"127.0.0.1:{port}"
    kind = draw.choice(["traversal", "host", "origin", "method", "body", "head", "noise", "split"])
    dots = draw.choice(
        ["../", "..%2f", "%2e%2e/", "..\\", "%2e%2e%2f", "....//", "..;/", "%252e%252e/", "/./", "%c0%ae%c0%ae/"]
    )
    start = draw.choice(["/", "/stores/", "/stores/0/", "/pyodide/", "//", "/stores/../"])
    path = f"{start}{dots * draw.randrange(1, 9)}{draw.choice(['secret.txt', 'etc/passwd', 'proc/self/environ', 'runs.sqlite', '%00'])}"
    lines = [f"GET {path if kind == 'traversal' else '/'} HTTP/1.1", f"Host: {host}"]
    if kind == "host":
        bad = [
            "evil.example",
            f"evil.example:{port}",
            "127.0.0.1",
            f"127.0.0.1.evil.example:{port}",
            "",
            f"{host}@evil",
            f"localhost:{port + 1}",
        ]
        lines[1] = f"Host: {draw.choice(bad)}"
    if kind == "origin":
        lines.append(
            f"Origin: {draw.choice(['http://evil.example', 'null', f'https://{host}', 'http://127.0.0.1:1', f'http://{host}.evil'])}"
        )
    if kind == "method":
        lines[0] = (
            f"{draw.choice(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'])} /stores/0/ HTTP/1.1"
        )
    if kind == "body":
        lines += [
            draw.choice(
                [
                    "Content-Length: 1000000000",
                    "Content-Length: -1",
                    "Transfer-Encoding: chunked",
                    "Content-Length: 1e9",
                ]
            )
        ]
    if kind == "head":
        lines += [f"X-{draw.randrange(10**9)}: {'y' * draw.randrange(1, 40_000)}"] * draw.randrange(1, 3)
    if kind == "split":
        lines += draw.choice(
            [
                ["Host: second"],
                ["X: a\rSet-Cookie: b"],
                [" folded"],
                [f"X{number}: y" for number in range(150)],
                ["no colon"],
            ]
        )
    data = "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")
    if kind == "noise":
        data = bytes(draw.randrange(256) for _ in range(draw.randrange(1, 300))) + draw.choice([b"", b"\r\n\r\n"])
    return kind, data + b"z" * (draw.randrange(3) * 1000 if kind == "body" else 0)


def attack_server(_: argparse.Namespace) -> None:
    """Send hostile requests to ``serve`` on loopback, with slow clients beside them."""
    draw = random.Random(2)
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        site.mkdir()
        (site / "index.html").write_text("the page")
        secret = "a-secret-that-must-not-be-read"
        (Path(folder) / "secret.txt").write_text(secret)
        (site / "link.txt").symlink_to(Path(folder) / "secret.txt")
        with served("--site", str(site), str(Path(folder) / "runs.sqlite")) as (address, process):
            port = int(address.rstrip("/").rsplit(":", 1)[1])
            slow = threading.Thread(target=hold_slow_clients, args=(port, 100))
            slow.start()
            told: Counter[str] = Counter()
            leaked = shown = 0
            longest = 0.0
            started = time.perf_counter()
            for _ in range(NUM_HOSTILE):
                kind, data = hostile_request(draw, port)
                before = time.perf_counter()
                answered = exchange(port, data)
                longest = max(longest, time.perf_counter() - before)
                status = answered.split(b" ", 2)[1].decode() if answered.startswith(b"HTTP/1.1 ") else "closed"
                told[status] += 1
                shown += status.startswith("2") and kind != "head"  # a large head within the limit is well formed
                leaked += secret.encode() in answered or b"root:" in answered
            spent = time.perf_counter() - started
            slow.join()
            resident = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())
            fine = exchange(port, f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            print(
                f"{NUM_HOSTILE} hostile requests in {spent:.0f} s beside 100 slow clients: {dict(sorted(told.items()))}"
            )
            print(f"answered with 2xx, large heads within the limit aside: {shown}; longest wait {longest:.2f} s")
            print(f"answers with anything from outside the folder: {leaked}")
            print(
                f"afterwards the front page comes: {fine.endswith(b'the page')}; peak memory of the server {int(resident[1]) / 1024:.0f} MB"
            )


def hold_slow_clients(port: int, number: int) -> None:
    """Open connections that send a byte now and then, until the server has dropped all of them."""
    clients = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(number)]
    while clients:
        for client in list(clients):
            try:
                client.sendall(b"G")
            except OSError:
                client.close()
                clients.remove(client)
        time.sleep(0.5)


def exchange(port: int, data: bytes) -> bytes:
    """Return what the server answers before it closes the connection."""
    received = b""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        while part := client.recv(65_536):
            received += part
    return received


# Accessibility and pictures

VIEWS = {
    "verdicts": "#what=(ab|bba)*&word=abbba",
    "error": "#what=(ab|",
    "compare": "#tab=compare&what=(ab)*&other=(ab)*a",
    "program": "#tab=program&program="
    + quote("alphabet 'a' 'b'\nbalance := #['a'] - #['b']\naccept := balance = 0\n")
    + "&input=aabb",
    "check": "#tab=check",
}


def open_view(page, address: str, name: str) -> None:
    page.goto("about:blank")
    page.goto(address + VIEWS[name])
    wait_for(page, "Ready.", where="#status")
    wanted = {
        "verdicts": "#advice h2",
        "error": ".caret",
        "compare": ".beside table",
        "program": ".trace",
        "check": "#certificates",
    }
    page.locator(wanted[name]).first.wait_for(timeout=60_000)


def check_accessibility(options: argparse.Namespace) -> None:
    script = Path(options.axe).read_text(encoding="utf-8")
    version = re.search(r"axe v([\d.]+)", script)
    with served("--site", options.site) as (address, _):
        for width, scheme in (("1280", "light"), ("1280", "dark"), ("390", "light"), ("390", "dark")):
            with (
                tempfile.TemporaryDirectory() as profile,
                browser(profile, viewport=WIDTHS[width], color_scheme=scheme) as context,
            ):
                page = context.new_page()
                for name in VIEWS:
                    open_view(page, address, name)
                    page.evaluate("() => document.querySelectorAll('details').forEach((each) => { each.open = true; })")
                    page.evaluate(script)
                    found = page.evaluate("() => axe.run(document).then((done) => done.violations)")
                    told = [f"{each['impact']}: {each['id']} ({len(each['nodes'])})" for each in found]
                    wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
                    seen = f"axe {version[1] if version else '?'}, {width} px, {scheme}, {name}"
                    print(f"{seen}: {told or 'no violation'}; wider than the window by {max(0, wide)} px")


def take_screenshots(options: argparse.Namespace) -> None:
    from PIL import Image

    folder = Path(options.images)
    with served("--site", options.site) as (address, _):
        for width in WIDTHS:
            for scheme in ("light", "dark"):
                with (
                    tempfile.TemporaryDirectory() as profile,
                    browser(profile, viewport=WIDTHS[width], color_scheme=scheme) as context,
                ):
                    page = context.new_page()
                    open_view(page, address, "verdicts")
                    data = page.screenshot(clip={"x": 0, "y": 0, **WIDTHS[width], "height": 1000}, full_page=True)
                    path = folder / f"playground-{width}-{scheme}.png"
                    Image.open(io.BytesIO(data)).convert("RGB").quantize(256, method=Image.Quantize.FASTOCTREE).save(
                        path, optimize=True
                    )
                    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


PARTS = {
    "times": measure_times,
    "same": compare_answers,
    "inputs": attack_page,
    "requests": attack_server,
    "axe": check_accessibility,
    "screenshots": take_screenshots,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="+", choices=PARTS)
    parser.add_argument("--site", default="public")
    parser.add_argument("--axe", default="axe.min.js")
    parser.add_argument("--images", default="docs/images")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--inputs", type=int, default=NUM_HOSTILE)
    options = parser.parse_args()
    processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    chromium = shutil.which("chromium")
    version = (
        subprocess.run([chromium, "--version"], capture_output=True, text=True, check=False).stdout.split(" built")[0]
        if chromium
        else ""
    )
    print(
        f"{processor[1] if processor else platform.machine()}, {os.cpu_count()} cores; {version}; Python {platform.python_version()}"
    )
    for part in options.part:
        print(f"\n# {part}", flush=True)
        PARTS[part](options)


if __name__ == "__main__":
    main()

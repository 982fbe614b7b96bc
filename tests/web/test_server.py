"""The server: strict requests, who may ask, nothing outside its folders; most of it through real sockets on loopback."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http import HTTPStatus
from pathlib import Path

import pytest
from made_results import make_plan, make_result

from lengthwise.errors import LengthwiseError
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import open_store
from lengthwise.web import server as server_module
from lengthwise.web.http import LONGEST_HEAD, Guard, Request, Response, policy_of, read_request
from lengthwise.web.server import Server, site_files
from lengthwise.web.stores import Stores


def head(*lines: str) -> bytes:
    return "\r\n".join([*lines, "", ""]).encode()


@contextmanager
def running(server: Server) -> Iterator[int]:
    """Serve in a thread while the block runs; yield the port."""
    loop = asyncio.new_event_loop()
    task = loop.create_task(server.serve_forever())

    def serve() -> None:
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(task)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield server.socket.getsockname()[1]
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join(10)
        loop.close()


def send(port: int, data: bytes) -> bytes:
    """Send bytes and return all that comes back."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=10)) as client:
        with suppress(OSError):
            client.sendall(data)
        received = b""
        with suppress(ConnectionError):
            while part := client.recv(65_536):
                received += part
        return received


def get(port: int, path: str, *headers: str, host: str | None = None, method: str = "GET") -> tuple[int, bytes]:
    answered = send(port, head(f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", *headers))
    top, _, body = answered.partition(b"\r\n\r\n")
    return int(top.split()[1]), body


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("place") / "site"
    (folder / "inner").mkdir(parents=True)
    (folder / "index.html").write_text("<p>the page</p><script>shown()</script>")
    (folder / "inner" / "page.html").write_text("<p>inside</p>")
    (folder / "docs").mkdir()
    (folder / "docs" / "page.html").write_text("<style>p {}</style><p style='x'>text</p><script>shown()</script>")
    (folder / "plain.txt").write_text("text")
    (folder / ".hidden.txt").write_text("hidden")
    (folder.parent / "secret.txt").write_text("a secret")
    (folder / "link.txt").symlink_to(folder.parent / "secret.txt")
    (folder / "linked").symlink_to(folder.parent)
    return folder


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("stores") / "runs <b>.sqlite"
    (plan,) = make_plan(Spec(tasks=("bin_majority",), encodings=("nope",), seeds=2))
    with open_store(place) as opened:
        opened.save_plan([plan])
        opened.save([make_result(plan.runs[0], (1.0, 0.9, 0.5), fit=((10, 100, 100),))])
    return place


@pytest.fixture(scope="module")
def port(site: Path, store: Path) -> Iterator[int]:
    with running(Server([store], site, host="127.0.0.1", port=0)) as number:
        yield number


# Requests


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\r\n\r\n",
        b"GET http://evil/ HTTP/1.1\r\n\r\n",
        b"GET / HTTP/2\r\n\r\n",
        b"get / HTTP/1.1\r\n\r\n",
        b"GET /a b HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
        b"GET / HTTP/1.1\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: \x00\r\n\r\n",
        b"GET //evil/ HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /\\..\\x HTTP/1.1\r\nHost: a\r\n\r\n",
        head("GET / HTTP/1.1", *(f"X{number}: y" for number in range(101))),
    ],
)
def test_what_is_not_a_well_formed_request_is_refused(data: bytes) -> None:
    found = read_request(data)
    assert isinstance(found, Response)
    assert found.status is HTTPStatus.BAD_REQUEST


def test_a_request_is_read_with_its_path_decoded() -> None:
    found = read_request(head("GET /a%20b?x=1 HTTP/1.1", "Host: here", "X-Y:  z "))
    assert isinstance(found, Request)
    assert (found.path, found.query, found.headers["x-y"]) == ("/a b", {"x": ["1"]}, "z")


def test_inline_parts_of_a_page_are_allowed_by_their_hash_and_nothing_else_is() -> None:
    allowed = policy_of(b"<style>a {}</style><script>b()</script>")
    assert "'unsafe-inline'" not in allowed
    assert allowed.count("'sha256-") == 2
    assert policy_of(b"<style>a {}</style><script>b()</script>", scripts=False).count("'sha256-") == 1
    assert "frame-ancestors 'none'" in allowed


# Who may ask


def test_another_host_is_refused(port: int) -> None:
    assert get(port, "/", host="evil.example")[0] == 421
    assert get(port, "/", host=f"localhost:{port}")[0] == 200
    assert int(send(port, head("GET / HTTP/1.1")).split()[1]) == 421


def test_another_origin_is_refused(port: int) -> None:
    assert get(port, "/", "Origin: http://evil.example")[0] == 403
    assert get(port, "/", "Origin: null")[0] == 403
    assert get(port, "/", f"Origin: http://127.0.0.1:{port}")[0] == 200
    assert get(port, "/", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors")[0] == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT"])
def test_nothing_can_be_written(port: int, method: str) -> None:
    assert get(port, "/", method=method)[0] == 405


def test_a_body_is_refused(port: int) -> None:
    assert get(port, "/", "Content-Length: 5")[0] == 413
    assert get(port, "/", "Transfer-Encoding: chunked")[0] == 413


def test_a_token_is_needed_where_others_can_reach_the_server() -> None:
    guard = Guard(hosts=frozenset(), token="secret")
    request = Request(method="GET", path="/", query={}, headers={"host": "box:1"})

    def with_(**changes: object) -> Request:
        return Request(
            **{name: changes.get(name, getattr(request, name)) for name in ("method", "path", "query", "headers")}
        )  # type: ignore[arg-type]

    refused = guard.refuse(request)
    assert refused is not None
    assert refused.status is HTTPStatus.UNAUTHORIZED
    entered = guard.refuse(with_(query={"token": ["secret"]}))
    assert entered is not None
    assert entered.headers["Set-Cookie"] == "lengthwise=secret; HttpOnly; SameSite=Strict; Path=/"
    assert guard.refuse(with_(headers={"host": "box:1", "cookie": "x=y; lengthwise=secret"})) is None
    wrong = guard.refuse(with_(query={"token": ["Secret"]}, headers={"host": "box:1", "cookie": "lengthwise=é"}))
    assert wrong is not None
    assert wrong.status is HTTPStatus.UNAUTHORIZED


def test_a_server_that_others_can_reach_has_a_token_and_one_on_loopback_has_none() -> None:
    near, far = (Server([], None, host=host, port=0) for host in ("127.0.0.1", "0.0.0.0"))
    with closing(near.socket), closing(far.socket):
        assert near.guard.token == ""
        assert len(far.guard.token) == 32
        assert far.guard.token in far.address


# What is shown


def test_files_of_the_site_are_shown_and_pages_state_their_policy(port: int) -> None:
    answered = send(port, head("GET / HTTP/1.1", f"Host: 127.0.0.1:{port}"))
    assert answered.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answered.endswith(b"<p>the page</p><script>shown()</script>")
    for header in (
        b"X-Frame-Options: DENY",
        b"X-Content-Type-Options: nosniff",
        b"frame-ancestors 'none'",
        b"'sha256-",
    ):
        assert header in answered
    assert get(port, "/inner/page.html") == (200, b"<p>inside</p>")
    assert get(port, "/inner/page.html", method="HEAD") == (200, b"")


def test_a_page_that_has_not_changed_is_not_sent_again(port: int) -> None:
    tag = send(port, head("GET / HTTP/1.1", f"Host: 127.0.0.1:{port}")).split(b"ETag: ")[1].split(b"\r\n")[0].decode()
    assert get(port, "/", f"If-None-Match: {tag}") == (304, b"")


@pytest.mark.parametrize("path", ["/", "/docs/page.html", "/inner/page.html", "/plain.txt"])
def test_an_answer_without_the_page_repeats_every_header_of_the_one_with_it(port: int, path: str) -> None:
    """A browser applies them to the page that it kept: another policy would block the page's own styles and scripts."""

    def headers(*asked: str) -> tuple[str, dict[str, str]]:
        answered = send(port, head(f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", *asked))
        first, *lines = answered.partition(b"\r\n\r\n")[0].decode().split("\r\n")
        return first, dict(line.split(": ", 1) for line in lines)

    status, fresh = headers()
    assert status == "HTTP/1.1 200 OK"
    status, kept = headers(f"If-None-Match: {fresh['ETag']}")
    assert status == "HTTP/1.1 304 Not Modified"
    assert kept["Content-Security-Policy"] == fresh["Content-Security-Policy"]
    assert kept == fresh
    assert ("'unsafe-inline'" in kept["Content-Security-Policy"]) == path.startswith("/docs/")


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/inner/../../secret.txt",
        "/..%2fsecret.txt",
        "/inner/%2e%2e%2f%2e%2e%2fsecret.txt",
        "/link.txt",
        "/linked/secret.txt",
        "/.hidden.txt",
        "/%00",
        "/etc/passwd",
        "/stores/../../secret.txt",
        "/stores/0/../../../secret.txt",
        "/stores/99/",
        "/stores/-1/",
        "/stores/٠/",
        "/stores/0",
        "/stores/0/report/x",
    ],
)
def test_nothing_outside_the_folder_is_shown(port: int, path: str) -> None:
    status, body = get(port, path.encode("ascii", "ignore").decode())
    assert status == 404
    assert b"secret" not in body


def test_a_file_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("x")
    server = Server([], tmp_path, host="127.0.0.1", port=0)
    (tmp_path / "index.html").unlink()
    (tmp_path / "index.html").symlink_to("/etc/hostname")
    with closing(server.socket):
        request = Request(
            method="GET", path="/", query={}, headers={"host": f"127.0.0.1:{server.socket.getsockname()[1]}"}
        )
        assert server.respond(request).status is HTTPStatus.NOT_FOUND


def test_a_folder_without_a_page_is_no_site(tmp_path: Path) -> None:
    with pytest.raises(LengthwiseError, match=r"has no index\.html, so it is no site"):
        site_files(tmp_path)


def test_stores_are_listed_with_their_runs_and_what_is_finished(port: int) -> None:
    status, overview = get(port, "/stores/")
    assert status == 200
    assert b"runs &lt;b&gt;.sqlite" in overview
    assert b"1 of 2 planned runs are finished" in overview
    status, page = get(port, "/stores/0/")
    assert status == 200
    assert b"<script type=" in page
    assert b"Report" in page
    assert json.loads(get(port, "/stores/0/progress.json")[1]) == {"finished": 1, "planned": 2}
    status, report = get(port, "/stores/0/report")
    assert status == 200
    assert b"Curves and reasons" in report


def test_a_store_that_is_not_there_is_an_error_on_the_page(tmp_path: Path) -> None:
    page = Stores([tmp_path / "none.sqlite"]).page("/stores/0/")
    assert b"there is no store" in page.body


# Slow and large clients


def test_a_slow_client_is_dropped_and_others_are_answered_meanwhile(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "HEAD_SECONDS", 0.4)
    slow = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(20)]
    try:
        for client in slow:
            client.sendall(b"GET / HTTP/1.1\r\nHost: ")
        started = time.monotonic()
        assert get(port, "/")[0] == 200
        assert time.monotonic() - started < 5
        for client in slow:
            assert client.recv(10) == b""
    finally:
        for client in slow:
            client.close()


def test_a_head_that_never_ends_is_refused(port: int) -> None:
    answered = send(port, b"GET / HTTP/1.1\r\nX: " + b"y" * (3 * LONGEST_HEAD))
    assert answered == b"" or b"431" in answered.split(b"\r\n")[0]
    assert get(port, "/")[0] == 200


def test_an_address_in_use_is_an_error_in_words(port: int) -> None:
    with pytest.raises(LengthwiseError, match=f"cannot listen at '127.0.0.1', port {port}: Address already in use"):
        Server([], None, host="127.0.0.1", port=port)

"""A headless Chromium, driven over the DevTools protocol: what the player's tests look through."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import websocket

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
         "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-port=0",
         "--remote-allow-origins=*")  # fmt: skip
PATIENCE = 40.0


class Page:
    """One page: ``log`` holds what the console and the security policy say, ``asked`` every request."""

    def __init__(self, address: str) -> None:
        self._socket = websocket.create_connection(address, timeout=PATIENCE)
        self._number = 0
        self.log: list[str] = []
        self.asked: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility", "DOM"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            told = json.loads(self._socket.recv())
            if told.get("id") == self._number:
                if "error" in told:
                    raise RuntimeError(f"{method}: {told['error']}")
                found: dict[str, Any] = told["result"]
                return found
            self._heard(told)

    def _heard(self, told: dict[str, Any]) -> None:
        params = told.get("params", {})
        match told.get("method"):
            case "Log.entryAdded":
                self.log.append(params["entry"]["text"])
            case "Runtime.consoleAPICalled":
                self.log.append(" ".join(str(argument.get("value")) for argument in params["args"]))
            case "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                self.log.append(details.get("exception", {}).get("description", details["text"]))
            case "Network.requestWillBeSent":
                self.asked.append(params["request"]["url"])

    def run(self, script: str) -> Any:
        """The value of an expression; a promise is waited for."""
        told = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in told:
            raise RuntimeError(told["exceptionDetails"].get("exception", {}).get("description"))
        return told["result"].get("value")

    def open(self, url: str) -> None:
        self.send("Page.navigate", url="about:blank")
        self.asked.clear()
        self.send("Page.navigate", url=url)
        self.until("document.readyState === 'complete' && location.protocol === 'file:'")

    def until(self, condition: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.run(condition):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.02)

    def key(self, name: str) -> None:
        """Press and release a key, as a keyboard does."""
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35,
                 "PageUp": 33, "PageDown": 34, "Escape": 27, "Tab": 9, " ": 32, "Enter": 13}  # fmt: skip
        both = {"key": name, "code": "Space" if name == " " else name, "windowsVirtualKeyCode": codes[name]}
        text = {"text": name} if name == " " else {}
        self.send("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **both, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", **both)

    def point(self, selector: str) -> None:
        """Move the mouse to the middle of an element."""
        x, y = self.middle(selector)
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def middle(self, selector: str) -> tuple[float, float]:
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView("
            "{block: 'center'}); const b = e.getBoundingClientRect(); return [b.x + b.width / 2, "
            "b.y + b.height / 2]; })()"
        )
        return float(box[0]), float(box[1])

    def media(self, **features: str) -> None:
        """Pretend preferences, such as prefers_color_scheme="dark"."""
        named = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.send("Emulation.setEmulatedMedia", features=named)

    def size(self, width: int, height: int = 900) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)  # fmt: skip

    def scripts(self, wanted: str) -> None:
        """Turn scripts "on" or "off" for pages opened from now on."""
        self.send("Emulation.setScriptExecutionDisabled", value=wanted == "off")

    def shot(self, path: Path, **more: Any) -> None:
        told = self.send("Page.captureScreenshot", format="png", **more)
        path.write_bytes(base64.b64decode(told["data"]))

    def close(self) -> None:
        self._socket.close()


@contextmanager
def browser() -> Iterator[Page]:
    """A Chromium with an empty profile, ended afterwards."""
    with tempfile.TemporaryDirectory() as profile:
        with subprocess.Popen(
            [str(CHROMIUM), *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            try:
                page = Page(_page_of(process))
                try:
                    yield page
                finally:
                    page.close()
            finally:
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
        _settle(Path(profile))


def _page_of(process: subprocess.Popen[str]) -> str:
    """The address of the first page, once the browser listens."""
    import threading
    import urllib.request

    said = []
    for line in process.stderr or ():
        said.append(line)
        if found := re.search(r"DevTools listening on ws://([^/]+)/", line):
            # What it says later must not fill the pipe.
            threading.Thread(target=lambda: [None for _ in process.stderr or ()], daemon=True).start()
            with urllib.request.urlopen(f"http://{found[1]}/json/list", timeout=PATIENCE) as answer:
                pages = json.load(answer)
            return next(str(page["webSocketDebuggerUrl"]) for page in pages if page["type"] == "page")
    raise RuntimeError(f"Chromium did not start: {''.join(said[-5:])}")


def _settle(profile: Path) -> None:
    """Wait until the browser's children write no more, so that its folder can be removed."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            shutil.rmtree(profile)
            profile.mkdir()
            return
        except OSError:
            time.sleep(0.1)

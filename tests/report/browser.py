"""Drives headless Chromium through chromedriver and the WebDriver protocol, with the standard library alone."""

import base64
import json
import re
import shutil
import subprocess
import tempfile
import urllib.request

# Software rendering, so that the tests need no graphics card; nothing that would talk to a network by itself.
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]

# In seconds; software rendering on a busy machine takes its time.
TIMEOUT = 300

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def is_available():
    return bool(shutil.which("chromedriver") and (shutil.which("chromium") or shutil.which("google-chrome")))


class Browser:
    """with Browser() as browser: …; each has an empty profile of its own."""

    def __init__(self, size=(1400, 1000), dark=False, script=True):
        self.size = size
        self.dark = dark
        self.script = script

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            if found := re.search(r"started successfully on port (\d+)", line):
                break
        else:
            raise RuntimeError("chromedriver did not start")
        self.address = f"http://127.0.0.1:{found[1]}"
        arguments = ARGUMENTS + [f"--user-data-dir={self.profile.name}", "--window-size=%d,%d" % self.size]
        options = {"args": arguments}
        if not self.script:
            options["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
        capabilities = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        answer = self._post("/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.session = f"/session/{answer['sessionId']}"
        self.devtools("Network.enable")
        self.devtools("Emulation.setDeviceMetricsOverride", width=self.size[0], height=self.size[1],
                      deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if self.dark else "light"}
        self.devtools("Emulation.setEmulatedMedia", features=[scheme])
        return self

    def __exit__(self, *_):
        try:
            self._request("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
            self.profile.cleanup()

    def _request(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=TIMEOUT) as answer:
            return json.load(answer)["value"]

    def _post(self, path, body):
        return self._request("POST", path, body)

    def devtools(self, command, **parameters):
        return self._post(f"{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, path):
        self._post(f"{self.session}/url", {"url": path.resolve().as_uri()})

    def run(self, script, *arguments):
        """The value of `return …` in the page."""
        return self._post(f"{self.session}/execute/sync", {"script": script, "args": list(arguments)})

    def wait_for_frame(self):
        """Returns once everything asked for so far was drawn."""
        script = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));"
        self._post(f"{self.session}/execute/async", {"script": script, "args": []})

    def find(self, selector):
        return self._post(f"{self.session}/elements", {"using": "css selector", "value": selector})

    def move_pointer_to(self, element, x_from_middle, y_from_middle):
        move = {"type": "pointerMove", "duration": 0, "origin": element, "x": x_from_middle, "y": y_from_middle}
        pointer = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [move]}
        self._post(f"{self.session}/actions", {"actions": [pointer]})

    def screenshot(self, element=None):
        """PNG of the window or of an element, as bytes."""
        path = f"/element/{element[ELEMENT]}" if element else ""
        return base64.b64decode(self._request("GET", f"{self.session}{path}/screenshot"))

    def colors(self, element):
        """The colours of a canvas, reduced to 100 × 80 pixels, each as a list of four numbers."""
        numbers = self.run("""
            const small = document.createElement('canvas');
            [small.width, small.height] = [100, 80];
            const pen = small.getContext('2d');
            pen.imageSmoothingEnabled = false;
            pen.drawImage(arguments[0], 0, 0, 100, 80);
            return [...pen.getImageData(0, 0, 100, 80).data];""", element)
        return [tuple(numbers[i:i + 4]) for i in range(0, len(numbers), 4)]

    def console(self):
        """Messages of the page, warnings and errors among them."""
        return [entry for entry in self._post(f"{self.session}/se/log", {"type": "browser"})]

    def requests(self):
        """Addresses that pages in files asked for, besides themselves and what is in them."""
        messages = (json.loads(entry["message"])["message"]
                    for entry in self._post(f"{self.session}/se/log", {"type": "performance"}))
        asked = [message["params"] for message in messages if message["method"] == "Network.requestWillBeSent"]
        addresses = [one["request"]["url"] for one in asked if one["documentURL"].startswith("file:")]
        return [address for address in addresses if not address.startswith(("file:", "data:", "blob:"))]

"""Opens a chapter's notebook in JupyterLab in a real browser, runs all cells and looks.

    python tests/course/lab_check.py [CHAPTER]

Two copies of this checkout, as shipped: with bodies every cell must run and its pictures be shown;
untouched it must end in the sentence about an open exercise. Screenshots go to build/lab/. Without
a browser nothing is verified, and that is what it says.
"""

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
LEFT_OUT = shutil.ignore_patterns(
    "build", ".git", ".venv", ".minigrad", ".*_cache", "__pycache__", "*.mine.ipynb", "dist"
)
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    # All cells at once, so that one picture can show them.
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none", "scrollPastEnd": False},
}
SECONDS = 240
WIDTH, TALLEST = 1100, 16_000
# What the page knows of the notebook once it has been run.
LOOK = """() => {
  const all = (s) => [...document.querySelectorAll('.jp-Notebook ' + s)];
  const text = (s) => all(s).map((e) => e.textContent.trim());
  return {
    prompts: text('.jp-CodeCell .jp-InputArea-prompt'),
    pictures: all('.jp-OutputArea-output img').map((i) => [i.naturalWidth, i.naturalHeight]),
    errors: text('[data-mime-type="application/vnd.jupyter.stderr"]'),
    height: all('.jp-WindowedPanel-outer')[0].scrollHeight,
  };
}"""


@dataclass
class Seen:
    """What the browser showed after all cells were run."""

    prompts: list[str]
    pictures: list[list[int]]
    errors: list[str]  # and warnings: JupyterLab draws both alike
    height: int


def make_copy(folder: Path, chapter_number: int, solved: bool) -> tuple[Path, str]:
    """A copy of the checkout as it ships, and the path of the chapter's notebook in it."""
    from minigrad.course import cut
    from minigrad.course.catalog import Course

    root = folder / ("solved" if solved else "untouched")
    shutil.copytree(ROOT, root, ignore=LEFT_OUT, symlinks=True)
    course = Course(root)
    for name, data in cut.plan(course).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    chapter = course.chapter(chapter_number)
    if solved:
        for target in chapter.files:
            shutil.copyfile(root / "solutions" / target, root / "chapters" / target)
    return root, f"chapters/{chapter.name}/{chapter.name}.ipynb"


@contextmanager
def jupyterlab(root: Path, settings: Path) -> Iterator[str]:
    """A JupyterLab server on `root`, with no settings but ours; yields its address and token."""
    folders = {f"JUPYTER_{n}_DIR": str(settings / n.lower()) for n in ("CONFIG", "DATA", "RUNTIME")}
    overrides = settings / "config" / "labconfig" / "default_setting_overrides.json"
    overrides.parent.mkdir(parents=True, exist_ok=True)
    overrides.write_text(json.dumps(SETTINGS), encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if k not in ("MPLBACKEND", "JUPYTER_PATH")}
    environment |= {**folders, "IPYTHONDIR": str(settings / "ipython"), "PYTHONPATH": str(root)}
    token = secrets.token_hex(16)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [f"--ServerApp.root_dir={root}", f"--IdentityProvider.token={token}"]
    with open(settings / "server.log", "w", encoding="utf-8") as log:
        server = subprocess.Popen(
            command, cwd=root, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            yield f"{_address(server, settings)}|{token}"
        finally:
            server.terminate()
            server.wait(timeout=30)


def _address(server: "subprocess.Popen[bytes]", settings: Path) -> str:
    """Where the server listens: it takes the next free port and writes down which."""
    record = settings / "runtime" / f"jpserver-{server.pid}.json"
    for _ in range(600):
        if record.is_file() and record.read_text(encoding="utf-8").strip().endswith("}"):
            return str(json.loads(record.read_text(encoding="utf-8"))["url"])
        if server.poll() is not None:
            break
        time.sleep(0.1)
    log = (settings / "server.log").read_text(encoding="utf-8")
    raise SystemExit(f"lab-check: JupyterLab did not start.\n{log}")


def run_all(page: Any, address: str, token: str, notebook: str, picture: Path) -> Seen:
    """Open the notebook, Run All, wait until the kernel is idle, take the picture."""
    page.set_viewport_size({"width": WIDTH, "height": 900})
    page.goto(f"{address}doc/tree/{notebook}?token={token}&reset")
    page.wait_for_selector(".jp-NotebookPanel .jp-CodeCell", timeout=60_000)
    _wait_for_kernel(f"{address}api/kernels?token={token}")
    page.locator(".lm-MenuBar-item", has_text="Run").first.click()
    page.locator('.lm-Menu-item[data-command="runmenu:run-all"]').click()
    deadline = time.monotonic() + SECONDS
    quiet = 0
    while quiet < 4:
        page.wait_for_timeout(500)
        seen = Seen(**page.evaluate(LOOK))
        busy = "[*]:" in seen.prompts or not any(map(_number, seen.prompts))
        quiet = 0 if busy else quiet + 1
        if time.monotonic() > deadline:
            break
    page.evaluate("document.activeElement.blur()")
    page.set_viewport_size({"width": WIDTH, "height": min(seen.height + 140, TALLEST)})
    page.evaluate("document.querySelector('.jp-Notebook .jp-WindowedPanel-outer').scrollTop = 0")
    page.wait_for_timeout(1000)
    page.screenshot(path=picture)
    return seen


def _wait_for_kernel(address: str) -> None:
    """Until the page is connected to an idle kernel: before that, Run All asks for one."""
    for _ in range(300):
        with urllib.request.urlopen(address) as answer:
            kernels = json.load(answer)
        if any(k["connections"] and k["execution_state"] == "idle" for k in kernels):
            return
        time.sleep(0.2)
    raise SystemExit("lab-check: no kernel became ready within a minute.")


def _number(prompt: str) -> bool:
    return prompt.strip("[]:").isdigit()


def check_solved(seen: Seen, expected_pictures: int) -> list[str]:
    """What is wrong with the notebook whose exercises are solved."""
    wrong = [f"an error or warning: {each}" for each in seen.errors]
    run = [p for p in seen.prompts if _number(p)]
    if len(run) != len(seen.prompts):
        wrong.append(f"{len(seen.prompts) - len(run)} of {len(seen.prompts)} cells did not run")
    shown = [p for p in seen.pictures if min(p) > 100]
    if len(shown) < expected_pictures:
        wrong.append(f"{len(shown)} pictures are shown, expected {expected_pictures}")
    return wrong


def check_untouched(seen: Seen, first: str) -> list[str]:
    """What is wrong with the notebook of a chapter that nobody has worked on."""
    start = f"exercise {first} is still open (chapters/"
    wrong = []
    if len(seen.errors) != 1 or not seen.errors[0].startswith(start):
        wrong.append(f"expected the one message {start}...), got {seen.errors}")
    elif "Traceback" in seen.errors[0] or f"minigrad hint {first}" not in seen.errors[0]:
        wrong.append(f"the message should be one sentence and the command, got {seen.errors[0]}")
    if all(map(_number, seen.prompts)):
        wrong.append("the cells after the message ran too")
    return wrong


def expected_pictures(notebook: Path) -> int:
    """How many pictures the executed notebook holds."""
    if not notebook.is_file():
        raise SystemExit(
            f"lab-check: solutions/{notebook.parent.name} has no notebook: make notebooks"
        )
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    outputs = [o for cell in cells for o in cell.get("outputs", ())]
    return sum("image/png" in o.get("data", {}) for o in outputs)


def main(arguments: list[str]) -> int:
    """Both copies; 0 if all is well or nothing could be verified, 1 if something is wrong."""
    browser = next((found for found in map(shutil.which, BROWSERS) if found), None)
    if browser is None:
        print("not verified: notebooks in a browser (chromium missing: sudo apt install chromium)")
        return 0
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("not verified: notebooks in a browser (playwright missing: pip install playwright)")
        return 0
    sys.path.insert(0, str(ROOT))
    from minigrad.course import launch
    from minigrad.course.catalog import Course

    launch.enter(ROOT)
    chapter = Course(ROOT).chapter(int(arguments[0]) if arguments else 1)
    pictures = ROOT / "build" / "lab"
    pictures.mkdir(parents=True, exist_ok=True)
    failed = False
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for solved in (True, False):
            root, notebook = make_copy(Path(folder), chapter.number, solved)
            settings = Path(folder) / f"settings-{root.name}"
            picture = pictures / f"{chapter.name}-{root.name}.png"
            with jupyterlab(root, settings) as place:
                address, token = place.split("|")
                page = chromium.new_page()
                seen = run_all(page, address, token, notebook, picture)
                page.close()
            if solved:
                executed = root / notebook.replace("chapters/", "solutions/", 1)
                wrong = check_solved(seen, expected_pictures(executed))
                fine = f"{len(seen.prompts)} cells ran, {len(seen.pictures)} pictures"
            else:
                wrong = check_untouched(seen, chapter.exercises[0].id)
                fine = f"ends in: {' '.join(seen.errors)}"
            failed |= bool(wrong)
            print(f"{notebook} {root.name}: {'; '.join(wrong) or fine}")
            print(f"  screenshot: {picture.relative_to(ROOT)}")
        chromium.close()
    print("lab-check: " + ("failed" if failed else "ok"))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

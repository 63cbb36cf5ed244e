"""``make pocket`` compiles the kernel to WebAssembly, in a version for floats and one for doubles.

The compiler is a package (``compiler.txt``) and gives the same bytes on every machine. A test
compiles the kernel again and compares the result with the committed files.
"""

import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_name("kernel.c")
BUILT = Path(__file__).resolve().parents[2] / "static" / "pocket"
COMPILER = [sys.executable, "-m", "ziglang", "cc", "-target", "wasm32-freestanding"]
OPTIONS = [
    *("-std=c17", "-Wall", "-Wextra", "-Werror"),
    *("-O3", "-msimd128", "-mbulk-memory", "-nostdlib", "-fno-builtin", "-fvisibility=hidden"),
    *("-Wl,--no-entry", "-Wl,--export-dynamic", "-Wl,--export=__heap_base", "-Wl,--strip-all"),
]
PROGRAMS = {"float32.wasm": ["-DSINGLE"], "float64.wasm": []}


def build(folder: Path) -> None:
    for name, defined in PROGRAMS.items():
        made = folder / name
        command = [*COMPILER, *OPTIONS, *defined, "-o", str(made), SOURCE.name]
        # The bare file name keeps the paths of this machine out of the result.
        subprocess.run(command, check=True, cwd=SOURCE.parent)  # noqa: S603
        made.chmod(0o644)


if __name__ == "__main__":
    build(BUILT)

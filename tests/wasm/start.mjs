// Runs a Python program by Pyodide: `node start.mjs FOLDER_OF_PYODIDE PROGRAM FOLDER...`; the folders become `sys.path`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [home, program, ...folders] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(home, "pyodide.mjs")));
const pyodide = await loadPyodide();
const argv = folders.map((root, number) => {
  const point = `/on-path/${number}`;
  pyodide.FS.mkdirTree(point);
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root }, point);
  return point;
});
pyodide.globals.set("argv", pyodide.toPy(argv));
pyodide.runPython("import sys; sys.argv[1:] = argv; sys.path[:0] = argv; sys.dont_write_bytecode = True");
try {
  pyodide.runPython(readFileSync(program, "utf-8"));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

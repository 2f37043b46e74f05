// Tests the output of commands: to readers that stop early, to full disks, to narrow terminals, and without colors.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { join } from "node:path";
import { type CommandResult, run } from "./support/command.ts";
import { Project, repository } from "./support/project.ts";

let project: Project;
before(async () => {
  project = await Project.copy();
  await project.kitOk("build", "--no-compile");
});
after(() => project.remove());

/** Runs a command line in a shell in which `kit` is the program of this repository. */
function shell(line: string, env: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
  const kit = `kit() { '${process.execPath}' '${join(repository, "node_modules/.bin/kit")}' "$@"; }`;
  return run("bash", ["-c", `${kit}; ${line}`], { cwd: project.root, env });
}

const PRINTED = [
  "inspect routes",
  "inspect routes --json",
  "inspect schema Note --verbose",
  "explain KIT1302",
  "explain",
  "completions bash",
  "build --no-compile --json",
  "--help",
];

describe("standard output of a command", () => {
  for (const command of PRINTED) {
    test(`may be closed early by its reader: kit ${command} | head -1`, async () => {
      const { stdout, stderr } = await shell(`kit ${command} | head -1; echo "\${PIPESTATUS[@]}"`);
      assert.match(stdout, /\n0 0\n$/);
      assert.equal(stderr, "");
    });

    test(
      `makes the command fail if its output cannot be written: kit ${command} > /dev/full`,
      {
        skip: process.platform !== "linux",
      },
      async () => {
        const { code, stderr } = await shell(`kit ${command} > /dev/full`);
        assert.equal(code, 1);
        assert.match(stderr, /^error: cannot write to standard output: No space left on device/m);
      },
    );

    test(`may be closed from the beginning: kit ${command} >&-`, async () => {
      const { stderr } = await shell(`kit ${command} >&-`);
      assert.doesNotMatch(stderr, /panicked|Error:|\bat .*\.js:/);
    });
  }

  test("may be closed together with standard error, so that nothing is printed", async () => {
    const { code } = await shell("kit build --no-compile >&- 2>&-");
    assert.equal(code, 0);
  });
});

/**
 * Returns the output of a command in a pseudoterminal with this number of columns. Returns `undefined` if the machine has no program
 * `script`.
 */
async function outputOf(command: string, columns: number): Promise<string | undefined> {
  const line = `stty -F /dev/tty cols ${columns} rows 24; '${process.execPath}' '${join(repository, "node_modules/.bin/kit")}' ${command}`;
  try {
    const result = await run("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
      cwd: project.root,
      env: { NO_COLOR: "", TERM: "xterm" },
    });
    return result.stdout.replaceAll("\r", "");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

const ESCAPE = String.fromCharCode(27);
const COLOR = new RegExp(`${ESCAPE}\\[[\\d;]*m`);

describe("a command in a terminal", () => {
  test("prints no colors if --no-color is given at any position", async (t) => {
    const colored = await outputOf("inspect --help", 80);
    if (colored === undefined) {
      t.skip("script (util-linux) is not installed");
      return;
    }
    assert.ok(colored.includes("\u001B["));
    for (const command of ["--no-color generate", "generate --no-color", "inspect --help --no-color"])
      // The sequence that erases a line is not a color.
      assert.ok(!COLOR.test((await outputOf(command, 80)) ?? ""), command);
  });

  test("wraps its help between words if the terminal is narrow", async (t) => {
    const help = await outputOf("build --help --no-color", 48);
    if (help === undefined) {
      t.skip("script (util-linux) is not installed");
      return;
    }
    const prose = help.slice(0, help.indexOf("Examples:"));
    for (const line of prose.split("\n")) assert.ok(line.length <= 48, line);
  });
});

import assert from "node:assert/strict";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";

import { baseEnvironment } from "./command.ts";
import { repository } from "./project.ts";

/** Characters that a terminal sends for a key. */
export const DOWN = "\u001B[B";
export const ENTER = "\r";
export const ESCAPE = "\u001B";
export const CTRL_C = "\u0003";

/** Text to wait for on the screen, and the keys that are then pressed. */
export type Step = readonly [question: string, ...keys: string[]];

/** Output of a command in a pseudoterminal. */
export interface Seen {
  readonly code: number;
  readonly text: string;
  /** Settings of the terminal before and after the command, as `stty -g` prints them. */
  readonly terminal: readonly (string | undefined)[];
}

/** Runs `kit` with these arguments in a pseudoterminal of 80 columns, as a shell does, and answers its questions. */
export async function onTerminal(args: string, cwd: string, steps: readonly Step[]): Promise<Seen> {
  const kit = `'${process.execPath}' '${join(repository, "node_modules/.bin/kit")}'`;
  const script = `echo "terminal $(stty -g)"; ${kit} ${args}; code=$?; echo "terminal $(stty -g)"; exit $code`;
  const { NO_COLOR: _, ...inherited } = baseEnvironment();
  const terminal = spawn("sh", ["-c", script], { cols: 80, rows: 24, cwd, env: inherited });
  let text = "";
  let from = 0;
  const left = [...steps];
  const typed: string[] = [];
  terminal.onData((more) => {
    text += more;
    const [question, ...keys] = left[0] ?? [];
    if (question === undefined || !text.slice(from).includes(question)) return;
    from = text.length;
    left.shift();
    typed.push(question);
    for (const key of keys) terminal.write(key);
  });
  const code = await new Promise<number>((resolve) => {
    const timer = setTimeout(() => terminal.kill("SIGKILL"), 60_000);
    terminal.onExit(({ exitCode }) => {
      clearTimeout(timer);
      resolve(exitCode);
    });
  });
  assert.deepEqual(
    typed,
    steps.map(([question]) => question),
    text,
  );
  const settings = [...text.matchAll(/^terminal (\S+)/gm)].map((match) => match[1]);
  return { code, text, terminal: settings };
}

/** Asserts that the command has restored the settings and the cursor of the terminal. */
export function restored({ terminal, text }: Seen): void {
  assert.equal(terminal.length, 2, text);
  assert.equal(terminal[0], terminal[1]);
  assert.ok(text.lastIndexOf("\u001B[?25h") >= text.lastIndexOf("\u001B[?25l"), JSON.stringify(text));
}

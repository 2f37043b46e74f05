// Executes the commands on a page of the documentation in order, and compares the output on the page with the
// real output.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { type Block, blocks, matches, type Step, steps } from "../docs/page.ts";
import { baseEnvironment, run } from "../e2e/support/command.ts";
import { repository } from "../e2e/support/project.ts";
import { Terminal } from "./terminal.ts";

/** Directories and port that replace those on the page. */
export interface Place {
  /** Empty directory in which the reader of the page starts. */
  readonly directory: string;
  /** Directory that replaces `~` on the page. */
  readonly home: string;
  /** Free port that replaces 3000 on the page. */
  readonly port: number;
  /** Commands in `sh` blocks of the page that have been run before. */
  readonly done: readonly string[];
}

/** Error if npm can reach no registry, so that the page cannot be checked. */
export class NoRegistry extends Error {}

/** Matches commands that run until Ctrl-C. */
const STAYS = /^(npm run dev|([A-Z_]+=\S+ )?node )/;

/** Matches requests that are repeated until the response is as on the page, because the new version of the application may not run yet. */
const ASKS_AGAIN = /^curl (?!.* -d )/;
const AGAIN_WITHIN_MS = 30_000;

/** Matches files after whose change `kit dev` restarts the application. */
const SERVED = /^src\/.*\.ts$/;

/** Matches output of the application, which may appear between kit's messages at any time. */
const BESIDE = /^(Listening on \S+|(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) +\/.*)$/;

/** Matches warnings of npm about the settings of this machine. */
const OF_MACHINE = /^npm warn Unknown (user|env|project|global) config .*\n/gm;

/** Executes a page. Throws an error if the output on the page differs from the real output. */
export async function replay(page: string, text: string, place: Place): Promise<void> {
  const reader = new Reader(page, place);
  try {
    for (const block of blocks(text))
      // oxlint-disable-next-line no-await-in-loop
      await reader.read(block);
  } finally {
    await reader.leave();
  }
}

class Reader {
  readonly #page: string;
  readonly #place: Place;
  readonly #environment: Readonly<Record<string, string>>;
  #directory: string;
  #terminal: Terminal | undefined;

  constructor(page: string, place: Place) {
    this.#page = page;
    this.#place = place;
    this.#directory = place.directory;
    // Hides the programs of this repository, because the reader of the page has only Node.
    const path = (process.env["PATH"] ?? "").split(delimiter);
    const own = path.filter((directory) => !directory.startsWith(repository));
    this.#environment = {
      PATH: [dirname(process.execPath), ...own].join(delimiter),
      PORT: `${place.port}`,
      npm_config_prefer_offline: "true",
    };
  }

  async read(block: Block): Promise<void> {
    const { language, file, line } = block;
    if (language === "console") {
      // oxlint-disable-next-line no-await-in-loop
      for (const step of steps(block)) await this.#type(step);
    } else if (language === "sh") {
      const commands = block.text.trim().split("\n");
      for (const command of commands)
        assert.ok(this.#place.done.includes(command), `${this.#page}:${line}: nobody runs \`${command}\``);
    } else if (language === "text") await this.#look(block);
    else if (file !== undefined) await this.#edit(block, file);
    else assert.fail(`${this.#page}:${line}: it is not said what the block of ${language} is for`);
  }

  /** Stops the command that is running. */
  async leave(): Promise<void> {
    const terminal = this.#terminal;
    this.#terminal = undefined;
    await terminal?.interrupt();
  }

  async #type(step: Step): Promise<void> {
    const command = step.command
      .replaceAll("~/", `${this.#place.home}/`)
      .replaceAll("localhost:3000", `localhost:${this.#place.port}`);
    if (STAYS.test(step.command)) {
      await this.leave();
      this.#terminal = new Terminal(command, {
        cwd: this.#directory,
        env: { ...baseEnvironment(), ...this.#environment },
      });
      const terminal = this.#terminal;
      const isPrinted = await terminal.shows((unread) => matches(this.#asShown(unread), step.output));
      if (!isPrinted) this.#differs(step.line, step.command, step.output, terminal.unread);
      return;
    }
    const deadline = performance.now() + AGAIN_WITHIN_MS;
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop
      const { code, printed } = await this.#run(command);
      if (matches(printed, step.output)) return;
      if (
        code !== 0 &&
        /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH)\b/.test(printed) &&
        /^np[mx] /.test(command)
      )
        throw new NoRegistry(printed);
      if (!ASKS_AGAIN.test(command) || performance.now() > deadline)
        this.#differs(step.line, step.command, step.output, `${printed}(exit code ${code})\n`);
      // oxlint-disable-next-line no-await-in-loop
      await setTimeout(200);
    }
  }

  /** Runs a command in the current directory. `cd` changes that directory for later commands. */
  async #run(command: string): Promise<{ code: number | null; printed: string }> {
    const script = `exec 2>&1; set -o pipefail; ${command}\ncode=$?; echo; echo "in $PWD"; exit $code`;
    const result = await run("bash", ["-c", script], {
      cwd: this.#directory,
      env: this.#environment,
      timeout: 300_000,
    });
    const [, printed = "", directory] = /^([^]*)\nin (.*)\n$/.exec(result.stdout) ?? [];
    if (directory !== undefined) this.#directory = directory;
    return { code: result.code, printed: this.#asShown(printed) };
  }

  /** Compares a block with the output of the running command. Presses Ctrl-C if the block is `^C`. */
  async #look(block: Block): Promise<void> {
    const terminal = this.#terminal;
    assert.ok(terminal !== undefined, `${this.#page}:${block.line}: nothing runs that could say this`);
    if (block.text.trim() === "^C") {
      await this.leave();
      return;
    }
    const isPrinted = await terminal.shows((unread) =>
      matches(this.#ofKit(unread), `…${block.text.trim()}…`),
    );
    if (!isPrinted)
      this.#differs(block.line, "in the other terminal", block.text, this.#ofKit(terminal.unread));
  }

  async #edit(block: Block, file: string): Promise<void> {
    const path = join(this.#directory, file);
    const text = block.language === "diff" ? changed(await readFile(path, "utf8"), block) : block.text;
    const said = this.#terminal?.length ?? 0;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    // Waits for the restart after each change, as a user does who watches the terminal.
    if (this.#terminal === undefined || !SERVED.test(file)) return;
    if (!(await this.#terminal.says(/^(ready in|error)/m, said)))
      this.#differs(block.line, `saving ${file}`, "ready in … ms\n", this.#terminal.unread);
  }

  /** Returns the lines that kit itself has printed in the terminal. */
  #ofKit(text: string): string {
    const lines = this.#asShown(text).split("\n");
    return lines.filter((line) => !BESIDE.test(line)).join("\n");
  }

  #asShown(text: string): string {
    return text.replaceAll(`localhost:${this.#place.port}`, "localhost:3000").replaceAll(OF_MACHINE, "");
  }

  #differs(line: number, what: string, expected: string, printed: string): never {
    assert.fail(`${this.#page}:${line}: ${what}\n--- expected ---\n${expected}--- printed ---\n${printed}`);
  }
}

/** Applies a `diff` block to a text. Its old lines must occur in the text exactly once. */
export function changed(text: string, block: Block): string {
  const lines = block.text.trimEnd().split("\n");
  const of = (...marks: readonly string[]): string =>
    lines
      .filter((line) => marks.includes(line[0] ?? " "))
      .map((line) => `${line.slice(1)}\n`)
      .join("");
  const [before, after] = [of(" ", "-"), of(" ", "+")];
  const parts = text.split(before);
  assert.equal(parts.length, 2, `line ${block.line}: these lines are not in the file once:\n${before}`);
  return parts.join(after);
}

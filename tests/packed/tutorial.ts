// Executes a page of the documentation in order, and compares the output on the page with the real output.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { type Block, blocks, matches, type Step, steps } from "../docs/page.ts";
import { baseEnvironment, run } from "../e2e/support/command.ts";
import { repository } from "../e2e/support/project.ts";
import { Terminal } from "./terminal.ts";

/** Environment in which a page is replayed. */
export interface Place {
  /** Empty directory that the reader starts in. */
  readonly directory: string;
  /** Directory that replaces `~` of the page. */
  readonly home: string;
  /** Free port that replaces 3000 of the page. */
  readonly port: number;
  /** Commands of the page in `sh` blocks that were run before the replay. */
  readonly done: readonly string[];
}

/** Error if npm cannot reach a registry, so that the page cannot be checked. */
export class NoRegistry extends Error {}

/** Commands that run until Ctrl-C. */
const STAYS = /^(npm run dev|([A-Z_]+=\S+ )?node )/;

/** Requests that are repeated until the response matches, because the new version of the application may not be running yet. */
const ASKS_AGAIN = /^curl (?!.* -d )/;
const AGAIN_WITHIN_MS = 30_000;

/** Files whose change restarts the application in `kit dev`. */
const SERVED = /^src\/.*\.ts$/;

/** Output of the application that may appear between kit's messages at any time. */
const BESIDE = /^(Listening on \S+|(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) +\/.*)$/;

/** Warnings about npm settings of this machine, which are not part of the page. */
const OF_MACHINE = /^npm warn Unknown (user|env|project|global) config .*\n/gm;

/** Replays the text of a page. Throws if the output on the page differs from the real output. */
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
    // Hide the programs of this repository: the reader has Node only.
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

  /** Stops a running command. */
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
      const shown = await terminal.shows((unseen) => matches(this.#asShown(unseen), step.output));
      if (!shown) this.#differs(step.line, step.command, step.output, terminal.unseen);
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

  /** Runs a command in the current directory. `cd` changes the directory of the next commands. */
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

  /** Compares a block with the output of the running command, or presses Ctrl-C if the block is `^C`. */
  async #look(block: Block): Promise<void> {
    const terminal = this.#terminal;
    assert.ok(terminal !== undefined, `${this.#page}:${block.line}: nothing runs that could say this`);
    if (block.text.trim() === "^C") {
      await this.leave();
      return;
    }
    const shown = await terminal.shows((unseen) => matches(this.#ofKit(unseen), `…${block.text.trim()}…`));
    if (!shown) this.#differs(block.line, "in the other terminal", block.text, this.#ofKit(terminal.unseen));
  }

  async #edit(block: Block, file: string): Promise<void> {
    const path = join(this.#directory, file);
    const text = block.language === "diff" ? changed(await readFile(path, "utf8"), block) : block.text;
    const said = this.#terminal?.length ?? 0;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    // Wait for the restart, like a user who watches the terminal after each change.
    if (this.#terminal === undefined || !SERVED.test(file)) return;
    if (!(await this.#terminal.says(/^(ready in|error)/m, said)))
      this.#differs(block.line, `saving ${file}`, "ready in … ms\n", this.#terminal.unseen);
  }

  /** Returns kit's own messages in the terminal of the application. */
  #ofKit(text: string): string {
    const lines = this.#asShown(text).split("\n");
    return lines.filter((line) => !BESIDE.test(line)).join("\n");
  }

  #asShown(text: string): string {
    return text.replaceAll(`localhost:${this.#place.port}`, "localhost:3000").replaceAll(OF_MACHINE, "");
  }

  #differs(line: number, what: string, shown: string, printed: string): never {
    assert.fail(`${this.#page}:${line}: ${what}\n--- shown ---\n${shown}--- is ---\n${printed}`);
  }
}

/** Applies the change of a `diff` block to a text. Its lines must occur in the text once. */
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

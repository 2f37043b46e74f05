import { spawn } from "node:child_process";
import { styleText } from "node:util";

import type { RespondedRequest } from "@kit/types";

const interrupt = "\u0003";

/** Output of `kit dev`, and the keys that a user may press on a terminal. */
export class Terminal {
  /** True if standard output is a terminal. Only then are requests printed. */
  readonly isShown: boolean = process.stdout.isTTY === true;
  readonly #keys: Readonly<Record<string, () => void>>;
  readonly #hasKeys = process.stdin.isTTY === true;
  readonly #quit: () => void;

  constructor(keys: Readonly<Record<"r" | "o" | "q", () => void>>) {
    this.#keys = keys;
    this.#quit = keys.q;
    if (!this.#hasKeys) return;
    process.stdin.setRawMode(true).setEncoding("utf8").on("data", this.#onKey).resume();
  }

  close(): void {
    if (!this.#hasKeys) return;
    process.stdin.off("data", this.#onKey).setRawMode(false).pause();
  }

  address(url: string): void {
    const keys = this.#hasKeys ? dim("  r rebuild · o open the API's page · q quit") : "";
    write(`${paint("green", "serving")} ${paint("cyan", url)}${keys}`);
  }

  ready(ms: number): void {
    write(dim(`ready in ${ms} ms`));
  }

  /** Says what a browser needs for the certificate of the application. */
  certificate(file: string): void {
    this.note(`browsers must trust the certificate ${file}; \`mkcert localhost\` makes such a certificate`);
  }

  note(text: string): void {
    write(dim(text));
  }

  warn(text: string): void {
    write(`${paint("yellow", "warning")}: ${text}`);
  }

  crashed(text: string): void {
    write(`${paint("red", "error")}: ${text}`);
  }

  requests(requests: readonly RespondedRequest[]): void {
    for (const { method, target, status, durationMs } of requests) {
      const color = status >= 500 ? "red" : status >= 400 ? "yellow" : "green";
      // Clients choose the target, and control characters in it could change the state of the terminal.
      const shown = target.replaceAll(/[^\x20-\x7e]/g, "?");
      write(
        `${method.padEnd(6)} ${shown} ${paint(color, String(status))} ${dim(`${durationMs.toFixed(1)} ms`)}`,
      );
    }
  }

  open(url: string): void {
    write(dim(`opening ${url}`));
    const [command, ...before] =
      process.platform === "darwin"
        ? ["open"]
        : process.platform === "win32"
          ? ["cmd", "/c", "start"]
          : ["xdg-open"];
    spawn(command!, [...before, url], { stdio: "ignore", detached: true })
      .on("error", () => write(`open ${url} in a browser`))
      .unref();
  }

  readonly #onKey = (keys: string): void => {
    for (const key of keys) {
      if (key === interrupt) this.#quit();
      else this.#keys[key]?.();
    }
  };
}

function paint(style: Parameters<typeof styleText>[0], text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

function dim(text: string): string {
  return paint("dim", text);
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

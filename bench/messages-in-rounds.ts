/** Measures servers in turn, each with a load generator that counts messages, and prints a table of medians. */
import { spawn } from "node:child_process";
import { join } from "node:path";

import { columns, median } from "./figures.ts";
import { run } from "./http/command.ts";
import { executableOf } from "./http/prepare.ts";
import { type Start, Subject } from "./http/subject.ts";

/** Result that a load generator prints. */
export interface Load {
  /** Number of messages that were answered or delivered. */
  readonly count: number;
  readonly seconds: number;
  readonly p99_ms: number;
}

/** Measurement of several servers. */
export interface Measurement {
  /** Servers by name. The first is the base of the ratios. A server that cannot be measured is skipped with its reason. */
  readonly plans: Readonly<Record<string, Start>>;
  readonly rounds: number;
  /** Sends load to a server for one round. */
  readonly load: (subject: Subject) => Promise<Load>;
  /** Name of one unit of work in the table, such as `message`, and of several. */
  readonly unit: readonly [one: string, several: string];
  /** Number of digits of the times in the table. */
  readonly digits: number;
}

/** JSON message of exactly 125 bytes, as `JSON.stringify` and serde write it. */
export const message: string = messageOf({ kind: "message", room: "general", author: "ada", id: 1_234_567 });

function messageOf(start: object): string {
  const text = "x".repeat(125 - JSON.stringify({ ...start, text: "" }).length);
  return JSON.stringify({ ...start, text });
}

/** Builds a program of the crate kit-http's examples, or of a directory, and returns the path of the executable. */
export async function buildWithCargo(options: readonly string[], cwd: string, name: string): Promise<string> {
  const { signal } = new AbortController();
  const isPeer = options.length === 0;
  const environment = {
    ...process.env,
    ...(isPeer && { CARGO_TARGET_DIR: join(import.meta.dirname, "../target/bench-peers") }),
  };
  const build = ["build", "--release", "--locked", "--message-format", "json", ...options];
  return executableOf(await run("cargo", build, cwd, signal, environment), name);
}

/** Runs a load generator that reads the message from its standard input. `T` is the object that it prints. */
export async function runLoader<T>(
  loader: string,
  subject: Subject,
  { connections, seconds }: { readonly connections: string; readonly seconds: string },
): Promise<T> {
  const address = `127.0.0.1:${subject.port}`;
  const child = spawn(loader, [address, "--connections", connections, "--seconds", seconds], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(message);
  const text = (await child.stdout.setEncoding("utf8").toArray()).join("");
  const result = JSON.parse(text) as T | { readonly error: string };
  if (typeof result === "object" && result !== null && "error" in result) {
    throw new Error(`${subject.name}: ${result.error}`);
  }
  return result as T;
}

/** Measures the servers in alternating order, and prints the table. */
export async function measureInRounds({ plans, rounds, load, unit, digits }: Measurement): Promise<void> {
  const subjects: Subject[] = [];
  try {
    for (const [name, plan] of Object.entries(plans)) {
      const subject = await Subject.start(name, plan);
      try {
        // The warm-up also shows if the subject can be measured.
        await load(subject);
        subjects.push(subject);
      } catch (error) {
        subject.stop();
        console.error(`skipped ${String(error)}`);
      }
    }
    const found = new Map(
      subjects.map((subject) => [subject, { costs: [], rates: [], tails: [] } as Figures]),
    );
    for (let round = 0; round < rounds; round += 1) {
      for (let index = 0; index < subjects.length; index += 1) {
        const subject = subjects[(index + round) % subjects.length]!;
        const { costs, rates, tails } = found.get(subject)!;
        const before = subject.cpuMicroseconds();
        const { count, seconds, p99_ms } = await load(subject);
        costs.push((subject.cpuMicroseconds() - before) / count);
        rates.push(count / seconds);
        tails.push(p99_ms);
      }
    }
    const base = median(found.get(subjects[0]!)!.costs);
    const lines = subjects.map((subject) => {
      const { costs, rates, tails } = found.get(subject)!;
      const cost = median(costs);
      return [
        subject.name,
        cost.toFixed(2),
        (cost / base).toFixed(2),
        median(rates).toFixed(0),
        median(tails).toFixed(digits),
        subject.rssMebibytes().toFixed(0),
      ];
    });
    const [one, several] = unit;
    console.log(columns([["subject", `cpu µs/${one}`, "ratio", `${several}/s`, "p99 ms", "MiB"], ...lines]));
  } finally {
    for (const subject of subjects) subject.stop();
  }
}

interface Figures {
  readonly costs: number[];
  readonly rates: number[];
  readonly tails: number[];
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";

import { freePort } from "../../packages/core/test/support/free-port.ts";

/** Time in milliseconds after which a start without a response fails. */
const patience = 20_000;

/** Request that is sent until the program responds. */
export interface FirstRequest {
  readonly path: string;
  readonly expected: Readonly<Record<string, unknown>>;
}

/** Program to start. */
export interface Start {
  readonly name: string;
  readonly module: string;
  /** Directory in which Node stores compiled code from one start to the next. Without it, nothing is cached. */
  readonly cache?: string | undefined;
}

/**
 * Returns the milliseconds from the start of `node module` to its first response. Repeats the request until a response arrives. Rejects if
 * the response is wrong, or if the process exits without one.
 */
export async function timeStart(
  { name, module, cache }: Start,
  { path, expected }: FirstRequest,
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted();
  const port = await freePort();
  const start = performance.now();
  const child = spawn(process.execPath, [module], {
    // An empty value disables the cache.
    env: { ...process.env, NODE_ENV: "production", NODE_COMPILE_CACHE: cache ?? "", PORT: `${port}` },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    for (;;) {
      const text = await ask(port, path);
      const taken = performance.now() - start;
      signal.throwIfAborted();
      if (text !== undefined) {
        check(name, text, expected);
        return taken;
      }
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${name} exited before its first response`);
      if (taken > patience) throw new Error(`${name} did not respond within ${patience / 1000} s`);
      await setTimeout(1);
    }
  } finally {
    await end(child);
  }
}

/** Returns the body of the response, or `undefined` if no process listens yet. */
async function ask(port: number, path: string): Promise<string | undefined> {
  const request = get({ port, path, host: "127.0.0.1", agent: false });
  let response: IncomingMessage;
  try {
    [response] = (await once(request, "response")) as [IncomingMessage];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") return undefined;
    throw error;
  }
  const text = (await response.setEncoding("utf8").toArray()).join("");
  if (response.statusCode !== 200)
    throw new Error(`the first response was ${String(response.statusCode)}: ${text}`);
  return text;
}

function check(name: string, text: string, expected: FirstRequest["expected"]): void {
  const found = JSON.parse(text) as Record<string, unknown>;
  const isRight = Object.entries(expected).every(([key, value]) => found[key] === value);
  if (!isRight) throw new Error(`${name}: wrong response: ${text}`);
}

/** Asks the process to stop, so that it writes its cache. Kills it if it does not exit. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(5000, undefined, { ref: false }).then(() => child.kill("SIGKILL"));
  await Promise.race([ended, timer]);
  await ended;
}

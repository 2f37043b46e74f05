import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { codeOf, DevDatabaseError, messageOf, USE_YOUR_OWN } from "./errors.ts";
import type { Places } from "./places.ts";
import { BUSY, isDatabaseName, onLines } from "./protocol.ts";
import type { Control, KeeperRequest, LeaseReply, LeaseRequest } from "./protocol.ts";

/** A hold on the database of a project. */
export interface Lease {
  readonly url: string;
  release(): Promise<void>;
}

/** How long a start may take: initialisation on a slow disk, or recovery after a crash. */
const PATIENCE_MS = 90_000;

/** How long to wait at most before a lost lease is tried again. */
const LONGEST_PAUSE_MS = 30_000;

/** A lease that was held for so long was a success, and the next try after it comes at once. */
const LASTING_MS = 60_000;

/** A log that grew beyond this starts anew. */
const LOG_BYTES = 1_000_000;

/** Fills an empty database, so that it can be a template. */
export type Prepare = (url: string) => Promise<void>;

/** Takes a lease on a database by name, starting a keeper where none answers. */
export async function lease(places: Places, name: string): Promise<Lease> {
  checkName(name);
  return await hold(places, await acquire(places, { name }), { name });
}

/** Takes a lease on a copy of a template, which is prepared where there is none yet. */
export async function leaseCopy(places: Places, key: string, prepare: Prepare): Promise<Lease> {
  const first = await acquire(places, { template: key }, { prepare });
  return await hold(places, first, { name: new URL(first.url).pathname.slice(1), owned: true });
}

/** Has the keeper start or reset; its answer, and a lease that ends with the promise. */
export async function order(places: Places, control: Control, name: string): Promise<string> {
  checkName(name);
  const { socket, url } = await acquire(places, { control, name });
  socket.destroy();
  return url;
}

/** Has the keeper stop where there is one; how many others use it still. */
export async function stop(places: Places, name: string): Promise<number> {
  const answer = await ask(places.socket, { control: "stop", name }, Date.now() + PATIENCE_MS, {});
  return answer === undefined || "url" in answer ? 0 : answer.users;
}

function checkName(name: string): void {
  if (isDatabaseName(name)) return;
  throw new DevDatabaseError(
    `"${name}" cannot be the name of a database`,
    "Use lower-case letters, digits and _, at most 63 of them",
  );
}

/** Holds what was acquired, and acquires it anew for as long as it is held. */
async function hold(places: Places, first: Held, again: LeaseRequest): Promise<Lease> {
  let released = false;
  let socket = first.socket;
  let pause = 0;

  // A keeper that ended leaves a PostgreSQL behind without anyone to stop it, or none at all; the next one sees to it.
  // As long as this lease is held, whatever it takes: the reason why it fails now may pass.
  async function renew(): Promise<void> {
    for (let warned = false; ;) {
      // oxlint-disable-next-line no-await-in-loop -- ever less often, where it does not help
      if (pause > 0) await sleep(pause, undefined, { ref: false });
      pause = Math.min(Math.max(250, 2 * pause), LONGEST_PAUSE_MS);
      if (released) return;
      try {
        // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
        const next = await acquire(places, again, { background: true });
        // Given back meanwhile.
        if (released) return void next.socket.destroy();
        socket = next.socket;
        if (next.url !== first.url) warn(moved(first.url, next.url));
        return watch();
      } catch (error) {
        if (!warned) warn(`the embedded database is gone, and tried again: ${messageOf(error)}`);
        warned = true;
      }
    }
  }
  function watch(): void {
    const since = Date.now();
    socket.unref();
    const lost = (): void => {
      if (Date.now() - since > LASTING_MS) pause = 0;
      void renew();
    };
    if (socket.closed) lost();
    else socket.once("close", lost);
  }
  watch();
  return {
    url: first.url,
    release: async () => {
      if (released) return;
      released = true;
      if (socket.destroyed) return;
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.ref();
      socket.destroy();
      await closed;
    },
  };
}

function warn(message: string): void {
  process.emitWarning(message, "DevDatabaseWarning");
}

function moved(from: string, to: string): string {
  const [before, now] = [new URL(from).port, new URL(to).port];
  const what =
    before === now ? "has another password now" : `is on port ${now} now, since port ${before} was taken`;
  return `the embedded database ${what}: start this process again, or it will not find it`;
}

/** A connection to the keeper, and what it leads to. */
interface Held {
  readonly socket: Socket;
  readonly url: string;
}

/** How to ask. */
interface Manner {
  /** Keeps nothing alive meanwhile. */
  readonly background?: boolean;
  /** Fills a template, where the keeper has none. */
  readonly prepare?: Prepare;
}

/** Connects to the keeper, starting one where none answers, and waits for its answer. */
async function acquire(places: Places, request: LeaseRequest, manner: Manner = {}): Promise<Held> {
  const deadline = Date.now() + PATIENCE_MS;
  let keeper: Keeper | undefined;
  let kills = 0;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
    const answer = await ask(places.socket, request, deadline, manner);
    if (answer !== undefined && "url" in answer) {
      keeper?.forget();
      return answer;
    }
    if (keeper === undefined || keeper.exitCode === BUSY || keeper.exitCode === 0) {
      keeper = new Keeper(places);
    } else if (keeper.killed && kills < 3) {
      kills += 1;
      keeper = new Keeper(places);
    } else if (keeper.exitCode !== undefined) {
      throw new DevDatabaseError(
        `the keeper of the embedded database ended at once (${keeper.end}):\n${tail(keeper.log)}`,
        USE_YOUR_OWN,
      );
    }
    if (Date.now() > deadline) {
      throw new DevDatabaseError(
        `the embedded database did not come up in ${PATIENCE_MS / 1000} s:\n${tail(keeper.log)}`,
        USE_YOUR_OWN,
      );
    }
    // oxlint-disable-next-line no-await-in-loop -- waiting is the point
    await sleep(20, undefined, { ref: manner.background !== true });
  }
}

/** One try: nothing where no keeper listens, or where it went away before it answered. */
function ask(
  path: string,
  request: LeaseRequest,
  deadline: number,
  { background = false, prepare }: Manner,
): Promise<Held | { users: number } | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    if (background) socket.unref();
    const timer = setTimeout(() => socket.destroy(), Math.max(1, deadline - Date.now()));
    if (background) timer.unref();
    socket.on("error", (error) => {
      // Nobody there, or gone; everything else would not be better at the next try.
      if (["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(codeOf(error) ?? "")) return;
      reject(new DevDatabaseError(`cannot reach the keeper of the embedded database: ${error.message}`));
    });
    const closed = (): void => {
      clearTimeout(timer);
      resolve(undefined);
    };
    const refuse = (error: unknown): void => {
      socket.destroy();
      reject(error);
    };
    socket.once("close", closed);
    socket.once("connect", () => socket.write(`${JSON.stringify(request)}\n`));
    onLines(socket, (line) => {
      const reply = JSON.parse(line) as LeaseReply;
      if ("prepare" in reply) {
        // It takes as long as it takes.
        clearTimeout(timer);
        const prepared = prepare?.(reply.prepare) ?? Promise.resolve();
        prepared.then(() => socket.write(`${JSON.stringify({ prepared: true })}\n`), refuse);
        return;
      }
      clearTimeout(timer);
      if ("url" in reply) {
        socket.off("close", closed);
        resolve({ socket, url: reply.url });
      } else if ("users" in reply) {
        socket.destroy();
        resolve(reply);
      } else {
        refuse(new DevDatabaseError(reply.error, reply.hint));
      }
    });
  });
}

/** A keeper that this process started; it outlives the process. */
class Keeper {
  readonly log: string;
  exitCode: number | undefined;
  /** It ended by a signal, and the next one may not. */
  killed = false;
  /** How it ended, for people. */
  end = "";
  readonly #child: ChildProcess;

  constructor(places: Places) {
    this.log = join(places.state, "keeper.log");
    const request: KeeperRequest = { places, idleMs: idleMs() };
    const log = openLog(this.log);
    try {
      this.#child = spawn(
        process.execPath,
        ["--no-warnings", fileURLToPath(import.meta.resolve("#keeper")), JSON.stringify(request)],
        {
          detached: true,
          stdio: ["ignore", log, log],
          cwd: places.state,
          env: environment(),
          windowsHide: true,
        },
      );
    } finally {
      closeSync(log);
    }
    this.#child.unref();
    this.#child.once("error", (error) => {
      this.exitCode = -1;
      this.end = error.message;
    });
    this.#child.once("exit", (code, signal) => {
      this.exitCode = code ?? -1;
      this.killed = signal !== null;
      this.end = `${signal ?? code}`;
    });
  }

  /** Lets go of it once it works. */
  forget(): void {
    this.#child.removeAllListeners();
  }
}

/** The environment without what is meant for this process alone (debuggers, coverage, the test runner). */
function environment(): NodeJS.ProcessEnv {
  const {
    NODE_OPTIONS: _options,
    NODE_V8_COVERAGE: _coverage,
    NODE_TEST_CONTEXT: _test,
    ...rest
  } = process.env;
  return rest;
}

function idleMs(): number {
  const text = process.env["KIT_DATABASE_IDLE_MS"];
  if (text === undefined || text === "") return 2_000;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new DevDatabaseError(`KIT_DATABASE_IDLE_MS is "${text}", which is no number of milliseconds`);
}

function openLog(path: string): number {
  let small = true;
  try {
    small = statSync(path).size < LOG_BYTES;
  } catch {
    // There is none yet.
  }
  try {
    return openSync(path, small ? "a" : "w", 0o600);
  } catch (error) {
    throw new DevDatabaseError(
      `cannot write to the directory of the embedded database: ${messageOf(error)}`,
      `Name another one with KIT_DATA_DIR. ${USE_YOUR_OWN}`,
    );
  }
}

/** The end of a log, for a message. */
function tail(path: string): string {
  try {
    return readFileSync(path, "utf8").trimEnd().split("\n").slice(-15).join("\n");
  } catch (error) {
    return messageOf(error);
  }
}

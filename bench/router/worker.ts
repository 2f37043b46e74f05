/**
 * One router in JavaScript, in its own process. Checks the results of the router, warms it up with all requests, then measures the
 * scenarios that the parent process asks for. The router is called through a function that the loop cannot inline, as in a server.
 */
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import { kit } from "./kit.ts";
import type { RouteSet } from "./sets.ts";
import type { Loader } from "./subject.ts";

/** Message that the parent process sends. */
export interface Ask {
  readonly set: string;
  /** Name of a scenario; `load` for the creation of the router, `memory` for the bytes that it needs. */
  readonly scenario: string;
  readonly milliseconds: number;
}

/** Message to the parent process: first the supported scenarios of each set, later the measured nanoseconds or bytes. */
export type Answer = { readonly supported: readonly string[] } | { readonly value: number };

/** Number of routers that are created to measure the memory of one. */
const COPIES = 50;

const [, , name = "", setsFile = "", documentsFile = ""] = process.argv;
const sets = JSON.parse(readFileSync(setsFile, "utf8")) as RouteSet[];
const documents = JSON.parse(readFileSync(documentsFile, "utf8")) as unknown[];
/** Loads a router library. Those other than kit's are in packages that are installed only for this benchmark. */
async function loaderOf(): Promise<Loader | undefined> {
  if (name === "kit") return kit;
  const module = "./peers/subjects.ts";
  const { loaders } = (await import(module)) as { loaders: Readonly<Record<string, Loader>> };
  return loaders[name];
}
const loader = await loaderOf();
if (loader === undefined) throw new Error(`there is no subject ${name}`);

let sink = 0;
const loops = new Map<string, () => number>();
for (const [number, { name: set, routes, requests }] of sets.entries()) {
  const load = loader.prepare(routes, documents[number]);
  const find = load();
  for (const [scenario, list] of Object.entries(requests)) {
    if (list.length === 0) continue;
    if (scenario === "not-allowed" && !loader.knowsMethods) continue;
    for (const { method, path, expected } of list) {
      const answer = find(method, path);
      const right =
        typeof expected === "number"
          ? answer.route === expected &&
            isDeepStrictEqual(answer.values.toSorted(), valuesOf(routes[expected] ?? "", path).toSorted())
          : answer.route === (expected === "not-found" ? -1 : -2);
      if (!right) throw new Error(`${name}: wrong result for ${method} ${path}: ${JSON.stringify(answer)}`);
    }
    loops.set(`${set}/${scenario}`, () => {
      for (const { method, path } of list) {
        const answer = find(method, path);
        sink = (sink + answer.route + answer.values.length) | 0;
      }
      return list.length;
    });
  }
  loops.set(`${set}/load`, () => {
    if (load() === undefined) throw new Error("the router was not created");
    return 1;
  });
  loops.set(`${set}/memory`, () => {
    const copies = Array.from({ length: COPIES }, load);
    // Uses each router once, so that data which it creates at its first use is included.
    for (const copy of copies) {
      for (const list of Object.values(requests)) for (const { method, path } of list) copy(method, path);
    }
    const full = heap();
    const kept = copies.length;
    copies.length = 0;
    return (full - heap()) / kept;
  });
}

/**
 * Returns the values of a route's parameters in a path. A regular expression finds them, so they can be compared with those of any router,
 * whose order may differ.
 */
function valuesOf(route: string, path: string): string[] {
  const pattern = (route.split(" ")[1] ?? "").replace(/:\w+/g, "([^/]+)").replace(/\*\w+/, "(.+)");
  const found = new RegExp(`^${pattern}$`).exec(path) ?? [];
  return found.slice(1).map(decodeURIComponent);
}

/** Returns the bytes in use after a garbage collection. Includes typed arrays, which are not on the JavaScript heap. */
function heap(): number {
  if (globalThis.gc === undefined) throw new Error("start with --expose-gc");
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Returns the nanoseconds of CPU time for one unit of work. */
function measure(loop: () => number, milliseconds: number): number {
  let work = 0;
  const before = process.cpuUsage();
  for (;;) {
    for (let turn = 0; turn < 4; turn += 1) work += loop();
    const { user, system } = process.cpuUsage(before);
    if (user + system >= milliseconds * 1000) return ((user + system) * 1000) / work;
  }
}

for (let turn = 0; turn < 3; turn += 1) {
  for (const [key, loop] of loops) if (!key.endsWith("/memory")) measure(loop, 15);
}

process.on("message", ({ set, scenario, milliseconds }: Ask) => {
  const loop = loops.get(`${set}/${scenario}`);
  if (loop === undefined) throw new Error(`${name} does not support ${set}/${scenario}`);
  process.send?.({
    value: scenario === "memory" ? loop() : measure(loop, milliseconds),
  } satisfies Answer);
});

process.send?.({ supported: [...loops.keys()] } satisfies Answer);
process.on("exit", () => {
  // Uses the sum, because the engine could remove the loops otherwise.
  if (sink === 0.5) console.log(sink);
});

import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import { join } from "node:path";

import type { RunningCall } from "@kit/types";

import type { CurrentSpan } from "./current-span.ts";
import { sqlWithoutValues } from "./sql.ts";

type Callback = (error: unknown, ...results: unknown[]) => unknown;
type Method = (this: unknown, ...given: unknown[]) => unknown;

/** As much of the package `pg` as is touched. */
interface Pg {
  readonly Client: { readonly prototype: { query: Method } };
  readonly Pool: { readonly prototype: { connect: Method } };
}

/**
 * Notes the queries that a middleware or handler sends by `pg`, as Kysely and Drizzle do too. The package has no diagnostics channel, so its two
 * methods are wrapped, of the copy that the application's own code gets. Gives what ends that; nothing where the application has no `pg`.
 */
export function watchPg(current: CurrentSpan, projectRoot: string): (() => void) | undefined {
  const pg = findPg(projectRoot);
  if (pg === undefined) return undefined;
  const undo = [
    wrap(pg.Client.prototype, "query", (query) => {
      return function (this: unknown, ...given) {
        const call = begin(current, given[0]);
        return call === undefined ? query.apply(this, given) : observed(call, this, query, given);
      };
    }),
    // A connection that becomes free is handed on by whoever gives it back, and the query after it belongs to who waits.
    wrap(pg.Pool.prototype, "connect", (connect) => {
      return function (this: unknown, ...given) {
        const [callback] = given;
        if (typeof callback !== "function" || current.get() === undefined) return connect.apply(this, given);
        return connect.call(this, AsyncLocalStorage.bind(callback as Callback));
      };
    }),
  ];
  return () => {
    for (const restore of undo) restore();
  };
}

/** The package as the project finds it. */
function findPg(projectRoot: string): Pg | undefined {
  const require = createRequire(join(projectRoot, "package.json"));
  try {
    // Whoever does not name it does not use it, and loading it takes time.
    const { dependencies = {} } = require("./package.json") as { dependencies?: Record<string, string> };
    if (!Object.hasOwn(dependencies, "pg")) return undefined;
    const pg = require("pg") as Partial<Pg>;
    const isKnown =
      typeof pg.Client?.prototype?.query === "function" && typeof pg.Pool?.prototype?.connect === "function";
    return isKnown ? (pg as Pg) : undefined;
  } catch {
    return undefined;
  }
}

function begin(current: CurrentSpan, query: unknown): RunningCall | undefined {
  const span = current.ofCall();
  const text = typeof query === "string" ? query : (query as { text?: unknown } | null | undefined)?.text;
  // What has an own way of being submitted (a cursor, a stream) tells of its end otherwise.
  if (
    span === undefined ||
    typeof text !== "string" ||
    typeof (query as { submit?: unknown }).submit === "function"
  )
    return undefined;
  const shown = sqlWithoutValues(text);
  const [verb = "query"] = /\w+/.exec(shown) ?? [];
  const call = span.begin({ name: `pg ${verb.toUpperCase()}`, source: "pg" });
  call?.setAttribute("db.system.name", "postgresql");
  call?.setAttribute("db.query.text", shown);
  return call;
}

/** Runs a query, and notes its end in each of the ways in which one can be asked for. */
function observed(call: RunningCall, client: unknown, query: Method, given: unknown[]): unknown {
  const at = given.findIndex((value) => typeof value === "function");
  if (at !== -1) {
    const callback = given[at] as Callback;
    given[at] = (error: unknown, ...results: unknown[]) => {
      call.end(error ?? undefined);
      return callback(error, ...results);
    };
  }
  let result: unknown;
  try {
    result = query.apply(client, given);
  } catch (error) {
    call.end(error);
    throw error;
  }
  if (at !== -1 || typeof (result as PromiseLike<unknown> | undefined)?.then !== "function") return result;
  return (result as Promise<unknown>).then(
    (value) => {
      call.end();
      return value;
    },
    (error: unknown) => {
      call.end(error);
      throw error;
    },
  );
}

function wrap<TName extends string>(
  target: Record<TName, Method>,
  name: TName,
  make: (original: Method) => Method,
): () => void {
  const isOwn = Object.hasOwn(target, name);
  const original = target[name];
  const wrapped = make(original);
  target[name] = wrapped as Record<TName, Method>[TName];
  return () => {
    // Somebody else has wrapped it since: theirs stays, and calls what notes nothing any more.
    if (target[name] !== wrapped) return;
    if (isOwn) target[name] = original;
    else delete target[name];
  };
}

import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import { join } from "node:path";

import type { RunningCall } from "@kit/types";

import type { CurrentSpan } from "./current-span.ts";
import { sqlWithoutValues } from "./sql.ts";

type Callback = (error: unknown, ...results: unknown[]) => unknown;
type Method = (this: unknown, ...given: unknown[]) => unknown;

/** Properties of the package `pg` that this module uses. */
interface Pg {
  readonly Client: { readonly prototype: { query: Method } };
  readonly Pool: { readonly prototype: { connect: Method } };
}

/**
 * Records the queries that a middleware or handler sends with `pg`, also if Kysely or Drizzle send them. The package has no diagnostics
 * channel, so two methods of the copy that the application uses are wrapped. Returns a function that stops recording, or `undefined` if the
 * application does not use `pg`.
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
    // The pool calls the callback in the context of the request that has returned a connection to it. The binding restores the context of
    // the request that waits for the connection.
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

/** Returns the copy of `pg` that the project itself would load. */
function findPg(projectRoot: string): Pg | undefined {
  const require = createRequire(join(projectRoot, "package.json"));
  try {
    // A project that does not list `pg` in its dependencies does not use it. Loading it would take time.
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
  // Objects with a method `submit` (cursors, streams) report their end in another way, so they are not
  // recorded.
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

/** Runs a query and records its end. The query has a callback or returns a promise. */
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
    // Another package has wrapped the method since. Its wrapper stays and calls this one, which no longer records.
    if (target[name] !== wrapped) return;
    if (isOwn) target[name] = original;
    else delete target[name];
  };
}

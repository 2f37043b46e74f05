import { Connection, type Outcome } from "../../differential/support/connection.ts";
import { Random } from "../../differential/support/random.ts";
import { bytesOf, curlOf } from "../../differential/support/request.ts";
import type { Route } from "../../differential/requests/routes.ts";
import { ExistingKeys, request, type Request } from "./requests.ts";

/** Maximum number of requests that run at the same time. */
const CONNECTIONS = 4;

/** Maximum number of failures in the report. The run stops after that many. */
const MOST = 12;

/** Result of the requests to one server. */
export interface Result {
  /** Number of responses for each status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Descriptions of the requests that got no response, or a status of 500 or more. */
  readonly failures: readonly string[];
}

/** Sends this number of requests with garbage to the routes of a server. */
export async function send(
  port: number,
  routes: readonly Route[],
  {
    seed,
    count,
    authorization,
  }: {
    readonly seed: number;
    readonly count: number;
    readonly authorization: string;
  },
): Promise<Result> {
  const known = new ExistingKeys();
  const statuses = new Map<number, number>();
  const failures: string[] = [];
  let number = 0;
  let sent = 0;
  const next = (): Request => request(routes, new Random(seed, number++), known, authorization);
  const work = async (): Promise<void> => {
    let connection = new Connection(port);
    while (sent < count && failures.length < MOST) {
      sent += 1;
      const { sent: one } = next();
      let outcome: Outcome = { none: "not sent" };
      for (let tries = 0; "none" in outcome && tries < 2; tries += 1) {
        if (!connection.isOpen) {
          connection.close();
          connection = new Connection(port);
        }
        // oxlint-disable-next-line no-await-in-loop -- one request after the other on a connection
        outcome = await connection.exchange(bytesOf(one), false);
        // The server may have closed an idle connection before the request arrived. On a new connection, the request must get a
        // response.
        if ("none" in outcome && connection.isFresh) break;
      }
      if ("none" in outcome) {
        failures.push(`${one.kind}: ${outcome.none}\n  ${curlOf(one)}`);
        continue;
      }
      const { status, body } = outcome;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 500) failures.push(`${one.kind}: ${status} ${body.toString()}\n  ${curlOf(one)}`);
      else if (status < 300) known.learn(body.toString());
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return { statuses, failures };
}

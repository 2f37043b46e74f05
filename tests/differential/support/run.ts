import { performance } from "node:perf_hooks";

import { withoutDifferences } from "./differences.ts";
import type { ServerUnderTest, NormalizedResponse } from "./lane.ts";
import { type Sent, shellLineOf } from "./request.ts";
import { shrink } from "./shrink.ts";

/** Number of requests that are generated and then compared together. */
const BATCH = 400;

/** Maximum number of differences in the report. The run stops after that many. */
const MOST = Number(process.env["KIT_DIFFERENCES"] ?? 8);

type Lanes = readonly [ServerUnderTest, ServerUnderTest];

/** Result of a comparison. */
export interface Result {
  readonly sent: number;
  readonly seconds: number;
  /** Number of responses for each status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Kinds of requests that the servers have accepted. */
  readonly taken: ReadonlySet<string>;
  /** Number of times that each intended difference occurred. */
  readonly needed: ReadonlyMap<string, number>;
  /** Report of each difference, for developers. */
  readonly differences: readonly string[];
}

/** Sends `count` requests to both servers, beginning with number `first`, and compares the responses. */
export async function compare(
  lanes: Lanes,
  requestOf: (index: number) => Sent,
  { seed, first = 0, count }: { readonly seed: number; readonly first?: number; readonly count: number },
): Promise<Result> {
  const begun = performance.now();
  const statuses = new Map<number, number>();
  const taken = new Set<string>();
  const needed = new Map<string, number>();
  const differences: string[] = [];
  let sent = 0;
  while (sent < count && differences.length < MOST) {
    const start = first + sent;
    const requests = Array.from({ length: Math.min(BATCH, count - sent) }, (_, at) => requestOf(start + at));
    const answers = requests.map((): NormalizedResponse[] => []);
    const lanesRun = lanes.map((lane, at) =>
      lane.run(requests, (index, said) => ((answers[index] as NormalizedResponse[])[at] = said)),
    );
    await Promise.all(lanesRun);
    for (const [at, request] of requests.entries()) {
      const said = answers[at] as unknown as [NormalizedResponse, NormalizedResponse];
      statuses.set(said[0].status, (statuses.get(said[0].status) ?? 0) + 1);
      if (said[0].status < 300) taken.add(request.kind);
      if (!differs(request, said, needed)) continue;
      differences.push(await report(lanes, request, said, `seed ${seed}, request ${start + at}`));
      if (differences.length >= MOST) break;
    }
    sent += requests.length;
    const [one, other] = lanes;
    if (one.made !== other.made) {
      // Stops here, because the databases are now different and all later responses would be too.
      differences.push(
        `${one.name} made ${one.made} notes, ${other.name} ${other.made}: what follows cannot be compared`,
      );
      break;
    }
  }
  return { sent, seconds: (performance.now() - begun) / 1000, statuses, taken, needed, differences };
}

/** Returns true if two responses differ. Intended differences are counted and do not matter. */
function differs(
  sent: Sent,
  said: readonly [NormalizedResponse, NormalizedResponse],
  needed: Map<string, number>,
): boolean {
  if (textOf(said[0]) === textOf(said[1])) return false;
  const { said: rest, names } = withoutDifferences(sent, said);
  if (textOf(rest[0]) !== textOf(rest[1])) return true;
  for (const name of names) needed.set(name, (needed.get(name) ?? 0) + 1);
  return false;
}

/** Returns the report of a difference. If the request changes no data, it is reduced to a smaller request first. */
async function report(
  [one, other]: Lanes,
  sent: Sent,
  said: readonly [NormalizedResponse, NormalizedResponse],
  where: string,
): Promise<string> {
  const exchange = (request: Sent): Promise<[NormalizedResponse, NormalizedResponse]> =>
    Promise.all([one.exchange(request), other.exchange(request)]);
  let [least, answers] = [sent, said];
  if (said.every(({ status }) => status >= 400)) {
    const isSame = (now: readonly [NormalizedResponse, NormalizedResponse]): boolean =>
      now.every(({ status }, at) => status === said[at as 0 | 1].status);
    least = await shrink(sent, async (request) => {
      const now = await exchange(request);
      // A smaller request with another status would show another problem.
      return isSame(now) && differs(request, now, new Map());
    });
    // Shows the first responses if the difference does not occur again.
    if (least !== sent) answers = await exchange(least);
  }
  const responses = [one, other].map(
    ({ name }, at) => `${name}:\n${indented(textOf(answers[at] as NormalizedResponse))}`,
  );
  return [`${where}: ${sent.kind}`, shellLineOf(least), ...responses].join("\n");
}

function textOf({ status, headers, body }: NormalizedResponse): string {
  return [status, ...headers, "", body].join("\n");
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "    ").slice(0, 3000);
}

import type { StreamRecord } from "@kit/types";

import { ErrorResponse, truncate } from "./error-response.ts";
import type { Query } from "./query.ts";
import { routesNamed } from "./routes.ts";
import type { StreamList, StreamSummary } from "./shapes.ts";
import type { SidecarState } from "./sidecar-state.ts";

const defaultLimit = 100;

/** Returns the WebSockets and streams without their messages: open ones, then ended ones, each with the newest first. */
export function streamsOf(state: SidecarState, query: Query): StreamList {
  const { host, redaction } = state;
  const name = query.text("route");
  const routes = name === undefined ? undefined : routesNamed(state, name);
  const limit = query.limit(["limit"], defaultLimit);
  const wanted = state.streams().filter(({ route }) => routes === undefined || routes.has(route));
  const open = wanted.filter(({ end }) => end === null);
  const ended = wanted.filter(({ end }) => end !== null);
  return {
    open: open.length,
    missed: host.requests?.missedStreams ?? 0,
    streams: [...open.toSorted(byNewest), ...ended.toSorted(byNewest)]
      .slice(0, limit)
      .map((record) => summaryOf(redaction.stream(record))),
  };
}

/** Returns one WebSocket or stream with its latest messages. */
export function streamOf(state: SidecarState, requestId: string): { stream: StreamRecord } {
  const found = state.streams().find((record) => record.requestId === requestId);
  if (found !== undefined) return { stream: state.redaction.stream(found) };
  throw new ErrorResponse(
    404,
    "NOT_FOUND",
    `there is no stream ${truncate(requestId)}; the sidecar keeps only the last streams, which /_debug/streams lists`,
  );
}

function byNewest(one: StreamRecord, other: StreamRecord): number {
  return other.startTime - one.startTime;
}

function summaryOf(record: StreamRecord): StreamSummary {
  const { requestId, traceId, kind, protocol, route, target, startTime, received, sent, end } = record;
  return { requestId, traceId, kind, protocol, route, target, startTime, received, sent, end };
}

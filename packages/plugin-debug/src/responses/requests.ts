import type { LogLevel, RequestRecord, SpanRecord } from "@kit/types";

import { severities } from "../history/memory.ts";
import type { SidecarState } from "./sidecar-state.ts";
import { ErrorResponse, truncate } from "./error-response.ts";
import type { Query } from "./query.ts";
import { routesNamed } from "./routes.ts";

const defaultLimit = 100;
/** Maximum number of traces in the list. */
const traceCount = 100;

export function requestsOf(state: SidecarState, query: Query): object {
  const route = query.text("route");
  const requests = state.history.requests({
    since: query.since(),
    limit: query.limit(["limit"], defaultLimit),
    status: query.whole("status", 100, 599),
    routes: route === undefined ? undefined : routesNamed(state, route),
  });
  const show = (record: RequestRecord): RequestRecord => state.redaction.request(record);
  return { requests: requests.map(show), active: state.active().map(show) };
}

/** Returns one request with its log entries and its error. */
export function requestOf({ history, redaction }: SidecarState, requestId: string): object {
  const request = history.request(requestId);
  if (request === undefined) {
    throw new ErrorResponse(
      404,
      "NOT_FOUND",
      `there is no request ${truncate(requestId)}; the sidecar keeps only the last requests, which /_debug/requests lists`,
    );
  }
  const [error] = history.errors({ requestId, limit: 1 });
  return {
    request: redaction.request(request),
    error: error === undefined ? null : redaction.error(error),
    logs: history.logs({ requestId, limit: 1_000 }).map((entry) => redaction.log(entry)),
  };
}

export function errorsOf({ history, redaction }: SidecarState, query: Query): object {
  const selection = { since: query.since(), limit: query.limit(["limit", "last"], defaultLimit) };
  return { errors: history.errors(selection).map((record) => redaction.error(record)) };
}

export function logsOf({ history, redaction }: SidecarState, query: Query): object {
  const level = query.oneOf("level", Object.keys(severities) as LogLevel[]);
  const logs = history.logs({
    since: query.since(),
    limit: query.limit(["limit"], defaultLimit),
    severity: level === undefined ? undefined : severities[level],
    requestId: query.text("requestId"),
  });
  return { logs: logs.map((entry) => redaction.log(entry)) };
}

export function spansOf({ history, redaction }: SidecarState, query: Query): object {
  const since = query.since();
  const limit = query.limit(["limit"], 1_000);
  const spans: SpanRecord[] = [];
  for (const record of history.requests({ since, limit })) {
    if (spans.length >= limit) break;
    spans.push(...record.spans.map((span) => redaction.span(span)));
  }
  return { spans: spans.slice(0, limit) };
}

/** Span with the spans that are its children. */
interface SpanTree extends SpanRecord {
  readonly children: readonly SpanTree[];
}

export function tracesOf({ history, redaction }: SidecarState): { traces: SpanTree[] } {
  const records = history.requests({ limit: traceCount });
  return {
    traces: records.flatMap(({ spans }) => {
      const [root, ...others] = spans.map((span) => redaction.span(span));
      return root === undefined ? [] : [treeOf(root, others)];
    }),
  };
}

function treeOf(span: SpanRecord, others: readonly SpanRecord[]): SpanTree {
  const children = others.filter(({ parentSpanId }) => parentSpanId === span.spanId);
  return { ...span, children: children.map((child) => treeOf(child, others)) };
}

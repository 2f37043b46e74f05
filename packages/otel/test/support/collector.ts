import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import protobuf from "protobufjs";

const definitions = join(import.meta.dirname, "proto");
const root = new protobuf.Root();
root.resolvePath = (_, target) => join(definitions, target);
const requestTypes = {
  traces: ["trace", "ExportTraceServiceRequest"],
  logs: ["logs", "ExportLogsServiceRequest"],
  metrics: ["metrics", "ExportMetricsServiceRequest"],
} as const;
for (const [name] of Object.values(requestTypes))
  root.loadSync(`opentelemetry/proto/collector/${name}/v1/${name}_service.proto`);

/** Kind of telemetry, called signal in the protocol of OpenTelemetry (OTLP). */
export type Signal = keyof typeof requestTypes;

/** Span that the collector received. */
export interface GotSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: string;
  readonly startTimeUnixNano: bigint;
  readonly endTimeUnixNano: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code?: string; readonly message?: string };
  readonly traceState: string;
  readonly scope: string;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** Log record that the collector received. */
export interface GotLog {
  readonly traceId: string;
  readonly spanId: string;
  readonly timeUnixNano: bigint;
  readonly severityNumber: string;
  readonly severityText: string;
  readonly body: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Data point of a metric that the collector received. */
export interface GotPoint {
  readonly metric: string;
  readonly unit: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Value, if the metric is a counter. */
  readonly value?: number;
  /** Number of measured values, if the metric is a histogram. */
  readonly count?: number;
  readonly sum?: number;
}

/** Response that the collector is to send. */
export interface Behaviour {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Promise that the collector awaits before it sends the response. */
  readonly after?: Promise<unknown>;
}

interface Message {
  readonly [name: string]: unknown;
}

/**
 * Collector that receives OTLP over HTTP. It decodes the messages with the official definitions. Messages that do not conform to them are
 * recorded as errors.
 */
export class Collector implements AsyncDisposable {
  readonly spans: GotSpan[] = [];
  readonly logs: GotLog[] = [];
  /** Data points of the last export of metrics. */
  points: GotPoint[] = [];
  readonly errors: unknown[] = [];
  /** Number of requests by kind of telemetry, including refused ones. */
  readonly requests: Record<Signal, number> = { traces: 0, logs: 0, metrics: 0 };
  readonly headers: IncomingMessage["headers"][] = [];
  behave: (signal: Signal, request: number) => Behaviour = () => ({ status: 200 });
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        this.errors.push(error);
        response.destroy();
      });
    });
  }

  /** Starts a collector on a free port, or on the given port. */
  static async start(port = 0): Promise<Collector> {
    const server = createServer();
    const collector = new Collector(server);
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return collector;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const signal = /^\/v1\/(traces|logs|metrics)$/.exec(request.url ?? "")?.[1] as Signal | undefined;
    if (signal === undefined || request.headers["content-type"] !== "application/x-protobuf")
      throw new Error(`${request.method} ${request.url} of ${String(request.headers["content-type"])}`);
    const bytes = Buffer.concat(await request.toArray());
    this.requests[signal] += 1;
    this.headers.push(request.headers);
    const { status, headers = {}, after } = this.behave(signal, this.requests[signal]);
    await after;
    if (status === 200) this.#keep(signal, decode(signal, bytes));
    response.writeHead(status, { "content-type": "application/x-protobuf", ...headers }).end();
  }

  #keep(signal: Signal, message: Message): void {
    if (signal === "metrics") this.points = [];
    for (const [resource, scope, item] of itemsOf(signal, message)) {
      if (signal === "traces")
        this.spans.push({ ...(item as unknown as GotSpan), ...ids(item), scope, resource });
      else if (signal === "logs")
        this.logs.push({ ...(item as unknown as GotLog), ...ids(item), body: valueOf(item["body"]) });
      else this.points.push(...pointsOf(item));
    }
  }
}

function decode(signal: Signal, bytes: Buffer): Message {
  const [name, type] = requestTypes[signal];
  const decoder = root.lookupType(`opentelemetry.proto.collector.${name}.v1.${type}`);
  return decoder.toObject(decoder.decode(bytes), {
    enums: String,
    longs: String,
    bytes: String,
    arrays: true,
    defaults: true,
  });
}

/** Yields each item of a message with its resource and the name of its scope. */
function* itemsOf(signal: Signal, message: Message): Generator<[GotSpan["resource"], string, Message]> {
  const [resources, scopes, items] = {
    traces: ["resourceSpans", "scopeSpans", "spans"],
    logs: ["resourceLogs", "scopeLogs", "logRecords"],
    metrics: ["resourceMetrics", "scopeMetrics", "metrics"],
  }[signal] as [string, string, string];
  for (const one of message[resources] as Message[]) {
    const resource = attributesOf(one["resource"] as Message);
    for (const scoped of one[scopes] as Message[])
      for (const item of scoped[items] as Message[])
        yield [resource, String((scoped["scope"] as Message)["name"]), item];
  }
}

function ids(item: Message): object {
  const hex = (name: string): string => Buffer.from(String(item[name] ?? ""), "base64").toString("hex");
  const nanoseconds = (name: string): bigint => BigInt(String(item[name] ?? 0));
  return {
    traceId: hex("traceId"),
    spanId: hex("spanId"),
    parentSpanId: hex("parentSpanId"),
    startTimeUnixNano: nanoseconds("startTimeUnixNano"),
    endTimeUnixNano: nanoseconds("endTimeUnixNano"),
    timeUnixNano: nanoseconds("timeUnixNano"),
    attributes: attributesOf(item),
  };
}

function pointsOf(metric: Message): GotPoint[] {
  const data = (metric["sum"] ?? metric["histogram"] ?? metric["gauge"]) as Message;
  return (data["dataPoints"] as Message[]).map((point) => ({
    metric: String(metric["name"]),
    unit: String(metric["unit"]),
    attributes: attributesOf(point),
    value: Number(point["asDouble"] ?? point["asInt"]),
    count: Number(point["count"]),
    sum: Number(point["sum"]),
  }));
}

function attributesOf({ attributes }: Message): Record<string, unknown> {
  return Object.fromEntries(
    (attributes as { key: string; value: unknown }[]).map(({ key, value }) => [key, valueOf(value)]),
  );
}

/** Converts an `AnyValue` of OTLP to a JavaScript value. */
function valueOf(value: unknown): unknown {
  const [kind, content] = Object.entries((value ?? {}) as Message).find(([name]) => name !== "value") ?? [];
  if (kind === "intValue") return Number(content);
  if (kind === "arrayValue") return ((content as Message)["values"] as unknown[]).map(valueOf);
  if (kind === "kvlistValue") return attributesOf({ attributes: (content as Message)["values"] });
  return content;
}

/** Waits up to a minute until a condition is true, because machines may be slow. `what` names the condition in the error. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`${what} did not come in a minute`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

import type { PluginHost, PluginRedactor } from "@kit/core";
import { hideParameters } from "@kit/core/router";
import type {
  ErrorRecord,
  LogEntry,
  MessageKind,
  MessageKinds,
  ReceivedRequest,
  RequestRecord,
  SpanRecord,
  StreamRecord,
} from "@kit/types";

import { withoutQuery } from "../calls/http.ts";
import { sqlWithoutValues } from "../calls/sql.ts";

/** Text that replaces a hidden value, as in log entries. */
export const hidden = "[redacted]";

/**
 * Hides values in records before the sidecar shows them: values that match the sidecar's patterns (including credentials) or
 * the application's `logging.redact`, and `@sensitive` properties.
 */
export class Redaction {
  readonly #redactor: PluginRedactor;
  /** Kinds of messages of WebSockets that have other messages than JSON, by route. */
  readonly #kinds: ReadonlyMap<string, MessageKinds>;

  constructor(host: Pick<PluginHost, "redactor" | "compiled">, patterns: readonly string[]) {
    this.#redactor = host.redactor(patterns);
    const kinds = host.compiled.routes.map(({ ref, socket }) => [ref, socket?.kinds] as const);
    this.#kinds = new Map(kinds.filter((entry): entry is [string, MessageKinds] => entry[1] !== undefined));
  }

  request(record: RequestRecord): RequestRecord {
    const received = record.received && this.#received(record.received);
    const spans = record.spans.map((span) => this.span(span));
    return {
      ...record,
      received,
      fault: record.fault && { ...record.fault, message: this.#redactor.text(record.fault.message) },
      target: this.#target(record.target, record.route),
      spans,
    };
  }

  stream(record: StreamRecord): StreamRecord {
    const { target, route, messages, end } = record;
    return {
      ...record,
      target: this.#target(target, route),
      messages: messages.map(({ time, direction, bytes, event, text }) => ({
        time,
        direction,
        bytes,
        event,
        text: text === null ? null : this.#message(text, this.#kinds.get(route)?.[direction]),
      })),
      end: end && { ...end, reason: this.#redactor.text(end.reason) },
    };
  }

  span(span: SpanRecord): SpanRecord {
    const isForeign = span.source !== undefined;
    const attributes = Object.entries(span.attributes).map(([name, whole]) => {
      const value = isForeign && typeof whole === "string" ? ofCall(name, whole) : whole;
      // The attribute `user.password` is hidden like the property `password` of an object `user`.
      return [
        name,
        this.#redactor.hides(name.split("."))
          ? hidden
          : typeof value === "string"
            ? this.#redactor.text(value)
            : value,
      ] as const;
    });
    return { ...span, attributes: Object.fromEntries(attributes) };
  }

  error(record: ErrorRecord): ErrorRecord {
    const { details, failures, message, stack, ...rest } = record;
    return {
      ...rest,
      message: this.#redactor.text(message),
      path: this.#target(record.path, record.route),
      ...(details !== undefined && { details: this.#redactor.toLoggable(details) }),
      ...(failures !== undefined && { failures: this.#redactor.toLoggable(failures) as unknown[] }),
      ...(stack !== undefined && { stack: this.#redactor.text(stack) }),
    };
  }

  log(entry: LogEntry): LogEntry {
    const { data } = entry;
    return {
      ...entry,
      message: this.#redactor.text(entry.message),
      ...(data !== undefined && { data: this.#redactor.toLoggable(data) }),
    };
  }

  /** Hides values in the headers and in a JSON body. A body that is not JSON has no property names, so it is not shown at all. */
  #received({ headers, body, bodyLength }: ReceivedRequest): ReceivedRequest {
    return {
      headers: this.#redactor.toLoggable(headers) as Record<string, string>,
      body: body === null ? null : this.#json(body),
      bodyLength,
    };
  }

  /**
   * Returns JSON without values that must be hidden. Text that is not JSON has no property names, so it is shown only if the contract
   * allows plain text.
   */
  #message(text: string, kinds: readonly MessageKind[] = []): string | null {
    // An event without data has no text.
    if (text === "") return text;
    if (!kinds.includes("text")) return this.#json(text);
    const hasNames = /^[ \t\r\n]*[[{]/.test(text);
    return (hasNames ? this.#json(text) : null) ?? this.#redactor.text(text);
  }

  #json(text: string): string | null {
    try {
      return JSON.stringify(this.#redactor.toLoggable(JSON.parse(text)));
    } catch {
      return null;
    }
  }

  /** Returns a request target without the values of hidden parameters: `/notes?token=[redacted]`. */
  #target(target: string, route: string | null): string {
    const [path = "", query] = splitOnce(target, "?");
    const shown = this.#path(path, route);
    return query === undefined ? shown : `${shown}?${this.#query(query)}`;
  }

  #query(query: string): string {
    return query
      .split("&")
      .map((pair) => {
        const [name = "", value] = splitOnce(pair, "=");
        return value !== undefined && this.#redactor.hides(["query", decoded(name)])
          ? `${name}=${hidden}`
          : pair;
      })
      .join("&");
  }

  #path(path: string, route: string | null): string {
    if (route === null) return path;
    const isHidden = (name: string): boolean => this.#redactor.hides(["params", name]);
    return hideParameters(path, route.slice(route.indexOf(" ") + 1), isHidden, hidden);
  }
}

/** Hides values in span attributes of other instrumentation: literals in SQL statements, and queries of URLs. */
function ofCall(name: string, text: string): string {
  if (name === "db.statement" || name === "db.query.text") return sqlWithoutValues(text);
  if (name === "url.query") return text === "" ? text : hidden;
  return name === "url.full" || name === "http.url" || name === "http.target" ? withoutQuery(text) : text;
}

function splitOnce(text: string, separator: string): [string, string?] {
  const index = text.indexOf(separator);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

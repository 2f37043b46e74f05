import type { PluginHost, PluginRedactor } from "@kit/core";
import type { ErrorRecord, LogEntry, ReceivedRequest, RequestRecord, SpanRecord } from "@kit/types";

/** What stands in place of a hidden value, as in logs. */
const hidden = "[redacted]";

/** How a message tells of a value that does not fit: `$.user.iban: expected string, received number 42 (and 2 more)`. */
const misfit = /(\$[^\n]*?)(: expected [^\n]*?, received )[^\n]*?( \(and \d+ more\))?(?=\n|$)/g;

/**
 * Takes out of what is shown what nobody is to see. The application's own patterns and `@sensitive` fields are hidden already, except in
 * what a request contained; the sidecar's patterns are hidden in everything.
 */
export class Redaction {
  readonly #redactor: PluginRedactor;
  readonly #hasPatterns: boolean;

  /** `patterns` is null where nothing is hidden that the log would show. */
  constructor(host: Pick<PluginHost, "redactor">, patterns: readonly string[] | null) {
    this.#redactor = host.redactor(patterns ?? []);
    this.#hasPatterns = patterns !== null;
  }

  request(record: RequestRecord): RequestRecord {
    const received = record.received && this.#received(record.received);
    if (!this.#hasPatterns) return { ...record, received };
    return {
      ...record,
      received,
      fault: record.fault && { ...record.fault, message: this.#text(record.fault.message) },
      target: this.#target(record.target, record.route),
      spans: record.spans.map((span) => this.span(span)),
    };
  }

  span(span: SpanRecord): SpanRecord {
    if (!this.#hasPatterns) return span;
    const attributes = Object.entries(span.attributes).map(([name, value]) => {
      // `user.password` is a `password` of a `user`.
      return [name, this.#redactor.hides(name.split(".")) ? hidden : this.#texts(value)] as const;
    });
    return { ...span, attributes: Object.fromEntries(attributes) };
  }

  error(record: ErrorRecord): ErrorRecord {
    if (!this.#hasPatterns) return record;
    const { details, failures, message, stack, ...rest } = record;
    return {
      ...rest,
      message: this.#text(message),
      path: this.#target(record.path, record.route),
      ...(details !== undefined && { details: this.#data(details) }),
      ...(failures !== undefined && { failures: this.#data(failures) as unknown[] }),
      ...(stack !== undefined && { stack: this.#text(stack) }),
    };
  }

  log(entry: LogEntry): LogEntry {
    if (!this.#hasPatterns) return entry;
    const { data } = entry;
    return {
      ...entry,
      message: this.#text(entry.message),
      ...(data !== undefined && { data: this.#data(data) }),
    };
  }

  #data(value: unknown): unknown {
    return this.#texts(this.#redactor.toLoggable(value));
  }

  /** Plain data with each of its texts looked at. */
  #texts<T>(value: T): T {
    if (typeof value === "string") return this.#text(value) as T;
    if (Array.isArray(value)) return value.map((item: unknown) => this.#texts(item)) as T;
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(
      ([name, item]) => [name, this.#texts(item as unknown)] as const,
    );
    return Object.fromEntries(entries) as T;
  }

  /** A message, without the values of hidden fields that validation found in them. */
  #text(text: string): string {
    if (!text.includes(", received ")) return text;
    return text.replace(misfit, (whole, path: string, between: string, more: string | undefined) =>
      this.#hidesField(path) ? `${path}${between}${hidden}${more ?? ""}` : whole,
    );
  }

  /** Whether a field is hidden, or one that it lies within: `$.user["first name"].tags[0]`. */
  #hidesField(path: string): boolean {
    const names = path.match(/[^.[\]"$]+/g) ?? [];
    return names.some((_, index) => this.#redactor.hides(names.slice(0, index + 1)));
  }

  /** Headers and the values of a JSON body. A body that is no JSON has no names by which something could be hidden, so it is not shown. */
  #received({ headers, body, bodyLength }: ReceivedRequest): ReceivedRequest {
    return {
      headers: this.#redactor.toLoggable(headers) as Record<string, string>,
      body: body === null ? null : this.#body(body),
      bodyLength,
    };
  }

  #body(body: string): string | null {
    try {
      return JSON.stringify(this.#redactor.toLoggable(JSON.parse(body)));
    } catch {
      return null;
    }
  }

  /** Path and query without the values of hidden parameters. */
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
    const pattern = route?.slice(route.indexOf(" ") + 1).split("/");
    if (pattern === undefined) return path;
    const segments = path.split("/");
    // A hidden wildcard hides all that it takes.
    const shown = pattern.map((part, index) => {
      const isParameter = /^[:*]/.test(part);
      if (isParameter && this.#redactor.hides(["params", part.slice(1)])) return hidden;
      return part.startsWith("*") ? segments.slice(index).join("/") : (segments[index] ?? "");
    });
    return shown.join("/");
  }
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

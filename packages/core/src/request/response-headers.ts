import type { SetCookie } from "../cookies/cookies.ts";

/**
 * Headers that only the server sets: headers of the message framing and of the connection. If a handler set
 * them, clients could misread the responses.
 */
const ofTheServer = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers that describe a body which a 304 response does not have (RFC 9110, 15.4.5). */
const ofTheRepresentation = new Set([
  "content-digest",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-md5",
  "content-range",
  "digest",
  "repr-digest",
]);

/** Headers that describe the body of a response or its caching, in addition to the headers `content-*`. */
const ofTheBody = new Set(["accept-ranges", "cache-control", "etag", "expires", "last-modified"]);

const namePattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// Only ASCII is allowed, because clients decode other characters differently.
const valuePattern = /^[\t\x20-\x7e]*$/;
/** Matches what all servers send unchanged: each character as one byte of Latin-1. */
const latin1Pattern = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Maximum number of names that are kept, and maximum length of these names and of their values. A handler may make names from what
 * clients send.
 */
const [mostValidNames, longestValid] = [200, 100];

/** Name that was checked. */
interface ValidName {
  readonly lowerName: string;
  /** Value that was checked first. Many headers always have the same value. `null` if there is none yet, or if it is long. */
  firstValue: string | null;
}

/** Names that were checked. An application sets the same few names again and again. */
const validNames = new Map<string, ValidName>();

/** Response headers that middleware and the handler set, as alternating names and values. */
export class ResponseHeaders {
  /** Content type that replaces the default of the response. */
  contentType: string | null = null;
  #list: string[] = [];
  /** Lines of the cookies that {@link ResponseHeaders.setCookie} has set, by id. `null` if there are none. */
  #cookies: Map<string, string> | null = null;

  /** Returns a list with these headers, which are names and values of another list. */
  static of(list: readonly string[]): ResponseHeaders {
    const headers = new ResponseHeaders();
    headers.#list = [...list];
    return headers;
  }

  /** Returns the names and values that another list does not have. */
  listWithout(other: ResponseHeaders): readonly string[] {
    const known = new Set<string>();
    for (let index = 0; index < other.#list.length; index += 2) known.add(pairAt(other.#list, index));
    return this.#list.filter((_, index) => !known.has(pairAt(this.#list, index - (index % 2))));
  }

  /** Sets a header and replaces its previous value. A value of `set-cookie` is added to the previous values. */
  set(name: string, value: string | readonly string[]): void {
    const known = validNames.get(name);
    const lowerName = known === undefined ? checkName(name) : known.lowerName;
    if (typeof value === "string") {
      if (known === undefined || known.firstValue !== value) {
        checkValue(lowerName, value);
        if (known?.firstValue === null && value.length <= longestValid) known.firstValue = value;
      }
      this.#storeOne(lowerName, value);
      return;
    }
    if (!Array.isArray(value)) throw new TypeError(`The value of the header ${lowerName} is not a string`);
    for (const item of value) checkValue(lowerName, item);
    this.#store(lowerName, value as readonly string[]);
  }

  /**
   * Sets the headers of a declared reply, given as a list of name, value, name, value. A value may have every
   * character of Latin-1 that HTTP allows (RFC 9110, 5.5).
   */
  setDeclared(list: readonly string[]): void {
    for (let index = 0; index < list.length; index += 2) {
      const [name, value] = [list[index]!, list[index + 1]!];
      if (!namePattern.test(name) || ofTheServer.has(name) || !latin1Pattern.test(value)) {
        throw new TypeError(`The header ${name} of the reply cannot be sent with this name or value`);
      }
      this.#storeOne(name, value);
    }
  }

  /** Sets a header that kit has made, so that its name and its value need no check. */
  setGenerated(lowerName: string, value: string): void {
    this.#remove(lowerName);
    this.#list.push(lowerName, value);
  }

  #store(lowerName: string, values: readonly string[]): void {
    if (lowerName === "content-type") {
      if (values.length !== 1) throw new TypeError("The header content-type must have exactly one value");
      this.contentType = values[0]!;
      return;
    }
    if (lowerName !== "set-cookie") this.#remove(lowerName);
    for (const item of values) this.#list.push(lowerName, item);
  }

  #storeOne(lowerName: string, value: string): void {
    if (lowerName === "content-type") {
      this.contentType = value;
      return;
    }
    if (lowerName !== "set-cookie") this.#remove(lowerName);
    this.#list.push(lowerName, value);
  }

  /** Adds a cookie. Replaces the cookie that was set with the same id before. */
  setCookie({ id, line }: SetCookie): void {
    const cookies = (this.#cookies ??= new Map());
    const previous = cookies.get(id);
    if (previous !== undefined) this.#keep((name, value) => name !== "set-cookie" || value !== previous);
    cookies.set(id, line);
    this.#list.push("set-cookie", line);
  }

  /** Returns the values of a header, joined with `, `. `null` if there are none. */
  get(name: string): string | null {
    const lowerName = name.toLowerCase();
    if (lowerName === "content-type") return this.contentType;
    const values: string[] = [];
    for (let index = 0; index < this.#list.length; index += 2) {
      if (this.#list[index] === lowerName) values.push(this.#list[index + 1]!);
    }
    return values.length === 0 ? null : values.join(", ");
  }

  /** Removes a header. */
  delete(name: string): void {
    const lowerName = name.toLowerCase();
    if (lowerName === "content-type") this.contentType = null;
    if (lowerName === "set-cookie") this.#cookies = null;
    this.#remove(lowerName);
  }

  /** Returns a list with the same headers. */
  copy(): ResponseHeaders {
    const copy = new ResponseHeaders();
    copy.contentType = this.contentType;
    copy.#list = [...this.#list];
    copy.#cookies = this.#cookies === null ? null : new Map(this.#cookies);
    return copy;
  }

  /** Adds the headers of another list, as if they were set after the headers of this list. Returns this list. */
  merge(later: ResponseHeaders): this {
    if (later.contentType !== null) this.contentType = later.contentType;
    const replaced = new Set(later.#list.filter((name, index) => index % 2 === 0 && name !== "set-cookie"));
    this.#keep((name) => !replaced.has(name));
    const ids = new Map([...(later.#cookies ?? [])].map(([id, line]) => [line, id]));
    for (let index = 0; index < later.#list.length; index += 2) {
      const [name, value] = [later.#list[index]!, later.#list[index + 1]!];
      const id = name === "set-cookie" ? ids.get(value) : undefined;
      if (id === undefined) this.#list.push(name, value);
      else this.setCookie({ id, line: value });
    }
    return this;
  }

  /** Removes the headers that an error response must not have. */
  dropDescriptionOfBody(): void {
    this.contentType = null;
    this.#keep((name) => !ofTheBody.has(name) && !name.startsWith("content-"));
  }

  /**
   * Removes the headers that a 304 response must not have. Keeps `last-modified` only if the response has no
   * entity tag.
   */
  dropDescriptionOfRepresentation(): void {
    const hasTag = this.#list.includes("etag");
    this.#keep((name) => !ofTheRepresentation.has(name) && !(hasTag && name === "last-modified"));
  }

  /** Returns a list of name, value, name, value. `null` if there are no headers. */
  get list(): readonly string[] | null {
    return this.#list.length === 0 ? null : this.#list;
  }

  /** Removes a header. Most responses set each name once, so the list is copied only if the name occurs. */
  #remove(lowerName: string): void {
    // A value that equals the name costs a copy and changes nothing.
    if (this.#list.includes(lowerName)) this.#keep((present) => present !== lowerName);
  }

  #keep(predicate: (name: string, value: string) => boolean): void {
    const kept: string[] = [];
    for (let index = 0; index < this.#list.length; index += 2) {
      const name = this.#list[index]!;
      const value = this.#list[index + 1]!;
      if (predicate(name, value)) kept.push(name, value);
    }
    this.#list = kept;
  }
}

/**
 * Returns the name of a header in lower case.
 *
 * @throws {TypeError} If handlers must not set a header of this name.
 */
function checkName(name: unknown): string {
  if (typeof name !== "string" || !namePattern.test(name)) {
    throw new TypeError(`${JSON.stringify(name)} is not a valid header name`);
  }
  const lowerName = name.toLowerCase();
  if (ofTheServer.has(lowerName)) {
    throw new TypeError(`The header ${lowerName} is set by the server and cannot be set by a handler`);
  }
  if (validNames.size < mostValidNames && name.length <= longestValid)
    validNames.set(name, { lowerName, firstValue: null });
  return lowerName;
}

/** @throws {TypeError} If the value is not a string of printable ASCII characters. */
function checkValue(lowerName: string, value: unknown): void {
  if (typeof value === "string" && valuePattern.test(value)) return;
  throw new TypeError(
    `The value of the header ${lowerName} may hold only printable ASCII characters; encode others, for example with encodeURIComponent`,
  );
}

/** Returns the name and the value at an even index of a list, as one text. */
function pairAt(list: readonly string[], index: number): string {
  return `${list[index]}\n${list[index + 1]}`;
}

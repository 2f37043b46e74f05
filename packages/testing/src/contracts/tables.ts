import type { Shape } from "@kit/core/codec";
import type { CompiledProtocols, MessageKinds } from "@kit/types";

import type { ErrorFormat } from "../coverage/error-format.ts";
import type { Contracts, Slot } from "../coverage/contracts.ts";

/**
 * Change that keeps a request valid: slot, path, description and new value. If the change removes a value that has
 * a default, the fifth element is the default that the handler gets.
 */
export type AcceptedRow = readonly [
  slot: Slot,
  path: string,
  what: string,
  given: unknown,
  defaultValue?: unknown,
];

/**
 * Change that makes a request invalid: slot, path, description and new value. If the fifth element is `within`, the
 * response may report a failure at a path below the given path.
 */
export type RefusedRow = readonly [slot: Slot, path: string, what: string, given: unknown, where?: "within"];

/** Part of a multipart body that is a file, or several files with one name. */
export interface TestedFile {
  readonly name: string;
  readonly optional?: true;
  readonly many?: true;
  /** True if the part comes after all others. */
  readonly streamed?: true;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Maximum size in bytes. */
  readonly maxBytes?: number;
  /** Media types or ranges. Absent if the file may have any type. */
  readonly types?: readonly string[];
}

/** Request body that is not JSON. */
export interface TestedFormat {
  readonly kind: "form" | "multipart" | "raw" | "chunks" | "text" | "bytes" | "lines";
  /** Media types or ranges of the request. */
  readonly types: readonly string[];
  /** Names of the parts that are JSON. Present only if the kind is `multipart`. */
  readonly json?: readonly string[];
  /** Parts that are files. Present only if the kind is `multipart`. */
  readonly files?: readonly TestedFile[];
}

/** One format of a request body whose contract has a union of formats. */
export interface FormatChoice {
  /** First media type or range of the format. */
  readonly type: string;
  /** Media types and ranges of all formats. */
  readonly all: readonly string[];
}

/** Response body that is not JSON, or a member of a union of formats. */
export interface TestedContent {
  readonly kind: "text" | "bytes" | "download" | "lines" | "events" | "json" | "oneof";
  /** Media type. In a union, the media type of the first format. */
  readonly type: string;
  /** Shape of the value. Present only if the kind is `json`. */
  readonly json?: Shape;
  /** Formats of a union. Present only if the kind is `oneof`. */
  readonly choices?: readonly TestedContent[];
  /** Shape of a line. Present only if the kind is `lines`. */
  readonly line?: Shape;
  /** Shapes of the data of events, by name; `null` if the event has no data. Present only if the kind is `events`. */
  readonly events?: Readonly<Record<string, Shape | null>>;
}

/** List that is read with cursors. */
export interface TestedList {
  /** Smallest limit of a page. */
  readonly limit: number;
  /** Names of the optional properties of the query other than the cursor and the limit. */
  readonly filters: readonly string[];
}

/** Messages of a WebSocket. */
export interface TestedSocket {
  /** Shape of the JSON messages that the application sends. `null` if it sends no JSON. */
  readonly out: Shape | null;
  /** Kinds of messages. Absent if all messages are JSON. */
  readonly kinds?: MessageKinds;
  /** Subprotocols. Absent if the contract names none. */
  readonly protocols?: CompiledProtocols;
}

/** Place of a credential in a request, and its name. Names of headers are in lower case. */
export type Credential = readonly [place: "header" | "cookie" | "query", name: string];

/** Authentication that a route requires. */
export interface TestedAuth {
  /** Places in which the middleware of the route looks for credentials. */
  readonly credentials: readonly Credential[];
  /** Codes of the errors with the status 401. Absent if the route declares none. */
  readonly unauthorized?: readonly string[];
  /** Lists of scopes. The caller must have all scopes of at least one list. Absent if the contract requires none. */
  readonly scopes?: readonly (readonly string[])[];
}

/** Successful or redirecting response that a contract declares. */
export interface DeclaredReply {
  readonly status: number;
  /** Shape of the body; `null` if the response has no body, or a body that is not JSON. */
  readonly body: Shape | null;
  /** Body that is not JSON. Absent if the body is JSON, or if there is none. */
  readonly content?: TestedContent;
  /** Shape of the declared headers. Absent if the contract declares none. */
  readonly headers?: Shape;
}

/** Contract of a route as a list of requests, with the expected responses. */
export interface RouteTable {
  /** Method and path pattern, for example `GET /notes/:id`. */
  readonly route: string;
  /** Format of the request body in this table. A contract with a union of formats has one table for each format. */
  readonly choice?: FormatChoice;
  /** Reason why the configuration excludes the route. */
  readonly skip?: string;
  /** Reason why the route has no tests. */
  readonly untested?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Responses without an error that the contract declares. */
  readonly replies?: readonly DeclaredReply[];
  /** Errors that the contract declares, for example `404 NOTE_NOT_FOUND`. */
  readonly errors?: readonly string[];
  /** Format of error bodies. Absent for kit's envelope. {@link contractTests} adds it from the contracts. */
  readonly errorFormat?: ErrorFormat;
  /** Shapes of the details of errors. Errors whose contract declares no type of details are absent. */
  readonly details?: Readonly<Record<string, Shape>>;
  /** Method that the path does not accept, and the expected `Allow` header. */
  readonly wrongMethod?: { readonly method: string; readonly allow: string };
  /** Request body that is not JSON. Absent if the body is JSON, or if there is none. */
  readonly format?: TestedFormat;
  /** Present only if the response is a `Cursor`: one page of a list. */
  readonly list?: TestedList;
  /** Authentication. Absent if no middleware of the route has the tag `@security`, and the contract requires no scopes. */
  readonly auth?: TestedAuth;
  /** Messages of a WebSocket. Absent for other routes. The slot `body` is a message of the client then. */
  readonly socket?: TestedSocket;
  /** Values of a valid request, by slot. A body of JSON Lines is a list. */
  readonly request?: Readonly<Partial<Record<Slot, unknown>>>;
  /** Properties of the body that get a new string in each request. A unique text replaces `{}` in the string. */
  readonly fresh?: Readonly<Record<string, string>>;
  /** Objects of the request that accept only declared properties. */
  readonly closed?: readonly (readonly [slot: Slot, path: string])[];
  readonly accepts?: readonly AcceptedRow[];
  readonly refuses?: readonly RefusedRow[];
  /** Number of rules without a test, because the route has too many rules. */
  readonly leftOut?: number;
}

/** Returns the title of the tests of a table: the route, and the media type if the request body has one of several formats. */
export function titleOf({ route, choice }: RouteTable): string {
  return choice === undefined ? route : `${route} with ${choice.type}`;
}

/** Context of a test, of the test runner. */
export interface TestContext {
  skip(reason?: string): void;
}

/** Functions of node:test and vitest that contract tests use. */
export interface TestRunner {
  describe(name: string, define: () => void): unknown;
  /** Declares a test. node:test ignores the third argument, and has no timeout by default. */
  test(name: string, run: (context: TestContext) => Promise<void>, timeout?: number): unknown;
  before(run: () => Promise<void>): unknown;
  after(run: () => Promise<void>): unknown;
}

/** Content of a generated file of contract tests. */
export interface ContractTests {
  readonly runner: TestRunner;
  /** Name of the contract group. */
  readonly group: string;
  /** Contracts of all groups, from the generated module `tests/contracts.ts`. */
  readonly contracts: Contracts;
  /** Imports the module that exports the application. */
  readonly app: () => Promise<unknown>;
  /** Imports the module whose default export is of type {@link Fixtures}. */
  readonly fixtures?: () => Promise<unknown>;
  /** Directory of the project. */
  readonly root: URL;
  /** True if the application has tables. */
  readonly database: boolean;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly routes: readonly RouteTable[];
}

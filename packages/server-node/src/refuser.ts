import { randomBytes } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

import type { ResponseRules, ServerRefusal } from "@kit/types";

import { closeAfter, isEnding, type Discarder } from "./discard.ts";
import { noSniff, noSniffName } from "./no-sniff.ts";
import { applyRules, linesOfDefaults } from "./response-rules.ts";
import { badRequest, headersTooLarge, type Refusal, requestTimeout } from "./refusal.ts";

/** Key under which a connection stores the last response that was started on it. */
export const lastResponse: unique symbol = Symbol("last response");
/** Connection with its last response. */
export type TrackedSocket = Socket & { [lastResponse]?: ServerResponse };

/** Responds to input that never reaches the application, such as invalid HTTP, and reports each refusal to the log. */
export class Refuser {
  readonly #report: (refusal: ServerRefusal) => void;
  readonly #discarder: Discarder;
  readonly #rules: ResponseRules | undefined;
  /** Lines of the headers that every response has, also to input that is not a request. */
  readonly #lines: string;

  constructor(
    report: (refusal: ServerRefusal) => void,
    discarder: Discarder,
    /** Headers of every response. Input that is not a request gets only those that do not depend on the request. */
    rules: ResponseRules | undefined,
  ) {
    this.#report = report;
    this.#discarder = discarder;
    this.#rules = rules;
    this.#lines = linesOfDefaults(rules);
  }

  /** Sends an error on a connection without a request, in the format of all errors of kit, and closes the connection. */
  connection(socket: Duplex, refusal: Refusal): void {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const { status } = refusal;
    const body = this.#envelope(socket, refusal);
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}\r\n` +
        "content-type: application/json\r\n" +
        `${noSniffName}: ${noSniff}\r\n` +
        this.#lines +
        `content-length: ${Buffer.byteLength(body)}\r\n` +
        "connection: close\r\n" +
        `date: ${new Date().toUTCString()}\r\n\r\n${body}`,
    );
    this.#discarder.start(socket);
  }

  /** Sends an error for a request after the responses to earlier requests, and then closes the connection. */
  request(response: ServerResponse, refusal: Refusal): void {
    const body = this.#envelope(response.req.socket, refusal);
    closeAfter(response);
    if (this.#rules !== undefined) applyRules(this.#rules, response.req, response);
    response.writeHead(refusal.status, {
      "content-type": "application/json",
      [noSniffName]: noSniff,
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  }

  /** Responds to input that Node's parser rejected, or that did not arrive in time. */
  invalidInput(error: NodeJS.ErrnoException, socket: TrackedSocket): void {
    const response = socket[lastResponse];
    if (isEnding(socket)) return;
    // A client that sent nothing gets no response.
    if (error.code === "ECONNRESET" || socket.bytesRead === 0) socket.destroy();
    else if (response === undefined || response.writableFinished) {
      this.connection(socket, refusalFor(error));
    } else if (response.req.complete) {
      // The invalid input comes after a request that has no response yet. That response is sent first.
      response.once("finish", () => this.connection(socket, refusalFor(error)));
    } else if (response.headersSent) {
      socket.destroy();
    } else {
      this.request(response, refusalFor(error));
    }
  }

  #envelope(socket: Duplex, { status, code, message }: Refusal): string {
    const traceId = randomBytes(16).toString("hex");
    const { remoteAddress } = socket as Socket;
    this.#report({ status, code, message, traceId, ...(remoteAddress !== undefined && { remoteAddress }) });
    return JSON.stringify({ error: { code, message, traceId } });
  }
}

function refusalFor(error: NodeJS.ErrnoException): Refusal {
  switch (error.code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return requestTimeout;
    case "HPE_HEADER_OVERFLOW":
      return headersTooLarge;
    default:
      return badRequest("the request is not valid HTTP");
  }
}

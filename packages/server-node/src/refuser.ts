import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

import type { ErrorBodies, ServerRefusal, ServerService } from "@kit/types";

import { closeAfter, isEnding, type Discarder } from "./discard.ts";
import { http } from "./http-module.ts";
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
  /**
   * Headers of every response. A response to input that is not HTTP has only the headers that do not depend on the
   * request.
   */
  readonly #rules: ServerService["responseRules"];
  /** Format of error bodies. `undefined` for kit's envelope. */
  readonly #bodies: ErrorBodies | undefined;
  readonly #contentType: string;
  /** Lines of the headers that every response has, also to input that is not a request. */
  readonly #lines: string;

  constructor(service: ServerService, discarder: Discarder) {
    const { responseRules, errorBodies } = service;
    this.#report = (refusal) => service.logRefusal?.(refusal);
    this.#discarder = discarder;
    this.#rules = responseRules;
    this.#bodies = errorBodies;
    this.#contentType = errorBodies?.contentType ?? "application/json";
    this.#lines = linesOfDefaults(responseRules);
  }

  /** Sends an error on a connection without a request, in the format of all errors, and closes the connection. */
  connection(socket: Duplex, refusal: Refusal): void {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const { status } = refusal;
    const body = this.#bodyOf(socket, refusal);
    socket.end(
      `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? "Error"}\r\n` +
        `content-type: ${this.#contentType}\r\n` +
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
    const body = this.#bodyOf(response.req.socket, refusal);
    closeAfter(response);
    if (this.#rules !== undefined) applyRules(this.#rules, response.req, response);
    response.writeHead(refusal.status, {
      "content-type": this.#contentType,
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

  /** Returns the body for a refusal, and reports the refusal. */
  #bodyOf(socket: Duplex, refusal: Refusal): string {
    const { status, code, message } = refusal;
    const traceId = randomBytes(16).toString("hex");
    const { remoteAddress } = socket as Socket;
    this.#report({ status, code, message, traceId, ...(remoteAddress !== undefined && { remoteAddress }) });
    if (this.#bodies !== undefined) return this.#bodies.body(refusal, traceId);
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

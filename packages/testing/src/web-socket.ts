/** WebSockets of tests: the handshake and the connection. */
import { request } from "node:http";

import type { HeaderTexts } from "./header-texts.ts";
import { remember, type TestResponse } from "./test-response.ts";

/** Header with the subprotocols that a client offers (RFC 6455, section 11.3.4). */
export const subprotocolHeader = "sec-websocket-protocol";

/** Sends a handshake, and returns the response. A handshake that is accepted has the status 101. */
export async function sendHandshake(
  origin: string,
  target: string,
  given: HeaderTexts,
): Promise<TestResponse> {
  const headers = {
    ...given,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const sent = request(origin + target, { headers, agent: false });
  const { promise, resolve, reject } = Promise.withResolvers<TestResponse>();
  const answered = (status: number, fields: object, text: string, body: unknown): void => {
    const answer = { status, headers: new Headers(fields as Record<string, string>), text, body };
    remember(answer, { method: "GET", target, headers });
    resolve(answer);
  };
  sent.on("error", reject);
  sent.on("upgrade", ({ statusCode = 101, headers: fields }, socket) => {
    socket.destroy();
    answered(statusCode, fields, "", undefined);
  });
  sent.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    response.on("end", () => {
      let body: unknown;
      try {
        body = JSON.parse(text);
      } catch {
        // A body that is not JSON has no parsed form.
      }
      answered(response.statusCode ?? 0, response.headers, text, body);
    });
  });
  sent.end();
  return promise;
}

/**
 * Creates a WebSocket to an application. Subprotocols in the header `sec-websocket-protocol` are offered. `origin` is the URL of the application, such as `http://127.0.0.1:3000`.
 */
export function connectSocket(origin: string, target: string, headers: HeaderTexts): WebSocket {
  // Node's WebSocket takes an object with headers in place of the subprotocols, which types of browsers do not declare.
  const Constructor = WebSocket as unknown as new (
    url: string,
    init: { headers: object; protocols: string[] },
  ) => WebSocket;
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== subprotocolHeader);
  const offer = Object.entries(headers).find(([name]) => name.toLowerCase() === subprotocolHeader)?.[1];
  const protocols = offer === undefined ? [] : offer.split(",").map((name) => name.trim());
  const socket = new Constructor(origin.replace(/^http/, "ws") + target, {
    headers: Object.fromEntries(others),
    protocols,
  });
  socket.binaryType = "arraybuffer";
  return socket;
}

import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import { connect, createServer as createSocketServer, type Server, type Socket } from "node:net";
import { readFileSync } from "node:fs";
import { TLSSocket } from "node:tls";

import type { BuildState } from "@kit/types";

import { acceptsHost } from "./allowed-hosts.ts";
import { buildPath, explain } from "./explanation.ts";
import type { TlsFiles } from "./messages.ts";

/** Maximum number of bytes of a request's head that are read to find its host. The server refuses longer heads. */
const longestHead = 64 * 1024;
/** Response to a request whose head is incomplete, while no program runs. */
const incomplete = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/** First byte of a connection with TLS: the type of a record with the messages of a handshake (RFC 8446, 5.1). */
const handshakeRecord = 0x16;

/** Response to a request without TLS, if the program speaks TLS. */
const plainRefused = refusal("This application speaks TLS: its address begins with https://\n");

function refusal(text: string): string {
  return `HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}

/** Program that serves the application. */
export interface Backend {
  /** Port on which the program listens. */
  readonly port: number;
  /** Secret of the first line with the address of the client; `undefined` if the program does not read such a line. */
  readonly token?: string;
}

/**
 * Listens on the address of an application that another program serves, and passes the bytes of each connection to the
 * program that runs at the moment. A connection stays with its program until the program closes the connection. If no
 * program runs, the gate responds itself.
 *
 * The gate checks only the host of the first request of a connection, because a browser sends all requests on a connection
 * to the same host. With TLS, the gate does not see the host: a browser checks that the certificate is valid for it.
 */
export class Gate {
  /** Program that serves; `undefined` if no program runs. */
  backend: Backend | undefined;
  /** Files of a program that speaks TLS; `undefined` for plain HTTP. Changes together with `backend`. */
  tls: TlsFiles | undefined;
  /** Result of the last build. */
  build: BuildState = { status: "built", text: "" };
  readonly #accepts: (host: string | undefined) => boolean;
  readonly #server: Server;
  readonly #standIn: HttpServer;
  readonly #sockets = new Set<Socket>();

  constructor(allowedHosts: readonly string[]) {
    this.#accepts = (host) => acceptsHost(host, allowedHosts);
    this.#standIn = createServer((request, response) =>
      explain(request, response, { build: this.build, accepts: this.#accepts }),
    );
    // A client may close its side of the connection and still wait for the response.
    this.#server = createSocketServer({ allowHalfOpen: true }, (socket) => this.#take(socket));
  }

  /**
   * Starts to listen. Resolves to the port.
   *
   * @throws {Error} If the address cannot be used. The error is that of the operating system.
   */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen({ host, port });
    await once(this.#server, "listening");
    return (this.#server.address() as { port: number }).port;
  }

  /** Stops listening, and closes all connections. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #take(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    const { remoteAddress, remotePort } = socket;
    let received: Buffer = Buffer.alloc(0);
    const read = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      if ((received[0] === handshakeRecord) !== (this.tls !== undefined)) return refuse();
      if (this.tls !== undefined) return passTls(this.tls);
      const end = received.indexOf("\r\n\r\n");
      if (end !== -1 || received.length > longestHead) pass(end);
    };
    const pass = (end: number): void => {
      stop();
      const head = received.subarray(0, end === -1 ? received.length : end).toString("latin1");
      if (this.backend !== undefined && !this.#isOwn(head)) {
        const line = firstLine(this.backend, remoteAddress, remotePort);
        connectTo(this.backend.port, socket, Buffer.concat([line, received]));
      } else if (socket.readableEnded) socket.end(incomplete);
      else {
        this.#standIn.emit("connection", socket);
        // An HTTP server reads from the operating system. Bytes that `unshift` puts back would therefore be lost.
        socket.emit("data", received);
        socket.resume();
      }
    };
    const stop = (): void => void socket.off("data", read).off("end", ended).pause();
    const refuse = (): void => {
      stop();
      // A client of TLS understands no response without TLS.
      socket.end(this.tls === undefined ? "" : plainRefused);
      socket.resume();
    };
    const passTls = (files: TlsFiles): void => {
      stop();
      if (this.backend === undefined) return this.#explainWithTls(socket, received, files);
      const line = firstLine(this.backend, remoteAddress, remotePort);
      connectTo(this.backend.port, socket, Buffer.concat([line, received]));
    };
    // The head is incomplete. The server decides how to respond.
    const ended = (): void => {
      if (received.length === 0) socket.end();
      else pass(-1);
    };
    socket.on("data", read).on("end", ended);
  }

  /** Responds with the certificate of the program, while no program runs. */
  #explainWithTls(socket: Socket, received: Buffer, files: TlsFiles): void {
    try {
      socket.unshift(received);
      const encrypted = new TLSSocket(socket, {
        isServer: true,
        cert: readFileSync(files.cert),
        key: readFileSync(files.key),
      });
      encrypted.on("error", () => socket.destroy());
      this.#standIn.emit("connection", encrypted);
    } catch {
      // The build reports the files that the program cannot read.
      socket.destroy();
    }
  }

  /** Returns true if the gate itself must respond to a request with this head. */
  #isOwn(head: string): boolean {
    if (head.split(" ", 2)[1] === buildPath) return true;
    return head.split("\n").some((line) => {
      const colon = line.indexOf(":");
      return line.slice(0, colon).toLowerCase() === "host" && !this.#accepts(line.slice(colon + 1).trim());
    });
  }
}

/** Returns the line that tells the program which client has connected, because the connection itself comes from this process. */
function firstLine({ token }: Backend, address = "127.0.0.1", port = 0): Buffer {
  // An IPv6 address may end with the name of a network interface, which programs on this machine need no more.
  const [plain] = address.split("%");
  return Buffer.from(token === undefined ? "" : `KIT-DEV ${token} ${plain} ${port}\n`);
}

/** Passes the bytes that a client has sent, and all further bytes in both directions. */
function connectTo(port: number, client: Socket, received: Buffer): void {
  const program = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  program.on("error", () => client.destroy());
  program.on("close", () => client.destroySoon());
  client.on("close", () => program.destroy());
  program.pipe(client);
  if (client.readableEnded) program.end(received);
  else {
    program.write(received);
    client.pipe(program);
  }
}

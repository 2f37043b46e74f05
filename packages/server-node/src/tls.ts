/** TLS of node:https from files in PEM. */
import { readFileSync } from "node:fs";
import type { Server } from "node:https";
import type { Socket } from "node:net";
import type { SecureContextOptions, TLSSocket } from "node:tls";

import type { ServerService, TlsOptions } from "@kit/types";

/** Rules that apply to each connection of a server, also after new files. */
export interface ConnectionRules {
  readonly handshakeTimeout: number;
  readonly requestCert: boolean;
  readonly rejectUnauthorized: boolean;
  readonly ALPNProtocols: string[];
}

/** Cipher suites with forward secrecy and authenticated encryption, in the order of the native server and of the Rust server. */
const ciphers = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/** `SSL_OP_NO_RENEGOTIATION` of OpenSSL, which `node:constants` lacks: a client could make the server repeat handshakes. */
const noRenegotiation = 0x4000_0000;

/** Returns the rules for the connections of a server. A handshake may take as long as the head of a request. */
export function connectionRules(tls: TlsOptions, headersTimeout: number): ConnectionRules {
  const hasClients = tls.clientCa !== undefined;
  return {
    handshakeTimeout: headersTimeout,
    requestCert: hasClients,
    rejectUnauthorized: hasClients && tls.clientCertificates !== "optional",
    ALPNProtocols: ["http/1.1"],
  };
}

/**
 * Reads the files.
 *
 * @throws {Error} with the code `ERR_KIT_TLS` if a file cannot be used. The message names the file, and `help` says what to do.
 */
export function readTls({ cert, key, clientCa, minVersion = "1.2" }: TlsOptions): SecureContextOptions {
  const { X509Certificate, createPrivateKey } = process.getBuiltinModule("node:crypto");
  const certificate = read("certificate file", cert);
  const first = parse("certificate file", cert, () => new X509Certificate(certificate));
  const keyText = read("key file", key);
  const privateKey = parse("key file", key, () => createPrivateKey(keyText));
  if (!first.checkPrivateKey(privateKey)) {
    throw tlsError(
      `the key of ${key} does not belong to the first certificate of ${cert}`,
      "write the server's own certificate first in the certificate file, and give the key with which it was requested",
    );
  }
  const purpose = "file of authorities for clients";
  const ca = clientCa === undefined ? undefined : read(purpose, clientCa);
  if (ca !== undefined) parse(purpose, clientCa!, () => new X509Certificate(ca));
  const options: SecureContextOptions = {
    cert: certificate,
    key: keyText,
    ...(ca !== undefined && { ca }),
    minVersion: `TLSv${minVersion}`,
    ciphers,
    honorCipherOrder: true,
    secureOptions: noRenegotiation,
  };
  // Fails for the other certificates of the files.
  parse("certificate file", cert, () => process.getBuiltinModule("node:tls").createSecureContext(options));
  return options;
}

/** Reads the files again for the new connections of a server. Throws as {@link readTls} does. */
export function replaceTls(server: Server, tls: TlsOptions): void {
  server.setSecureContext(readTls(tls));
}

/**
 * Passes connections to `track` after their handshakes. Connections with a failed handshake are closed, and reported to the log. Returns the
 * connections whose handshake is not complete.
 */
export function acceptTls(
  server: Server,
  tls: TlsOptions,
  track: (socket: TLSSocket) => void,
  service: ServerService,
): ReadonlySet<Socket> {
  const handshakes = new Set<Socket>();
  const refuse = (socket: TLSSocket): void => {
    const { remoteAddress } = socket;
    service.logRefusal?.({
      code: "TLS_HANDSHAKE",
      // Programs that look for open ports cause such failures on each server of the internet.
      level: "debug",
      message: "a TLS handshake failed; the server closes the connection",
      ...(remoteAddress !== undefined && { remoteAddress }),
    });
    handshakes.delete(connectionOf(socket));
    socket.destroy();
  };
  server.on("connection", (socket: Socket) => {
    handshakes.add(socket);
    socket.once("close", () => handshakes.delete(socket));
  });
  // The listener of node:https passes the error on as `clientError`, whose listener would respond with plain HTTP.
  server.removeAllListeners("tlsClientError").on("tlsClientError", (_error, socket) => refuse(socket));
  // Must run before the listener of node:https, which reads requests.
  server.prependListener("secureConnection", (socket) => {
    handshakes.delete(connectionOf(socket));
    if (tls.clientCa !== undefined && hasWrongCertificate(socket)) refuse(socket);
    else track(socket);
  });
  return handshakes;
}

/** Returns the TCP connection of a TLS socket. Node's type declarations omit the property. */
function connectionOf(socket: TLSSocket): Socket {
  const { _parent: connection } = socket as TLSSocket & { readonly _parent: Socket };
  return connection;
}

/**
 * Returns true if the client sent a certificate that no authority of `clientCa` has signed. Node only reports this if certificates are
 * optional.
 */
function hasWrongCertificate(socket: TLSSocket): boolean {
  return !socket.authorized && Object.keys(socket.getPeerCertificate()).length > 0;
}

function read(purpose: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw unreadable(purpose, file, error);
  }
}

function parse<T>(purpose: string, file: string, parser: () => T): T {
  try {
    return parser();
  } catch (error) {
    throw unreadable(purpose, file, error);
  }
}

function unreadable(purpose: string, file: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return tlsError(
    `the ${purpose} ${file} cannot be read: ${reason}`,
    "give the path of a file in PEM, without a password, that the user of the server may read",
    cause,
  );
}

function tlsError(message: string, help: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: "ERR_KIT_TLS", help });
}

/** TLS of the listening socket: checks of the option, and files that are read again when they change. */
import { readFileSync, stat } from "node:fs";

import type { Logger, ServerAdapter, TlsOptions } from "@kit/types";

import { isOrigin } from "./read-origin.ts";
import { StartError } from "./start-error.ts";

/** Time between two looks at the files, in milliseconds. */
const fileCheckMs = 5_000;

const names: Readonly<Record<keyof TlsOptions, true>> = {
  cert: true,
  key: true,
  clientCa: true,
  clientCertificates: true,
  minVersion: true,
  http2: true,
  redirectFrom: true,
  redirectTo: true,
};

/**
 * Checks the values of the option. The adapter checks the files.
 *
 * @throws {TypeError} if a value is invalid. The message names the option and its valid values.
 */
export function checkTls(tls: TlsOptions | undefined): void {
  if (tls === undefined) return;
  if (typeof tls !== "object" || tls === null) {
    refuse("`tls` must be an object with the paths `cert` and `key`, or undefined for plain HTTP");
  }
  for (const name of Object.keys(tls)) {
    if (!Object.hasOwn(names, name)) {
      refuse(`unknown option \`tls.${name}\`; valid options are ${Object.keys(names).join(", ")}`);
    }
  }
  const { cert, key, clientCa, clientCertificates, minVersion, http2 } = tls;
  for (const [name, path] of Object.entries({ cert, key, ...(clientCa !== undefined && { clientCa }) })) {
    if (!isPath(path))
      refuse(`\`tls.${name}\` must be the path of a file in PEM, not ${JSON.stringify(path)}`);
  }
  const rule: unknown = clientCertificates;
  if (rule !== undefined && rule !== "required" && rule !== "optional") {
    refuse(`\`tls.clientCertificates\` must be "required" or "optional", not ${JSON.stringify(rule)}`);
  }
  if (rule !== undefined && clientCa === undefined) {
    refuse("`tls.clientCertificates` needs `tls.clientCa`, the path of the authorities of the clients");
  }
  const version: unknown = minVersion;
  if (version !== undefined && version !== "1.2" && version !== "1.3") {
    refuse(`\`tls.minVersion\` must be "1.2" or "1.3", not ${JSON.stringify(version)}`);
  }
  const isOffered: unknown = http2;
  if (isOffered !== undefined && typeof isOffered !== "boolean") {
    refuse(`\`tls.http2\` must be true or false, not ${JSON.stringify(isOffered)}`);
  }
  checkRedirect(tls);
}

function checkRedirect({ redirectFrom, redirectTo }: TlsOptions): void {
  if (redirectTo !== undefined) {
    if (!isSecureOrigin(redirectTo)) {
      refuse(
        `\`tls.redirectTo\` must be an origin such as "https://example.com", without a path, not ${JSON.stringify(redirectTo)}`,
      );
    }
    if (redirectFrom === undefined)
      refuse("`tls.redirectTo` needs `tls.redirectFrom`, the port of plain HTTP");
  }
  if (redirectFrom === undefined) return;
  if (!Number.isInteger(redirectFrom) || redirectFrom < 0 || redirectFrom > 65_535) {
    refuse(`\`tls.redirectFrom\` must be a port, an integer from 0 to 65535, not ${String(redirectFrom)}`);
  }
}

function isSecureOrigin(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("https://") && !value.includes("*") && isOrigin(value);
}

function refuse(problem: string): never {
  throw new TypeError(`listen: ${problem}`);
}

function isPath(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/**
 * Throws if the adapter would ignore the option, or if `kit dev` runs the application: `kit dev` reads the heads of requests before it
 * passes connections on, so a client that begins with TLS would wait for ever.
 *
 * @throws {StartError} if there is no TLS, or no HTTP/2 although the option asks for it. The message names the adapter, or `kit dev`.
 */
export function requireTls(server: ServerAdapter, tls: TlsOptions | undefined, isDeveloped: boolean): void {
  if (tls === undefined) return;
  if (isDeveloped) {
    throw new StartError({
      problem: "`kit dev` has no TLS",
      locations: ["in the option `tls` of `listen`"],
      help: "give `tls` only if the program runs without `kit dev`, such as `tls: production ? files : undefined`",
    });
  }
  if (server.reloadTls !== undefined) {
    if (tls.http2 === true && server.hasHttp2 !== true) {
      throw new StartError({
        problem: `the server adapter \`${server.name}\` has no HTTP/2 here (${server.platform})`,
        locations: ["in the option `tls.http2` of `listen`"],
        help: "use `nativeServer` on a platform that has its addon, or leave `http2` out",
      });
    }
    if (tls.redirectFrom === undefined || server.listenPlain !== undefined) return;
    throw new StartError({
      problem: `the server adapter \`${server.name}\` cannot redirect plain HTTP (${server.platform})`,
      locations: ["in the option `tls.redirectFrom` of `listen`"],
      help: "leave the option out, or use an adapter of kit",
    });
  }
  throw new StartError({
    problem: `the server adapter \`${server.name}\` has no TLS here (${server.platform})`,
    locations: ["in the option `tls` of `listen`"],
    help: `use an adapter with TLS (\`nativeServer\`, \`expressServer\`, \`fastifyServer\`, \`honoServer\`), or leave \`tls\` out and let a proxy handle TLS`,
  });
}

/**
 * Reads the files again if one of them has changed, and at SIGHUP. If the new files cannot be used, the server keeps those in use, and the
 * log has an error. Must be called before the server reads the files, so that no change is missed. Returns a function that ends the checks.
 */
export function watchTls(server: ServerAdapter, tls: TlsOptions, log: Logger): () => void {
  const files = [tls.cert, tls.key, ...(tls.clientCa === undefined ? [] : [tls.clientCa])];
  let known: string | undefined;
  let isStopped = false;
  const reload = (): void => {
    try {
      server.reloadTls?.();
      log.info("New connections use the TLS certificate that was read again");
      reportExpired(tls.cert, log);
    } catch (error) {
      const { message, help } = error as Error & { help?: string };
      log.error(`${message}; the certificate in use stays in use`, { code: "TLS_FILES", help });
    }
  };
  const check = async (): Promise<void> => {
    const found = await statesOf(files);
    const isChanged = known !== undefined && found !== known;
    known = found;
    if (isChanged && !isStopped) reload();
  };
  void check();
  reportExpired(tls.cert, log);
  const timer = setInterval(() => void check(), fileCheckMs).unref();
  process.on("SIGHUP", reload);
  return () => {
    isStopped = true;
    clearInterval(timer);
    process.off("SIGHUP", reload);
  };
}

/** Logs an error if clients refuse the certificate because of its dates. Errors of the file are reported by the server. */
function reportExpired(file: string, log: Logger): void {
  try {
    const { X509Certificate } = process.getBuiltinModule("node:crypto");
    const { validFromDate, validToDate } = new X509Certificate(readFileSync(file));
    const now = new Date();
    if (now <= validToDate && now >= validFromDate) return;
    const data = { code: "TLS_EXPIRED", validFrom: validFromDate, validTo: validToDate };
    log.error(`Clients refuse the TLS certificate ${file}, which is not valid now; renew it`, data);
  } catch {
    // The server has the same error.
  }
}

/** Returns sizes and times of the files as a text, which differs if a file was replaced. `stat` follows symbolic links. */
async function statesOf(files: readonly string[]): Promise<string> {
  const states = files.map(
    (file) =>
      new Promise<string>((resolve) => {
        stat(file, (error, found) =>
          resolve(error === null ? `${found.size} ${found.mtimeMs} ${found.ino}` : "missing"),
        );
      }),
  );
  return (await Promise.all(states)).join("\n");
}

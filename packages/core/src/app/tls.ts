/** TLS of the listening socket: checks of the option, and files that are read again when they change. */
import { stat } from "node:fs";

import type { Logger, ServerAdapter, TlsOptions } from "@kit/types";

import { isOrigin } from "./read-origin.ts";
import { StartError } from "./start-error.ts";
import { CertificateDates } from "./tls-dates.ts";

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
 * Throws if the adapter would ignore the option.
 *
 * @throws {StartError} if there is no TLS, or no HTTP/2 although the option asks for it. The message names the adapter.
 */
export function requireTls(server: ServerAdapter, tls: TlsOptions | undefined): void {
  if (tls === undefined) return;
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
 * Reads the files again if one of them has changed, and at SIGHUP, and looks at the dates of the certificate. If the new files cannot be
 * used, the server keeps those in use, and the log has an error. Of several workers, only the first one reports the dates. Must be called
 * before the server reads the files, so that no change is missed; until `isServing` returns true, the files are not read again. Returns a
 * function that ends the checks.
 */
export function watchTls(
  server: ServerAdapter,
  tls: TlsOptions,
  log: Logger,
  isServing: () => boolean,
): () => void {
  const files = [tls.cert, tls.key, ...(tls.clientCa === undefined ? [] : [tls.clientCa])];
  const isReporter = server.worker === undefined || server.worker.number === 1;
  const dates = isReporter ? new CertificateDates(tls.cert, log) : undefined;
  let known: string | undefined;
  let isDue = false;
  let isStopped = false;
  const reload = (): void => {
    isDue = !isServing();
    if (isDue) return;
    try {
      server.reloadTls?.();
      log.info("New connections use the TLS certificate that was read again");
      dates?.read();
      dates?.report();
    } catch (error) {
      const { message, help } = error as Error & { help?: string };
      log.error(`${message}; the certificate in use stays in use`, { code: "TLS_FILES", help });
    }
  };
  const check = async (): Promise<void> => {
    const found = await statesOf(files);
    const isChanged = known !== undefined && found !== known;
    known = found;
    if (isStopped) return;
    if (isChanged || isDue) reload();
    dates?.report();
  };
  dates?.read();
  dates?.report();
  void check();
  const timer = setInterval(() => void check(), fileCheckMs).unref();
  process.on("SIGHUP", reload);
  return () => {
    isStopped = true;
    clearInterval(timer);
    process.off("SIGHUP", reload);
  };
}

/**
 * Returns the states of the files as a text, which differs if a file was replaced, or if its permissions have changed. `stat` follows
 * symbolic links.
 */
async function statesOf(files: readonly string[]): Promise<string> {
  const states = files.map(
    (file) =>
      new Promise<string>((resolve) => {
        stat(file, (error, found) =>
          resolve(
            error === null ? `${found.size} ${found.mtimeMs} ${found.ctimeMs} ${found.ino}` : "missing",
          ),
        );
      }),
  );
  return (await Promise.all(states)).join("\n");
}

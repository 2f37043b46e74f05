import { isDatabaseOutage } from "../database-outage.ts";
import { missingSchema } from "../missing-schema.ts";
import { StartError } from "./start-error.ts";

/** Maximum number of errors to read in a chain of causes. A longer chain is circular. */
const depth = 8;
const urlForm = "postgres://user:password@host:5432/database";
const escapes = "in the user name and the password, write characters other than letters and digits as %XX";
const defaultPort = 5432;
const invalidUrl = "ERR_INVALID_URL";

/** Explanations of the codes of Node's `net` and `dns` for a failed connection. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "no server listens at this address",
  ECONNRESET: "the connection was cut",
  EAI_AGAIN: "the name server did not answer, so the host name cannot be resolved now",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
  ENOENT: "there is no such Unix socket",
  ENOTFOUND: "the host name is not known",
  ETIMEDOUT: "no response",
};

/** Database that `DATABASE_URL` points to. */
interface Target {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/**
 * Explains a failed start if the database is the cause: `DATABASE_URL` is invalid, the database is unreachable, the
 * login is refused, or a migration is missing. Returns other errors unchanged.
 */
export function databaseFailure(
  error: unknown,
  projectRoot: string,
  isDevelopment: boolean,
  url: string | undefined = process.env["DATABASE_URL"]?.trim(),
): unknown {
  if (error instanceof StartError) return error;
  const chain = causesOf(error);
  // A failed `fetch` has the same codes in its cause.
  if (chain.some((one) => one instanceof TypeError && codeOf(one) !== invalidUrl)) return error;
  const found = chain.find(isOfDatabase);
  if (found === undefined) return error;
  const code = codeOf(found);
  const properties = code === undefined ? undefined : { code };
  const fail = (problem: string, locations: readonly string[], help: string): StartError =>
    new StartError({ problem, locations, help, cause: error, ...(properties && { properties }) });

  const missing = missingSchema(error, projectRoot);
  if (missing !== undefined) {
    const { what, migration, help } = missing;
    const where =
      migration === undefined
        ? "no migration of this project creates the missing table or column"
        : `the migration ${migration} creates the missing table or column`;
    return fail(`${what} (${code})`, [where], help);
  }
  const target = url === undefined || url === "" ? undefined : targetOf(url);
  if (typeof target === "string") {
    const help = `set DATABASE_URL=${urlForm}; ${escapes}`;
    return fail(
      `DATABASE_URL does not name a PostgreSQL database: ${target}`,
      [`DATABASE_URL=${masked(url!)}`],
      help,
    );
  }
  // A program may also connect to other servers than its database, and parse other URLs.
  if (code === invalidUrl || !isAt(found, target)) return error;
  const place = `at ${placeOf(found, target)} (DATABASE_URL${target === undefined ? " is not set" : ""})`;
  const own = isDevelopment ? "; without DATABASE_URL `kit dev` runs a database for this project" : "";
  if (code === undefined && found.message.includes("password must be a string")) {
    return fail(
      "the database requires a password, and DATABASE_URL has none",
      [place],
      `set DATABASE_URL=${urlForm}; ${escapes}`,
    );
  }
  switch (code) {
    case "28P01":
      return fail(
        `the database refuses the user or the password (${code})`,
        [place],
        `correct DATABASE_URL; ${escapes}`,
      );
    case "28000":
      return fail(
        `the database does not allow this user to connect (${code})`,
        [place],
        "correct the user in DATABASE_URL, or the server's pg_hba.conf; if the server requires TLS, add `?sslmode=require` to DATABASE_URL",
      );
    case "3D000":
      return fail(
        `the server has no database ${target === undefined ? "of that name" : `"${target.database}"`} (${code})`,
        [place],
        `create the database with \`createdb\`, or write the name of another database in DATABASE_URL${own}`,
      );
    default: {
      const reason = code === undefined ? found.message : `${reasons[code] ?? found.message} (${code})`;
      return fail(
        `the database cannot be reached: ${reason}`,
        [place],
        `start PostgreSQL on this host and port, or correct DATABASE_URL; \`kit doctor\` checks the connection${own}`,
      );
    }
  }
}

/**
 * Returns an error and its causes, the innermost cause first. If a host name has several addresses, a failed
 * connection has one error for each address. The result contains only the first of these errors.
 */
function causesOf(thrown: unknown): Error[] {
  const chain: Error[] = [];
  let error = thrown;
  while (error instanceof Error && chain.length < depth) {
    chain.push(error);
    error = error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined);
  }
  // The innermost cause comes first, since it has the most details: the address of the attempt.
  return chain.toReversed();
}

/** SQL states for a refused login, and for a database, table or column that does not exist. */
const states = new Set(["28000", "28P01", "3D000", "42703", "42P01"]);

function codeOf(error: Error): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function isOfDatabase(error: Error): boolean {
  const code = codeOf(error);
  if (code === invalidUrl || (code !== undefined && states.has(code))) return true;
  // `pg` reports this if the URL has no password and the server requires one.
  if (error.message.startsWith("SASL: ")) return true;
  return isDatabaseOutage(error);
}

/**
 * Returns true if an error concerns the database of `DATABASE_URL`. An error without an address comes from a
 * database driver and counts, too.
 */
function isAt(error: Error, target: Target | undefined): boolean {
  const { address, port, hostname } = error as { address?: unknown; port?: unknown; hostname?: unknown };
  if (typeof port === "number")
    return port === (target?.port ?? Number(process.env["PGPORT"] || defaultPort));
  if (typeof hostname === "string") return hostname === (target?.host ?? process.env["PGHOST"]);
  return typeof address !== "string" || address.includes(".s.PGSQL.");
}

function placeOf(error: Error, target: Target | undefined): string {
  if (target !== undefined) {
    const user = target.user === "" ? "" : `, user ${target.user}`;
    return `${target.host}:${target.port}, database ${target.database}${user}`;
  }
  const { address, port } = error as { address?: unknown; port?: unknown };
  if (typeof address !== "string") return "the database";
  return typeof port === "number" ? `${address}:${port}` : address;
}

/** Parses a database URL as libpq and `pg` do. Returns the reason as a string if the URL does not name a database. */
function targetOf(url: string): Target | string {
  // A directory of a Unix socket, which only `pg` supports.
  if (url.startsWith("/") || url.startsWith("socket:")) {
    return { host: url, port: defaultPort, database: "", user: "" };
  }
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0];
  if (scheme === undefined) return "it does not begin with postgres://";
  if (!/^postgres(?:ql)?:\/\/$/i.test(scheme)) return `it begins with ${scheme}, not with postgres://`;
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return "it is not a valid URL";
  }
  const { searchParams, username } = parsed;
  try {
    const user = decodeURIComponent(username);
    const host = searchParams.get("host") ?? (decodeURIComponent(parsed.hostname) || "localhost");
    const port = Number(searchParams.get("port") ?? parsed.port) || defaultPort;
    return { host, port, database: decodeURIComponent(parsed.pathname.slice(1)) || user, user };
  } catch {
    return "it contains a % that is not followed by two hexadecimal digits";
  }
}

/**
 * Returns the parts of a URL that cannot be secret: scheme, host, port and path. `postgres://ada:pw@db/notes` gives
 * `postgres://…@db/notes`. A string without any URL syntax may be a password, so all of it is hidden. If `@` is behind `?` and `=`, only the
 * scheme is shown, because the `@` may be in a password among the parameters.
 */
function masked(url: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0] ?? "";
  const at = url.lastIndexOf("@");
  const before = url.slice(scheme.length, Math.max(at, 0));
  const question = before.indexOf("?");
  if (question !== -1 && before.includes("=", question)) return `${scheme}… (hidden)`;
  const [rest = ""] = url.slice(at === -1 ? scheme.length : at).split("?");
  if (scheme === "" && at === -1 && !/[:/]/.test(rest)) return "… (hidden)";
  return `${scheme}${at === -1 ? "" : "…"}${rest}`;
}

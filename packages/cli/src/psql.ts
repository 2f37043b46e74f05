import { spawn } from "node:child_process";

/**
 * Environment variables of libpq, by the parameter of a PostgreSQL URL with the same meaning (PostgreSQL manual, "Environment Variables").
 */
const variables: Readonly<Record<string, string>> = {
  host: "PGHOST",
  port: "PGPORT",
  user: "PGUSER",
  password: "PGPASSWORD",
  dbname: "PGDATABASE",
  application_name: "PGAPPNAME",
  channel_binding: "PGCHANNELBINDING",
  client_encoding: "PGCLIENTENCODING",
  connect_timeout: "PGCONNECT_TIMEOUT",
  gssencmode: "PGGSSENCMODE",
  hostaddr: "PGHOSTADDR",
  options: "PGOPTIONS",
  passfile: "PGPASSFILE",
  requirepeer: "PGREQUIREPEER",
  sslcert: "PGSSLCERT",
  sslcrl: "PGSSLCRL",
  sslkey: "PGSSLKEY",
  sslmode: "PGSSLMODE",
  sslnegotiation: "PGSSLNEGOTIATION",
  sslrootcert: "PGSSLROOTCERT",
  sslsni: "PGSSLSNI",
  target_session_attrs: "PGTARGETSESSIONATTRS",
};
/** Variables that could make psql connect to another server than the server in the URL. */
const services: readonly string[] = ["PGSERVICE", "PGSERVICEFILE"];

/**
 * Returns environment variables with which psql connects to a URL. The URL is not passed as an argument, because other users of the machine
 * can read the arguments of a process but not its environment.
 *
 * @throws {Error} with the name of a URL parameter that has no variable.
 */
export function psqlEnvironment(url: string, inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const given: Record<string, string> = {
    host: decodeURIComponent(hostname).replace(/^\[|\]$/g, ""),
    port,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    dbname: decodeURIComponent(pathname.slice(1)),
    ...Object.fromEntries(searchParams),
  };
  const own = new Set([...Object.values(variables), ...services]);
  const environment = Object.fromEntries(Object.entries(inherited).filter(([name]) => !own.has(name)));
  for (const [name, value] of Object.entries(given)) {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (variable === undefined)
      throw new Error(
        `the database's URL has the parameter \`${name}\`, which kit cannot pass to psql; run psql with this URL yourself`,
      );
    if (value !== "") environment[variable] = value;
  }
  return environment;
}

/** Runs psql on the terminal of this process. Returns its exit code, or `null` if a signal ended it. */
export async function psql(url: string, args: readonly string[]): Promise<number | null> {
  const child = spawn("psql", args, { stdio: "inherit", env: psqlEnvironment(url, process.env) });
  // psql handles Ctrl-C itself, to cancel a query.
  process.on("SIGINT", ignore);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", (error: NodeJS.ErrnoException) =>
        reject(
          error.code === "ENOENT"
            ? new Error(
                "psql is not installed, and the embedded PostgreSQL does not contain it. " +
                  "Install PostgreSQL's client, or start the database with `kit db start` and use another client with the URL that `kit db url` prints",
              )
            : error,
        ),
      );
      child.once("close", (code) => resolve(code));
    });
  } finally {
    process.off("SIGINT", ignore);
  }
}

function ignore(): void {}

import { spawn } from "node:child_process";

/** What a finished command left behind. */
export interface CommandResult {
  /** Exit code, or nothing where a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** How to run a command. */
export interface CommandOptions {
  cwd: string;
  env?: Readonly<Record<string, string>>;
  /** Milliseconds until it is killed; default one minute. */
  timeout?: number;
}

/** Runs a program to its end. Rejects where it does not start or does not end in time. */
export async function run(
  program: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const { promise, resolve, reject } = Promise.withResolvers<CommandResult>();
  const timeout = options.timeout ?? 60_000;
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...baseEnvironment(), ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const result: CommandResult = { code: null, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (result.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (result.stderr += text));
  const timer = setTimeout(() => {
    child.kill("SIGKILL");
    reject(
      new Error(
        `${program} ${args.join(" ")} took longer than ${timeout} ms\n${result.stdout}${result.stderr}`,
      ),
    );
  }, timeout);
  child.on("error", reject);
  child.on("close", (code) => {
    clearTimeout(timer);
    resolve({ ...result, code });
  });
  return promise;
}

/** What would lead a command elsewhere or colour its output. */
const LEFT_OUT = [
  "DATABASE_URL",
  "DEBUG_PORT",
  "FORCE_COLOR",
  "HOST",
  "KIT_DATA_DIR",
  "NODE_ENV",
  "NODE_OPTIONS",
  "KIT_SERVER",
  "NODE_TEST_CONTEXT",
  "PORT",
  "SOURCE_DATE_EPOCH",
];

/** The environment that commands get. */
export function baseEnvironment(): NodeJS.ProcessEnv {
  // The embedded database is given up sooner than usual, so that a test that is done has not long to wait.
  const environment: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: "1", KIT_DATABASE_IDLE_MS: "500" };
  for (const name of LEFT_OUT) Reflect.deleteProperty(environment, name);
  return environment;
}

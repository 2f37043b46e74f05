import { spawn } from "node:child_process";

/** Result of a command that has exited. */
export interface CommandResult {
  /** Exit code. `null` if a signal ended the command. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Options of a command. */
export interface CommandOptions {
  cwd: string;
  env?: Readonly<Record<string, string>>;
  /** Time in milliseconds after which the command is killed. Default: one minute. */
  timeout?: number;
}

/** Runs a program until it exits. Rejects if it cannot be started, or does not exit in time. */
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

/** Environment variables that commands do not get, because they would change the output or its destination. */
const LEFT_OUT = [
  // In CI, kit refuses to complete the snapshot of handwritten SQL.
  "CI",
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

/** Returns the environment variables that commands get. */
export function baseEnvironment(): NodeJS.ProcessEnv {
  // Makes the embedded database stop sooner than usual, because a test waits for that at its end.
  const environment: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: "1", KIT_DATABASE_IDLE_MS: "500" };
  for (const name of LEFT_OUT) Reflect.deleteProperty(environment, name);
  return environment;
}

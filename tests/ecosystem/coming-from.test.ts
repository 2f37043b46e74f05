// Pages "Coming from …": the project before and the project after answer the same requests alike.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../../packages/core/test/support/free-port.ts";
import { readPage } from "../docs/page.ts";
import { run } from "../e2e/support/command.ts";
import { type Project, repository } from "../e2e/support/project.ts";
import { ecosystem, ecosystemProject, missing, write } from "./support/installed.ts";

interface Book {
  readonly id: string;
}

/** Response of one of the projects: 2xx is `"ok"`, since frameworks differ in the status of successful calls. */
interface Answer {
  readonly status: number | "ok";
  readonly body: unknown;
}

/** Calls of the API of both projects. */
interface Api {
  readonly list: (title?: string) => Promise<Answer>;
  readonly get: (id: string) => Promise<Answer>;
  readonly add: (body: unknown, reader?: string) => Promise<Answer>;
}

interface Framework {
  readonly page: string;
  readonly packages: readonly string[];
  /** Creates the calls of the project before. */
  readonly api: (url: string) => Api;
  /** Generates code before the compilation. */
  readonly prepare?: (project: Project) => Promise<void>;
}

const frameworks: readonly Framework[] = [
  { page: "trpc", packages: ["@trpc/server", "zod"], api: trpcApi },
  {
    page: "nestjs",
    packages: ["@nestjs/common", "@nestjs/core", "@nestjs/platform-express", "class-validator"],
    api: httpApi,
  },
  { page: "tsoa", packages: ["@tsoa/runtime", "tsoa", "express"], api: httpApi, prepare: tsoaRoutes },
  { page: "express", packages: ["express", "zod"], api: httpApi },
  { page: "fastify", packages: ["fastify", "@sinclair/typebox"], api: httpApi },
];

/** Options of the compiler for the project before: decorators need metadata, which only TypeScript 5 and 6 emit. */
const TSCONFIG = JSON.stringify({
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    types: ["node"],
    strict: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    skipLibCheck: true,
    rootDir: "before",
    outDir: "before/dist",
  },
  include: ["before"],
});

for (const { page, packages, api, prepare } of frameworks) {
  test(
    `the projects before and after of the page "coming from ${page}" answer alike`,
    {
      skip: missing(...packages),
    },
    async () => {
      const { files } = await readPage(join(repository, `docs/guide/coming-from-${page}.md`));
      const base = await readPage(join(repository, "docs/guide/getting-started.md"));
      const project = await ecosystemProject({
        "tsconfig.json": base.files.get("tsconfig.json") ?? "",
        ...Object.fromEntries(files),
      });
      try {
        await prepare?.(project);
        await compile(project);
        await project.kitOk("build");
        const port = String(await freePort());
        const before = await project.start({ args: ["before/dist/main.js"], env: { PORT: port } });
        const after = await project.start();
        const answers = {
          before: await answersOf(api(before.url)),
          after: await answersOf(httpApi(after.url)),
        };
        assert.deepEqual(answers.after, answers.before);
        assert.deepEqual(
          answers.after.map(({ status }) => status),
          ["ok", "ok", "ok", "ok", "ok", "ok", 404, 400, 400, 400, 400, 400, 400, 401],
        );
      } finally {
        await project.remove();
      }
    },
  );
}

/** Sends the same requests to a project. Returns the answers, without the bodies of errors and without the values of ids. */
async function answersOf(api: Api): Promise<readonly Answer[]> {
  const momo = await api.add({ title: "Momo", pages: 304 }, "Ada");
  const { id } = momo.body as Book;
  const answers = [
    momo,
    await api.add({ title: "Emma", pages: 9, secret: true }, "Bob"),
    await api.list(),
    await api.list("Mo"),
    await api.list("nothing"),
    await api.get(id),
    await api.get("00000000-0000-4000-8000-000000000000"),
    await api.get("7"),
    await api.add({ title: "", pages: 1 }, "Ada"),
    await api.add({ title: "a".repeat(201), pages: 1 }, "Ada"),
    await api.add({ title: "Momo", pages: 0 }, "Ada"),
    await api.add({ title: "Momo", pages: 1.5 }, "Ada"),
    await api.add({ title: "Momo" }, "Ada"),
    await api.add({ title: "Momo", pages: 1 }),
  ];
  const ids = new Map<unknown, number>();
  const withoutIds = (_key: string, value: unknown): unknown => {
    if (typeof value !== "string" || !/^[0-9a-f-]{36}$/.test(value)) return value;
    if (!ids.has(value)) ids.set(value, ids.size);
    return `id ${ids.get(value)}`;
  };
  return answers.map(({ status, body }) => ({
    status,
    body: status === "ok" ? (JSON.parse(JSON.stringify(body, withoutIds)) as unknown) : undefined,
  }));
}

function httpApi(url: string): Api {
  const call = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, init);
    return { status: response.ok ? "ok" : response.status, body: await response.json() };
  };
  return {
    list: (title) => call(`/books${title === undefined ? "" : `?title=${title}`}`),
    get: (id) => call(`/books/${id}`),
    add: (body, reader) => call("/books", post(body, reader)),
  };
}

function trpcApi(url: string): Api {
  const call = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(`${url}/${path}`, init);
    const { result } = (await response.json()) as { result?: { data: unknown } };
    return { status: response.ok ? "ok" : response.status, body: result?.data };
  };
  const query = (name: string, input: unknown): Promise<Answer> =>
    call(`${name}?input=${encodeURIComponent(JSON.stringify(input))}`);
  return {
    list: (title) => query("list", { title }),
    get: (id) => query("get", { id }),
    add: (body, reader) => call("add", post(body, reader)),
  };
}

function post(body: unknown, reader: string | undefined): RequestInit {
  const headers = {
    "content-type": "application/json",
    ...(reader === undefined ? {} : { "x-reader": reader }),
  };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

async function tsoaRoutes(project: Project): Promise<void> {
  const { code, stdout, stderr } = await run(
    process.execPath,
    [join(ecosystem, "node_modules/tsoa/dist/cli.js"), "routes"],
    { cwd: join(project.root, "before") },
  );
  assert.equal(code, 0, stdout + stderr);
}

async function compile(project: Project): Promise<void> {
  await write(project, "tsconfig.before.json", TSCONFIG);
  const tsc = join(repository, "tests/oracle/node_modules/typescript/bin/tsc");
  const { code, stdout } = await run(process.execPath, [tsc, "-p", "tsconfig.before.json"], {
    cwd: project.root,
    timeout: 120_000,
  });
  assert.equal(code, 0, stdout);
}

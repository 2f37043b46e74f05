/**
 * Writes the same application for kit, Fastify and Express: ten resources with five routes each, one module per resource, as users of each
 * framework write them.
 */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const names = ["users", "teams", "orders", "items", "notes", "tasks", "files", "events", "invoices", "carts"];

/** Size of the application. */
export const size: { readonly resources: number; readonly routes: number } = {
  resources: names.length,
  routes: names.length * 5,
};

/** First request to the application, and the properties that the response must contain. */
export const firstRequest: { readonly path: string; readonly expected: Readonly<Record<string, unknown>> } = {
  path: "/carts/first",
  expected: { id: "first", name: "First", status: "open" },
};

type Files = Record<string, string>;

/** Converts the name of a resource to that of its type: `users` to `Users`. */
function typeName(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const store = (types: boolean): string => `
const rows = new Map${types ? "<string, RECORD>" : ""}();
rows.set("first", { id: "first", name: "First", description: "", price: 1, tags: [], status: "open", createdAt: new Date(0) });
`;

function kitResource(name: string): Files {
  const type = typeName(name);
  return {
    [`src/${name}.types.ts`]: `export interface ${type} {
  /** @generated uuid */
  id: string;
  /** @minLength 1 @maxLength 100 */
  name: string;
  /** @maxLength 1000 @default "" */
  description: string;
  /** @minimum 0 */
  price: number;
  /** @maxItems 20 */
  tags: string[];
  /** @default "open" */
  status: "open" | "closed";
  /** @generated now */
  createdAt: Date;
}
export type Create${type} = Omit<${type}, "id" | "createdAt">;
export type Update${type} = Partial<Create${type}>;
export interface ${type}Page {
  data: ${type}[];
  total: number;
}
export interface ${type}Query {
  /** @integer @minimum 1 */
  page?: number;
}
`,
    [`src/${name}.routes.ts`]: `import type { RouteContract } from "@kit/types";
import type { Create${type}, ${type}, ${type}Page, ${type}Query, Update${type} } from "./${name}.types.ts";
export interface ${type}Routes {
  "GET /${name}": RouteContract<void, ${type}Query, void, ${type}Page>;
  "POST /${name}": RouteContract<void, void, Create${type}, ${type}>;
  "GET /${name}/:id": RouteContract<{ id: string }, void, void, ${type}>;
  "PUT /${name}/:id": RouteContract<{ id: string }, void, Update${type}, ${type}>;
  "DELETE /${name}/:id": RouteContract<{ id: string }>;
}
`,
    [`src/${name}.handlers.ts`]: `import { randomUUID } from "node:crypto";
import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import type { ${type}Routes } from "./${name}.routes.ts";
import type { ${type} } from "./${name}.types.ts";
${store(true).replace("RECORD", type)}
function find(id: string): ${type} {
  const row = rows.get(id);
  if (row === undefined) throw new NotFoundError("NOT_FOUND", "Not found");
  return row;
}

export const ${name}Handlers = defineHandlers<${type}Routes>({
  "GET /${name}": ({ query }) => ({ data: [...rows.values()].slice(((query?.page ?? 1) - 1) * 20).slice(0, 20), total: rows.size }),
  "POST /${name}": ({ body }) => {
    const row = { ...body, id: randomUUID(), createdAt: new Date() };
    rows.set(row.id, row);
    return row;
  },
  "GET /${name}/:id": ({ params }) => find(params.id),
  "PUT /${name}/:id": ({ params, body }) => Object.assign(find(params.id), body),
  "DELETE /${name}/:id": ({ params }) => {
    rows.delete(find(params.id).id);
  },
});
`,
  };
}

function kitFiles(): Files {
  const files: Files = Object.assign({}, ...names.map(kitResource)) as Files;
  const imports = names.map((name) => `import { ${name}Handlers } from "./${name}.handlers.ts";`).join("\n");
  files["src/app.ts"] = `import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
${imports}

export const app = createApp({
  server: nativeServer(),
  routes: [
${names.map((name) => `    { handlers: ${name}Handlers },`).join("\n")}
  ],
});
`;
  files["src/main.ts"] = `import { app } from "./app.ts";

await app.listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" });
`;
  files["package.json"] =
    `${JSON.stringify({ name: "bench-start-app", private: true, type: "module" }, null, 2)}\n`;
  return files;
}

function expressResource(name: string): string {
  return `import { randomUUID } from "node:crypto";
import express, { Router } from "express";
import { z } from "zod";
${store(false)}
const create = z.object({
  name: z.string().min(1).max(100),
  description: z.string().max(1000).default(""),
  price: z.number().min(0),
  tags: z.array(z.string()).max(20),
  status: z.enum(["open", "closed"]).default("open"),
});
const update = create.partial();
const page = z.object({ page: z.coerce.number().int().min(1).optional() });

function find(id) {
  const row = rows.get(id);
  if (row === undefined) throw Object.assign(new Error("Not found"), { status: 404 });
  return row;
}

export const ${name} = Router();
${name}.use(express.json());
${name}.get("/${name}", (request, response) => {
  const query = page.parse(request.query);
  response.json({ data: [...rows.values()].slice(((query.page ?? 1) - 1) * 20).slice(0, 20), total: rows.size });
});
${name}.post("/${name}", (request, response) => {
  const row = { ...create.parse(request.body), id: randomUUID(), createdAt: new Date() };
  rows.set(row.id, row);
  response.status(201).json(row);
});
${name}.get("/${name}/:id", (request, response) => void response.json(find(request.params.id)));
${name}.put("/${name}/:id", (request, response) => {
  response.json(Object.assign(find(request.params.id), update.parse(request.body)));
});
${name}.delete("/${name}/:id", (request, response) => {
  rows.delete(find(request.params.id).id);
  response.status(204).end();
});
`;
}

function expressFiles(): Files {
  return {
    ...Object.fromEntries(names.map((name) => [`src/${name}.js`, expressResource(name)])),
    "src/main.js": `import express from "express";
${names.map((name) => `import { ${name} } from "./${name}.js";`).join("\n")}

const app = express();
app.disable("x-powered-by").disable("etag");
${names.map((name) => `app.use(${name});`).join("\n")}
app.use((request, response) => void response.status(404).json({ error: { code: "NOT_FOUND" } }));
app.use((error, request, response, next) => {
  response.status(error.status ?? 400).json({ error: { code: "ERROR", message: error.message } });
});
app.listen(Number(process.env.PORT), "127.0.0.1");
`,
    "package.json": `${JSON.stringify({ name: "bench-start-express", private: true, type: "module" }, null, 2)}\n`,
  };
}

function fastifyResource(name: string): string {
  return `import { randomUUID } from "node:crypto";
${store(false)}
const properties = {
  name: { type: "string", minLength: 1, maxLength: 100 },
  description: { type: "string", maxLength: 1000, default: "" },
  price: { type: "number", minimum: 0 },
  tags: { type: "array", items: { type: "string" }, maxItems: 20 },
  status: { enum: ["open", "closed"], default: "open" },
};
const create = { type: "object", additionalProperties: false, properties, required: ["name", "price", "tags"] };
const update = {
  type: "object",
  additionalProperties: false,
  properties: { ...properties, description: { type: "string", maxLength: 1000 }, status: { enum: ["open", "closed"] } },
};
const row = {
  type: "object",
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    description: { type: "string" },
    price: { type: "number" },
    tags: { type: "array", items: { type: "string" } },
    status: { type: "string" },
    createdAt: { type: "string", format: "date-time" },
  },
};
const list = { type: "object", properties: { data: { type: "array", items: row }, total: { type: "number" } } };
const params = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
const querystring = { type: "object", properties: { page: { type: "integer", minimum: 1 } } };

function find(id) {
  const found = rows.get(id);
  if (found === undefined) throw Object.assign(new Error("Not found"), { statusCode: 404 });
  return found;
}

export async function ${name}(app) {
  app.get("/${name}", { schema: { querystring, response: { 200: list } } }, async ({ query }) => ({
    data: [...rows.values()].slice(((query.page ?? 1) - 1) * 20).slice(0, 20),
    total: rows.size,
  }));
  app.post("/${name}", { schema: { body: create, response: { 201: row } } }, async ({ body }, reply) => {
    const made = { ...body, id: randomUUID(), createdAt: new Date() };
    rows.set(made.id, made);
    reply.code(201);
    return made;
  });
  app.get("/${name}/:id", { schema: { params, response: { 200: row } } }, async (request) => find(request.params.id));
  app.put("/${name}/:id", { schema: { params, body: update, response: { 200: row } } }, async (request) =>
    Object.assign(find(request.params.id), request.body),
  );
  app.delete("/${name}/:id", { schema: { params } }, async (request, reply) => {
    rows.delete(find(request.params.id).id);
    reply.code(204);
  });
}
`;
}

function fastifyFiles(): Files {
  return {
    ...Object.fromEntries(names.map((name) => [`src/${name}.js`, fastifyResource(name)])),
    "src/main.js": `import fastify from "fastify";
${names.map((name) => `import { ${name} } from "./${name}.js";`).join("\n")}

const app = fastify();
for (const resource of [${names.join(", ")}]) app.register(resource);
await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
`,
    "package.json": `${JSON.stringify({ name: "bench-start-fastify", private: true, type: "module" }, null, 2)}\n`,
  };
}

function nodeFiles(): Files {
  return {
    "src/main.js": `import { createServer } from "node:http";

const first = JSON.stringify({ id: "first", name: "First", status: "open" });
createServer((request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(first);
}).listen(Number(process.env.PORT), "127.0.0.1");
`,
    "package.json": `${JSON.stringify({ name: "bench-start-node", private: true, type: "module" }, null, 2)}\n`,
  };
}

/**
 * Writes the projects `kit`, `express`, `fastify` and `node` below a directory. Removes files that exist there. The peers find their
 * packages through a symbolic link to `peerModules`.
 */
export function writeProjects(directory: string, peerModules: string): void {
  rmSync(directory, { recursive: true, force: true });
  const projects = { kit: kitFiles(), express: expressFiles(), fastify: fastifyFiles(), node: nodeFiles() };
  for (const [project, files] of Object.entries(projects)) {
    for (const [name, text] of Object.entries(files)) {
      const file = join(directory, project, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
  for (const project of ["express", "fastify"]) {
    symlinkSync(peerModules, join(directory, project, "node_modules"), "dir");
  }
}

/**
 * Project that `bench compile` builds: 1,003 named types and 300 routes in 20 features, with the same content in every run. A feature has
 * three resources. A resource is an entity with doc tags, its usual inputs, views and events, and five routes. Features refer to types of
 * other features, as in real projects.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Size of the project, which the output shows above the table. */
export const size = { files: 62, types: 1_003, routes: 300 } as const;

const features = [
  "accounts",
  "billing",
  "catalog",
  "delivery",
  "events",
  "files",
  "groups",
  "help",
  "inventory",
  "journal",
  "kitchen",
  "ledger",
  "messages",
  "news",
  "orders",
  "people",
  "quality",
  "reviews",
  "sales",
  "tickets",
];
const nouns = ["Item", "Record", "Topic"];

/** File that the scenario `incremental` edits. Its content alternates between two texts. */
export const edit = {
  file: "src/messages/messages.types.ts",
  from: "@maximum 1000",
  to: "@maximum 2000",
} as const;

/**
 * Writes the sources of the project below a directory. Removes sources that exist there. With more than 20 features, the project has the
 * same features several times under other names: 50 types and 15 routes for each feature.
 */
export function writeProject(root: string, count: number = features.length): void {
  rmSync(join(root, "src"), { recursive: true, force: true });
  const names = Array.from({ length: count }, (_, index) => {
    const copy = Math.floor(index / features.length);
    return `${features[index % features.length]!}${copy === 0 ? "" : copy}`;
  });
  for (const [path, text] of sources(names)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function sources(names: readonly string[]): Map<string, string> {
  const files = new Map([["src/shared/common.types.ts", common]]);
  names.forEach((feature, index) => {
    const before = names[(index + names.length - 1) % names.length]!;
    files.set(`src/${feature}/${feature}.types.ts`, typeFile(feature, before));
    files.set(`src/${feature}/${feature}.routes.ts`, routeFile(feature));
    files.set(`src/${feature}/${feature}.handlers.ts`, handlerFile(feature));
  });
  files.set("src/app.ts", appFile(names));
  return files;
}

const common = `/** What every feature uses. */

/** One page of a list. */
export interface Paginated<T> {
  data: T[];
  pagination: { total: number; page: number; pageSize: number; totalPages: number };
}

/** Times that the database keeps. */
export interface Timestamps {
  /** @generated now */
  createdAt: Date;
  /**
   * @generated now
   * @onUpdate now
   */
  updatedAt: Date;
}

/** Choice of a page. */
export interface Paging {
  /**
   * @integer
   * @minimum 1
   */
  page?: number;
  /**
   * @integer
   * @minimum 1
   * @maximum 100
   */
  pageSize?: number;
}
`;

function typeFile(feature: string, before: string): string {
  const other = `${pascal(before)}${nouns[0]!}`;
  return [
    `import type { Paging, Timestamps } from "../shared/common.types.ts";`,
    `import type { ${other}Summary } from "../${before}/${before}.types.ts";`,
    "",
    `/** How ${feature} are shown. */`,
    `export type ${pascal(feature)}View = "list" | "board" | "calendar";`,
    "",
    `/** Whoever acts in ${feature}. */`,
    `export interface ${pascal(feature)}Actor {\n  /** @format uuid */\n  id: string;\n  /** @format email */\n  email: string;\n  roles: ("owner" | "editor" | "reader")[];\n}`,
    ...nouns.map((noun, index) =>
      resource(feature, `${pascal(feature)}${noun}`, index === 0 ? other : undefined),
    ),
    "",
  ].join("\n");
}

/** Returns the source of a resource's sixteen types. */
function resource(feature: string, name: string, other: string | undefined): string {
  const actor = `${pascal(feature)}Actor`;
  return `
/**
 * A ${name} as it is stored.
 *
 * @table
 */
export interface ${name} extends Timestamps {
  /**
   * @id
   * @generated uuid
   */
  id: string;
  /**
   * Subject.
   *
   * @minLength 1
   * @maxLength 200
   */
  title: string;
  /** @maxLength 10000 */
  content: string;
  /**
   * @integer
   * @minimum 0
   * @maximum 1000
   */
  quantity: number;
  /** @default "draft" */
  status: ${name}Status;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a ${name}. */
export type ${name}Status = "draft" | "active" | "suspended" | "closed";

/** Values of a new one. */
export type Create${name} = Omit<${name}, "id" | "createdAt" | "updatedAt">;

/** Changes. */
export type Update${name} = Partial<Create${name}>;

/** Entry of a list. */
export type ${name}Summary = Pick<${name}, "id" | "title" | "status" | "createdAt">;

/** Filter of a list. */
export interface ${name}Filter extends Paging {
  status?: ${name}Status;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface ${name}Label {
  /** @maxLength 40 */
  text: string;
  color: \`#\${string}\`;
}

/** An edit. */
export interface ${name}Edited {
  kind: "edited";
  at: Date;
  by: ${actor};
  before: Partial<${name}Summary>;
  after: Partial<${name}Summary>;
}

/** A comment. */
export interface ${name}Commented {
  kind: "commented";
  at: Date;
  by: ${actor};
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** A closing. */
export interface ${name}Closed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** An event of a ${name}. */
export type ${name}Event = ${name}Edited | ${name}Commented | ${name}Closed;

/** Permissions of readers. */
export type ${name}Permissions = Record<"read" | "write" | "share", boolean>;

/** A ${name} with the ones below it. */
export interface ${name}Node {
  item: ${name}Summary;
  children: ${name}Node[];
}

/** Counts by state. */
export interface ${name}Statistics {
  byStatus: Record<${name}Status, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a ${name}. */
export type ${name}Settings = {
  notify: boolean;
  view: ${pascal(feature)}View;
  columns: (keyof ${name}Summary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface ${name}Details {
  item: ${name};
  labels: ${name}Label[];
  history: ${name}Event[];
  tree: ${name}Node;
  permissions: ${name}Permissions;
  settings?: ${name}Settings;
  statistics: ${name}Statistics;
  related: ${other === undefined ? `${name}Summary` : `${other}Summary`}[];
}`;
}

function routeFile(feature: string): string {
  const names = nouns.map((noun) => `${pascal(feature)}${noun}`);
  const types = names.flatMap((name) => [
    name,
    `Create${name}`,
    `Update${name}`,
    `${name}Details`,
    `${name}Filter`,
    `${name}Summary`,
  ]);
  const groups = names.map((name, index) => {
    const path = `/${nouns[index]!.toLowerCase()}s`;
    return `  /**
   * Newest first.
   *
   * @summary Lists ${feature}
   * @tag ${feature}
   */
  "GET ${path}": RouteContract<void, ${name}Filter, void, Paginated<${name}Summary>>;
  /**
   * @summary Adds to ${feature}
   * @tag ${feature}
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST ${path}": RouteContract<void, void, Create${name}, ${name}>;
  /**
   * @summary Reads of ${feature}
   * @tag ${feature}
   * @throws NOT_FOUND 404 There is none.
   */
  "GET ${path}/:id": RouteContract<{ id: string }, void, void, ${name}Details>;
  /**
   * @summary Changes ${feature}
   * @tag ${feature}
   */
  "PATCH ${path}/:id": RouteContract<{ id: string }, void, Update${name}, ${name}>;
  /** @tag ${feature} */
  "DELETE ${path}/:id": RouteContract<{ id: string }, void, void, void>;`;
  });
  return `import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
${types.map((type) => `  ${type},`).join("\n")}
} from "./${feature}.types.ts";

/** Routes of ${feature}. */
export interface ${pascal(feature)}Routes {
${groups.join("\n")}
}
`;
}

function handlerFile(feature: string): string {
  const routes = nouns.flatMap((noun) => {
    const path = `/${noun.toLowerCase()}s`;
    return [`GET ${path}`, `POST ${path}`, `GET ${path}/:id`, `PATCH ${path}/:id`, `DELETE ${path}/:id`];
  });
  return `import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import type { ${pascal(feature)}Routes } from "./${feature}.routes.ts";

/** Handlers of ${feature}. */
export const ${feature}Handlers = defineHandlers<${pascal(feature)}Routes>({
${routes.map((route) => `  "${route}": () => {\n    throw new NotFoundError("NOT_FOUND", "there is none");\n  },`).join("\n")}
});
`;
}

function appFile(names: readonly string[]): string {
  return `import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
${names.map((feature) => `import { ${feature}Handlers } from "./${feature}/${feature}.handlers.ts";`).join("\n")}

/** The application. */
export const app = createApp({
  server: nativeServer(),
  routes: [
${names.map((feature) => `    { prefix: "/${feature}", handlers: ${feature}Handlers },`).join("\n")}
  ],
});
`;
}

function pascal(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}

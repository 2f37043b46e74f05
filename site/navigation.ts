/** Group of pages in the sidebar. */
export interface Group {
  readonly title: string;
  /** Paths of pages below `docs/`, without `.md`. */
  readonly pages: readonly string[];
}

const guide = (...names: readonly string[]): string[] => names.map((name) => `guide/${name}`);

/** Groups of all pages but errors and decisions, in the order in which the sidebar shows them. */
export const groups: readonly Group[] = [
  {
    title: "Start",
    pages: [
      "tutorial",
      ...guide("playground", "getting-started", "new-project", "dev", "editors", "debugging"),
    ],
  },
  {
    title: "Types and contracts",
    pages: guide(
      "entities",
      "routes",
      "contracts",
      "types",
      "unions",
      "modules",
      "wire",
      "versions",
      "api-changes",
      "plugins",
    ),
  },
  {
    title: "Requests",
    pages: guide(
      "handlers",
      "groups",
      "wrappers",
      "errors",
      "error-formats",
      "cookies",
      "cursor-paging",
      "rate-limits",
      "idempotency",
      "jobs",
      "background-work",
    ),
  },
  {
    title: "Bodies and streams",
    pages: guide(
      "bodies",
      "uploads",
      "object-store",
      "webhooks",
      "streams",
      "sockets",
      "static-files",
      "downloads",
    ),
  },
  {
    title: "Users",
    pages: guide("jwt", "api-keys", "sessions", "openid-connect", "scopes"),
  },
  {
    title: "Web pages",
    pages: guide("client", "browsers", "security-headers", "csrf", "compression", "entity-tags"),
  },
  {
    title: "Database",
    pages: guide(
      "database",
      "tables",
      "indexes",
      "owners",
      "queries",
      "development-database",
      "relations",
      "transactions",
      "soft-delete",
      "tenants",
      "times",
      "adopt-a-database",
    ),
  },
  {
    title: "Migrations",
    pages: guide(
      "migrations",
      "migrations-sql",
      "migrations-apply",
      "migrations-under-load",
      "expand-and-contract",
      "migrations-ci",
      "squash",
    ),
  },
  {
    title: "Tests",
    pages: guide("testing", "tests", "fake-services"),
  },
  {
    title: "Production",
    pages: guide(
      "servers",
      "fetch",
      "deployment",
      "proxies",
      "tls",
      "generate-deploy",
      "environment",
      "lifecycle",
      "observability",
      "request-log",
      "api-reference",
    ),
  },
  {
    title: "Rust server",
    pages: guide(
      "rust-server",
      "declare-api",
      "rust-project",
      "rust-dev",
      "rust-handlers",
      "rust-generated-handlers",
      "rust-types",
      "rust-bodies",
      "rust-middleware",
      "rust-state",
      "rust-database",
      "rust-tests",
      "rust-settings",
      "rust-observability",
      "rust-deploy",
      "rust-client",
      "rust-differences",
    ),
  },
  {
    title: "Coming from",
    pages: guide(
      "coming-from-zod",
      "coming-from-trpc",
      "coming-from-express",
      "coming-from-nestjs",
      "coming-from-tsoa",
      "coming-from-fastify",
    ),
  },
  {
    title: "Reference",
    pages: [
      "cli",
      "tags",
      "errors",
      "artifacts",
      "glossary",
      "security",
      "performance",
      "platforms",
      "migrations-compared",
      "decisions/index",
    ],
  },
];

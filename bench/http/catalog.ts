/** Servers that the HTTP benchmark measures. */

/** Program or packages that a subject requires. */
export type Need = "packages" | "bun" | "axum";

/** Server that is measured, and how it is started. It listens on the port in the environment variable `PORT`. */
export interface SubjectPlan {
  readonly name: string;
  /** Program that runs the subject: `node` and `bun` run a module, `axum` is itself a program. */
  readonly program: "node" | "bun" | "axum";
  readonly arguments: readonly string[];
  readonly needs: readonly Need[];
  /** True if the option `--quick` includes the subject. */
  readonly isQuick: boolean;
  /** Arguments of the program that serves one feature of HTTP. Absent if the subject has no such program. */
  readonly edge?: readonly string[];
  /** Arguments of the program that serves an identity or a rate limit. Absent if the subject has no such program. */
  readonly identity?: readonly string[];
}

function plan(
  name: string,
  program: SubjectPlan["program"],
  parameters: readonly string[],
  needs: readonly Need[] = [],
  isQuick = false,
  edge?: readonly string[],
  identity?: readonly string[],
): SubjectPlan {
  return {
    name,
    program,
    arguments: parameters,
    needs,
    isQuick,
    ...(edge && { edge }),
    ...(identity && { identity }),
  };
}

const edgeApp = "edge-app/src/main.ts";
const identityApp = "identity-app/src/main.ts";

/** Servers in the order of the tables. kit is the first. */
export const catalog: readonly SubjectPlan[] = [
  plan(
    "kit-native",
    "node",
    ["app/src/main.ts", "native"],
    [],
    true,
    [edgeApp, "native"],
    [identityApp, "native"],
  ),
  plan("kit-native-observed", "node", ["app/src/main.ts", "native", "observed"]),
  plan("kit-native-sidecar", "node", ["app/src/main.ts", "native", "sidecar"]),
  plan("kit-native-metrics", "node", ["app/src/main.ts", "native", "metrics"]),
  plan("kit-express", "node", ["app/src/main.ts", "express"], [], false, [edgeApp, "express"]),
  plan(
    "kit-fastify",
    "node",
    ["app/src/main.ts", "fastify"],
    [],
    false,
    [edgeApp, "fastify"],
    [identityApp, "fastify"],
  ),
  plan("kit-hono", "node", ["app/src/main.ts", "hono"], [], false, [edgeApp, "hono"]),
  plan("express", "node", ["peers/subjects/express.ts"], ["packages"]),
  plan(
    "fastify",
    "node",
    ["peers/subjects/fastify.ts"],
    ["packages"],
    false,
    ["peers/subjects/fastify-edge.ts"],
    ["peers/subjects/fastify-identity.ts"],
  ),
  plan("hono", "node", ["peers/subjects/hono.ts"], ["packages"], false, ["peers/subjects/hono-edge.ts"]),
  plan("node-http", "node", ["subjects/node-http.ts"], [], true),
  plan("elysia-bun", "bun", ["peers/subjects/elysia.ts"], ["packages", "bun"], true),
  plan("bun-serve", "bun", ["subjects/bun-serve.ts"], ["packages", "bun"]),
  plan("axum", "axum", [], ["axum"], true, [], []),
];

// Compares Notes on Node with Notes in Rust while PostgreSQL stops and starts again. Each server has a database of its own, and both
// databases are on the server that stops. `KIT_SEED` determines the requests.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Cluster, until } from "../database/support/cluster.ts";
import { migrate } from "../database/support/notes-server.ts";
import type { Contracts } from "../../packages/testing/src/coverage/contracts.ts";
import type { Project } from "../e2e/support/project.ts";
import { id, path } from "./requests/heads.ts";
import { type Material, requestOf } from "./requests/generate.ts";
import { keysOf, routesOf } from "./requests/routes.ts";
import { compare, type Result } from "./support/run.ts";
import { print, seed } from "./support/settings.ts";
import { builtNotes, Servers } from "./support/subjects.ts";

/** Number of requests before, during and after the outage. The Rust server waits up to two seconds for a database that is down. */
const [prior, during, later] = [200, 120, 200];

describe("Notes on Node and in Rust, whose database stops", { timeout: 10 * 60_000 }, () => {
  let project: Project;
  let contracts: Contracts;
  let cluster: Cluster;
  before(async () => {
    ({ project, contracts } = await builtNotes());
    cluster = await Cluster.start();
    await migrate(cluster);
    await cluster.query("create database other template postgres");
  });
  after(async () => {
    await cluster?.remove();
    await project?.remove();
  });

  test("respond equally before, during and after the outage", async () => {
    const routes = routesOf(contracts);
    const material: Material = {
      routes,
      keys: [...keysOf(routes, "body"), "id", "authorId", "createdAt"],
      queryKeys: keysOf(routes, "query"),
      headerNames: [],
      cookieNames: [],
      remembers: true,
      parameter: id,
      path,
    };
    const urls = { node: cluster.url, rust: cluster.url.replace(/postgres$/, "other") };
    const servers = await Servers.notesOn(project, "production", urls);
    const run = async (title: string, first: number, count: number): Promise<Result> => {
      const result = await compare(servers.lanes, (index) => requestOf(material, seed, index), {
        seed,
        first,
        count,
      });
      print(`Notes, ${title}`, result);
      assert.ok(result.differences.length === 0, `\n${result.differences.join("\n\n")}`);
      return result;
    };
    const isUp = async (): Promise<boolean> => {
      const sent = { kind: "list", method: "GET", target: "/notes", headers: LIST, writes: false };
      const answers = await Promise.all(servers.lanes.map((lane) => lane.exchange(sent)));
      return answers.every(({ status }) => status === 200);
    };
    try {
      assert.ok(await isUp());
      await run("before the outage", 0, prior);
      await cluster.stop("SIGQUIT");
      const { statuses } = await run("during the outage", prior, during);
      assert.ok((statuses.get(503) ?? 0) > 10, "few requests needed the database");
      await cluster.run();
      await until(isUp, "both servers to recover");
      await run("after the outage", prior + during, later);
    } finally {
      await servers.stop();
    }
  });
});

const LIST: [name: string, value: string][] = [
  ["host", "127.0.0.1"],
  ["authorization", "Bearer ada:user"],
];

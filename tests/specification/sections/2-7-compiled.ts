import assert from "node:assert/strict";
import type { CompiledRouteNode, CompiledRouteTree, RouteTableEntry } from "@kit/types";
import { moduleOf } from "../read.ts";
import { notes, onlyOnce, playground } from "../projects.ts";
import type { Project } from "../../e2e/support/project.ts";
import type { Section } from "../statement.ts";

const treeOf = async (project: Project): Promise<CompiledRouteTree> =>
  (await moduleOf<{ compiledRouter: CompiledRouteTree }>(project, ".kit/routes/compiled-router.ts"))
    .compiledRouter;
const tree = onlyOnce(async () => treeOf(await notes()));
const wide = onlyOnce(async () => treeOf(await playground()));

/** Returns the node of the route tree at these segments. */
function nodeAt(start: CompiledRouteNode, ...segments: readonly string[]): CompiledRouteNode {
  let node = start;
  for (const segment of segments) {
    const next = node.children.find((child) => child.segment === segment);
    assert.ok(next, `${segment} is not among ${node.children.map((child) => child.segment).join(", ")}`);
    node = next;
  }
  return node;
}

const table = onlyOnce(
  async () =>
    (
      await moduleOf<{ routeTable: Record<string, RouteTableEntry> }>(
        await notes(),
        ".kit/routes/route-table.ts",
      )
    ).routeTable,
);

export const compiledRoutes: Section = {
  number: "2.7",
  title: "Compiled routes",
  statements: [
    {
      title: "a tree of routes has a root, and metadata about its routes",
      test: async () => {
        const { root, metadata } = await tree();
        assert.equal(typeof root, "object");
        const { generatedAt, ...counts } = metadata;
        assert.deepEqual(counts, { totalRoutes: 5, maxDepth: 2, staticRoutes: 2, parameterizedRoutes: 3 });
        assert.equal(new Date(generatedAt).toISOString(), generatedAt);
      },
    },
    {
      title: "the root of the tree has an empty segment",
      test: async () => assert.equal((await tree()).root.segment, ""),
    },
    {
      title: "a node of the tree has its segment and a list of children",
      test: async () => {
        const node = nodeAt((await tree()).root, "notes");
        assert.equal(node.segment, "notes");
        assert.equal(node.children.length, 1);
      },
    },
    {
      title: "a node for a path parameter has the name of the parameter",
      test: async () => assert.equal(nodeAt((await tree()).root, "notes", ":").paramName, "id"),
    },
    {
      title: "a node for a wildcard is marked as such and has its name",
      test: async () => {
        const { wildcard, paramName } = nodeAt((await wide()).root, "deep", "*");
        assert.deepEqual([wildcard, paramName], [true, "rest"]);
      },
    },
    {
      title: "a node lists its methods, each with the name of the route and of its validators",
      test: async () =>
        assert.deepEqual(nodeAt((await tree()).root, "notes", ":").methods, {
          GET: { ref: "GET /notes/:id", validators: ["GetNotesByIdParams"] },
          PUT: { ref: "PUT /notes/:id", validators: ["PutNotesByIdParams", "UpdateNoteInput"] },
          DELETE: { ref: "DELETE /notes/:id", validators: ["DeleteNotesByIdParams"] },
        }),
    },
    {
      title: "the route table contains each route under its method and path",
      test: async () =>
        assert.deepEqual(Object.keys(await table()), [
          "POST /notes",
          "GET /notes",
          "GET /notes/:id",
          "PUT /notes/:id",
          "DELETE /notes/:id",
        ]),
    },
    {
      title: "an entry of the route table has method, path, params, schemas and names of middleware",
      test: async () =>
        assert.deepEqual((await table())["PUT /notes/:id"], {
          method: "PUT",
          path: "/notes/:id",
          params: ["id"],
          querySchema: null,
          bodySchema: "UpdateNoteInput",
          responseSchema: "Note",
          middleware: ["requireAuth"],
        }),
    },
    {
      title:
        "an entry without a body has no bodySchema, and without query or response null for their schemas",
      test: async () => {
        const entry = (await table())["DELETE /notes/:id"]!;
        assert.equal("bodySchema" in entry, false);
        assert.deepEqual([entry.querySchema, entry.responseSchema], [null, null]);
      },
    },
  ],
};

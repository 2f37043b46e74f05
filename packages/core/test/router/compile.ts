import type { CompiledRouteNode, CompiledRouteTree } from "@kit/types";

import { normalPath } from "../../src/router/normal-path.ts";

/** A node while it is being made. */
interface Draft {
  segment: string;
  paramName?: string;
  wildcard?: true;
  methods?: Record<string, { ref: string; validators: string[] }>;
  children: Draft[];
}

/**
 * Makes the tree that `kit build` makes of routes without conflicts. Only for tests, which need trees without a
 * compiler; the corpus holds one document that this and the real one must both produce.
 */
export function compileRoutes(routes: readonly string[], generatedAt = ""): CompiledRouteTree {
  const root: Draft = { segment: "", children: [] };
  const depths = routes.map((ref) => {
    const [method = "", path = ""] = ref.split(" ");
    const segments = path.split("/").filter((segment) => segment !== "");
    const node = segments.reduce(childFor, root);
    node.methods = { ...node.methods, [method]: { ref, validators: [] } };
    return segments.length;
  });
  const staticRoutes = routes.filter((ref) => !/\/[:*]/.test(ref)).length;
  return {
    root: inOrder(root),
    metadata: {
      totalRoutes: routes.length,
      maxDepth: Math.max(0, ...depths),
      staticRoutes,
      parameterizedRoutes: routes.length - staticRoutes,
      generatedAt,
    },
  };
}

function childFor(node: Draft, text: string): Draft {
  const kind = text.charAt(0);
  const isParam = kind === ":" || kind === "*";
  const segment = isParam ? kind : (normalPath(text) ?? text);
  let child = node.children.find(
    (one) => (one.paramName !== undefined) === isParam && (isParam || one.segment === segment),
  );
  if (child === undefined) {
    child = { segment, children: [] };
    if (isParam) child.paramName = text.slice(1);
    if (kind === "*") child.wildcard = true;
    node.children.push(child);
  }
  return child;
}

function inOrder(node: Draft): CompiledRouteNode {
  const statics = node.children.filter((child) => child.paramName === undefined);
  const rest = node.children.filter((child) => child.paramName !== undefined);
  return { ...node, children: [...statics, ...rest].map(inOrder) };
}

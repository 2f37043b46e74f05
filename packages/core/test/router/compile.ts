import type { CompiledRouteNode, CompiledRouteTree } from "@kit/types";

import { normalPath } from "../../src/router/normal-path.ts";

/** Node of a tree under construction. */
interface Draft {
  segment: string;
  paramName?: string;
  wildcard?: true;
  methods?: Record<string, { ref: string; validators: string[] }>;
  children: Draft[];
}

/**
 * Creates the tree that `kit build` creates for routes without conflicts. For tests only, which need trees without a
 * compiler. The corpus contains one document that both this function and the compiler must produce.
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

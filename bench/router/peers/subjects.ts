/** Routers in JavaScript that kit is compared with, behind a common interface. */
import findMyWay from "find-my-way";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";
import { Memoirist } from "memoirist";
import { addRoute, createRouter, findRoute } from "rou3";

import type { Found, Loader } from "../subject.ts";

const NOT_FOUND: Found = { route: -1, values: [] };
const NONE: readonly string[] = [];

function split(routes: readonly string[]): { method: string; path: string }[] {
  return routes.map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return { method, path };
  });
}

/** Decodes the value of a path parameter, as Hono does when a handler reads it. */
function decoded(value: string): string {
  return value.includes("%") ? decodeURIComponent(value) : value;
}

export const loaders: Readonly<Record<string, Loader>> = {
  "find-my-way": {
    prepare: (routes) => {
      const list = split(routes);
      return () => {
        const router = findMyWay({ ignoreTrailingSlash: true });
        for (const [route, { method, path }] of list.entries()) {
          router.on(method as "GET", path.replace(/\*\w+/, "*"), () => {}, { route });
        }
        return (method, path) => {
          const found = router.find(method as "GET", path);
          if (found === null) return NOT_FOUND;
          return {
            route: (found.store as { route: number }).route,
            values: Object.values(found.params) as string[],
          };
        };
      };
    },
  },
  hono: {
    prepare: (routes) => {
      const list = split(routes);
      return () => {
        const router = new SmartRouter<number>({ routers: [new RegExpRouter(), new TrieRouter()] });
        for (const [route, { method, path }] of list.entries()) {
          router.add(method, path.replace(/\*(\w+)/, ":$1{.+}"), route);
        }
        return (method, path) => {
          const [handlers, stash] = router.match(method, path);
          const first = handlers[0];
          if (first === undefined) return NOT_FOUND;
          const values: string[] = [];
          for (const at of Object.values(first[1])) {
            values.push(decoded(stash === undefined ? (at as string) : (stash[at as number] ?? "")));
          }
          return { route: first[0], values };
        };
      };
    },
  },
  rou3: {
    prepare: (routes) => {
      const list = split(routes);
      return () => {
        const router = createRouter<number>();
        for (const [route, { method, path }] of list.entries()) {
          addRoute(router, method, path.replace(/\*(\w+)/, "**:$1"), route);
        }
        return (method, path) => {
          const found = findRoute(router, method, path);
          if (found === undefined) return NOT_FOUND;
          const { data, params } = found;
          return {
            route: data,
            values: params === undefined ? NONE : Object.values(params).map(decoded),
          };
        };
      };
    },
  },
  memoirist: {
    prepare: (routes) => {
      const list = split(routes);
      return () => {
        const router = new Memoirist<number>();
        for (const [route, { method, path }] of list.entries()) {
          router.add(method, path.replace(/\*\w+/, "*"), route);
        }
        return (method, path) => {
          const found = router.find(method, path);
          if (found === null) return NOT_FOUND;
          return { route: found.store, values: Object.values(found.params).map(decoded) };
        };
      };
    },
  },
};

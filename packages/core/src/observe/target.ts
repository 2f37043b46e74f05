import type { CompiledRoute } from "@kit/types";

import { redacted, type Redactor } from "../logging/redact.ts";
import { hideParameters } from "../router/route-path.ts";
import type { Slot } from "./slot.ts";

/** Returns a request's path and query. Values of parameters that the log would hide are hidden. */
export function shownTarget(slot: Slot, redactor: Redactor): string {
  const { target } = slot;
  const start = target.indexOf("?");
  const path = shownPath(start === -1 ? target : target.slice(0, start), slot.route?.compiled, redactor);
  return start === -1 ? path : `${path}?${shownQuery(target.slice(start + 1), redactor)}`;
}

function shownQuery(query: string, redactor: Redactor): string {
  return query
    .split("&")
    .map((pair) => {
      const end = pair.indexOf("=");
      if (end === -1) return pair;
      const name = pair.slice(0, end);
      return redactor.hides(["query", decoded(name).toLowerCase()]) ? `${name}=${redacted}` : pair;
    })
    .join("&");
}

/** Returns a path with hidden parameters replaced: `/reset/abc` for `/reset/:token` gives `/reset/[redacted]`. */
export function shownPath(path: string, route: CompiledRoute | null | undefined, redactor: Redactor): string {
  if (route === null || route === undefined) return path;
  const isHidden = (name: string): boolean => redactor.hides(["params", name.toLowerCase()]);
  return hideParameters(path, route.path, isHidden, redacted);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

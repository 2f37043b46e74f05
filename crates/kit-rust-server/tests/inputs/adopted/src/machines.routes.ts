import type { RouteContract } from "@kit/types";
import type { Machine, Mood } from "./machines.types.ts";

interface Filter {
  mood?: Mood;
  name?: string;
  labels?: string[];
}

export interface MachineRoutes {
  "POST /machines": RouteContract<void, void, Machine, Machine>;
  "GET /machines": RouteContract<void, Filter, void, Machine[]>;
  /** The column `address` cannot be compared with every text. */
  "GET /addresses": RouteContract<void, { address: string }, void, Machine[]>;
  "GET /machines/:code": RouteContract<{ code: string }, void, void, Machine>;
  "PUT /machines/:code": RouteContract<{ code: string }, void, Partial<Omit<Machine, "code">>, Machine>;
  "DELETE /machines/:code": RouteContract<{ code: string }, void, void, void>;
}

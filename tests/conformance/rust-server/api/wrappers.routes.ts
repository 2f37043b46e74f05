// The contracts of `conformance/wrappers.json`: those of the program `wrappers` in `crates/kit-test-programs`.

import type { Reply, Route } from "@kit/types";

export interface Report {
  id: number;
  isTimed: boolean;
}

export interface NewReport {
  title: string;
}

export interface Queued {
  position: number;
}

export interface Limit {
  limit: number;
}

export interface ReportRoutes {
  "GET /reports/:id": Route<{ params: { id: number }; query: { pages?: number }; response: Report }>;
  "POST /reports": Route<{ body: NewReport; response: Reply<201, Report, { location: string }> }>;
  "GET /plain": Route<{ response: { free: boolean } }>;
}

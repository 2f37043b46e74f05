import type { Reply, Route, RouteContract, Scopes } from "@kit/types";

export interface Report {
  id: string;
  lines: number;
}

export interface Job {
  job: string;
}

export interface Counted {
  /** @integer */
  after: number;
}

export interface NewReport {
  /** @minLength 1 @maxLength 20 */
  title: string;
}

export interface ReportRoutes {
  "GET /reports/:id": RouteContract<{ id: string }, void, void, Report>;
  "POST /reports": Route<{
    body: NewReport;
    response: Reply<201, Report, { location: string; etag: string }> | Reply<204>;
  }>;
  "DELETE /reports/:id": RouteContract<{ id: string }, void, void, void>;
}

export interface ExportRoutes {
  "GET /exports/:id": RouteContract<{ id: string }, void, void, unknown>;
}

export interface PlainRoutes {
  "GET /plain": RouteContract<void, void, void, Job>;
}

export interface DraftRoutes {
  "POST /drafts": Route<{
    body: NewReport;
    response: Job;
    auth: Scopes<"drafts:write" | "drafts:read"> | Scopes<"admin">;
  }>;
  "GET /drafts": Route<{ response: Job; auth: Scopes<"drafts:read"> }>;
}

import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  LedgerItem,
  CreateLedgerItem,
  UpdateLedgerItem,
  LedgerItemDetails,
  LedgerItemFilter,
  LedgerItemSummary,
  LedgerRecord,
  CreateLedgerRecord,
  UpdateLedgerRecord,
  LedgerRecordDetails,
  LedgerRecordFilter,
  LedgerRecordSummary,
  LedgerTopic,
  CreateLedgerTopic,
  UpdateLedgerTopic,
  LedgerTopicDetails,
  LedgerTopicFilter,
  LedgerTopicSummary,
} from "./ledger.types.ts";

/** Routes of ledger. */
export interface LedgerRoutes {
  /**
   * Newest first.
   *
   * @summary Lists ledger
   * @tag ledger
   */
  "GET /items": RouteContract<void, LedgerItemFilter, void, Paginated<LedgerItemSummary>>;
  /**
   * @summary Adds to ledger
   * @tag ledger
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateLedgerItem, LedgerItem>;
  /**
   * @summary Reads of ledger
   * @tag ledger
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, LedgerItemDetails>;
  /**
   * @summary Changes ledger
   * @tag ledger
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateLedgerItem, LedgerItem>;
  /** @tag ledger */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists ledger
   * @tag ledger
   */
  "GET /records": RouteContract<void, LedgerRecordFilter, void, Paginated<LedgerRecordSummary>>;
  /**
   * @summary Adds to ledger
   * @tag ledger
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateLedgerRecord, LedgerRecord>;
  /**
   * @summary Reads of ledger
   * @tag ledger
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, LedgerRecordDetails>;
  /**
   * @summary Changes ledger
   * @tag ledger
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateLedgerRecord, LedgerRecord>;
  /** @tag ledger */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists ledger
   * @tag ledger
   */
  "GET /topics": RouteContract<void, LedgerTopicFilter, void, Paginated<LedgerTopicSummary>>;
  /**
   * @summary Adds to ledger
   * @tag ledger
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateLedgerTopic, LedgerTopic>;
  /**
   * @summary Reads of ledger
   * @tag ledger
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, LedgerTopicDetails>;
  /**
   * @summary Changes ledger
   * @tag ledger
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateLedgerTopic, LedgerTopic>;
  /** @tag ledger */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  BillingItem,
  CreateBillingItem,
  UpdateBillingItem,
  BillingItemDetails,
  BillingItemFilter,
  BillingItemSummary,
  BillingRecord,
  CreateBillingRecord,
  UpdateBillingRecord,
  BillingRecordDetails,
  BillingRecordFilter,
  BillingRecordSummary,
  BillingTopic,
  CreateBillingTopic,
  UpdateBillingTopic,
  BillingTopicDetails,
  BillingTopicFilter,
  BillingTopicSummary,
} from "./billing.types.ts";

/** Routes of billing. */
export interface BillingRoutes {
  /**
   * Newest first.
   *
   * @summary Lists billing
   * @tag billing
   */
  "GET /items": RouteContract<void, BillingItemFilter, void, Paginated<BillingItemSummary>>;
  /**
   * @summary Adds to billing
   * @tag billing
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateBillingItem, BillingItem>;
  /**
   * @summary Reads of billing
   * @tag billing
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, BillingItemDetails>;
  /**
   * @summary Changes billing
   * @tag billing
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateBillingItem, BillingItem>;
  /** @tag billing */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists billing
   * @tag billing
   */
  "GET /records": RouteContract<void, BillingRecordFilter, void, Paginated<BillingRecordSummary>>;
  /**
   * @summary Adds to billing
   * @tag billing
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateBillingRecord, BillingRecord>;
  /**
   * @summary Reads of billing
   * @tag billing
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, BillingRecordDetails>;
  /**
   * @summary Changes billing
   * @tag billing
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateBillingRecord, BillingRecord>;
  /** @tag billing */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists billing
   * @tag billing
   */
  "GET /topics": RouteContract<void, BillingTopicFilter, void, Paginated<BillingTopicSummary>>;
  /**
   * @summary Adds to billing
   * @tag billing
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateBillingTopic, BillingTopic>;
  /**
   * @summary Reads of billing
   * @tag billing
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, BillingTopicDetails>;
  /**
   * @summary Changes billing
   * @tag billing
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateBillingTopic, BillingTopic>;
  /** @tag billing */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

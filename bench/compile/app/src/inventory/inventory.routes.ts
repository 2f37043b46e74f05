import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  InventoryItem,
  CreateInventoryItem,
  UpdateInventoryItem,
  InventoryItemDetails,
  InventoryItemFilter,
  InventoryItemSummary,
  InventoryRecord,
  CreateInventoryRecord,
  UpdateInventoryRecord,
  InventoryRecordDetails,
  InventoryRecordFilter,
  InventoryRecordSummary,
  InventoryTopic,
  CreateInventoryTopic,
  UpdateInventoryTopic,
  InventoryTopicDetails,
  InventoryTopicFilter,
  InventoryTopicSummary,
} from "./inventory.types.ts";

/** Routes of inventory. */
export interface InventoryRoutes {
  /**
   * Newest first.
   *
   * @summary Lists inventory
   * @tag inventory
   */
  "GET /items": RouteContract<void, InventoryItemFilter, void, Paginated<InventoryItemSummary>>;
  /**
   * @summary Adds to inventory
   * @tag inventory
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateInventoryItem, InventoryItem>;
  /**
   * @summary Reads of inventory
   * @tag inventory
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, InventoryItemDetails>;
  /**
   * @summary Changes inventory
   * @tag inventory
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateInventoryItem, InventoryItem>;
  /** @tag inventory */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists inventory
   * @tag inventory
   */
  "GET /records": RouteContract<void, InventoryRecordFilter, void, Paginated<InventoryRecordSummary>>;
  /**
   * @summary Adds to inventory
   * @tag inventory
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateInventoryRecord, InventoryRecord>;
  /**
   * @summary Reads of inventory
   * @tag inventory
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, InventoryRecordDetails>;
  /**
   * @summary Changes inventory
   * @tag inventory
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateInventoryRecord, InventoryRecord>;
  /** @tag inventory */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists inventory
   * @tag inventory
   */
  "GET /topics": RouteContract<void, InventoryTopicFilter, void, Paginated<InventoryTopicSummary>>;
  /**
   * @summary Adds to inventory
   * @tag inventory
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateInventoryTopic, InventoryTopic>;
  /**
   * @summary Reads of inventory
   * @tag inventory
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, InventoryTopicDetails>;
  /**
   * @summary Changes inventory
   * @tag inventory
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateInventoryTopic, InventoryTopic>;
  /** @tag inventory */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

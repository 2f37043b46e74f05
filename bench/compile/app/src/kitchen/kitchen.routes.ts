import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  KitchenItem,
  CreateKitchenItem,
  UpdateKitchenItem,
  KitchenItemDetails,
  KitchenItemFilter,
  KitchenItemSummary,
  KitchenRecord,
  CreateKitchenRecord,
  UpdateKitchenRecord,
  KitchenRecordDetails,
  KitchenRecordFilter,
  KitchenRecordSummary,
  KitchenTopic,
  CreateKitchenTopic,
  UpdateKitchenTopic,
  KitchenTopicDetails,
  KitchenTopicFilter,
  KitchenTopicSummary,
} from "./kitchen.types.ts";

/** Routes of kitchen. */
export interface KitchenRoutes {
  /**
   * Newest first.
   *
   * @summary Lists kitchen
   * @tag kitchen
   */
  "GET /items": RouteContract<void, KitchenItemFilter, void, Paginated<KitchenItemSummary>>;
  /**
   * @summary Adds to kitchen
   * @tag kitchen
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateKitchenItem, KitchenItem>;
  /**
   * @summary Reads of kitchen
   * @tag kitchen
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, KitchenItemDetails>;
  /**
   * @summary Changes kitchen
   * @tag kitchen
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateKitchenItem, KitchenItem>;
  /** @tag kitchen */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists kitchen
   * @tag kitchen
   */
  "GET /records": RouteContract<void, KitchenRecordFilter, void, Paginated<KitchenRecordSummary>>;
  /**
   * @summary Adds to kitchen
   * @tag kitchen
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateKitchenRecord, KitchenRecord>;
  /**
   * @summary Reads of kitchen
   * @tag kitchen
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, KitchenRecordDetails>;
  /**
   * @summary Changes kitchen
   * @tag kitchen
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateKitchenRecord, KitchenRecord>;
  /** @tag kitchen */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists kitchen
   * @tag kitchen
   */
  "GET /topics": RouteContract<void, KitchenTopicFilter, void, Paginated<KitchenTopicSummary>>;
  /**
   * @summary Adds to kitchen
   * @tag kitchen
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateKitchenTopic, KitchenTopic>;
  /**
   * @summary Reads of kitchen
   * @tag kitchen
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, KitchenTopicDetails>;
  /**
   * @summary Changes kitchen
   * @tag kitchen
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateKitchenTopic, KitchenTopic>;
  /** @tag kitchen */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

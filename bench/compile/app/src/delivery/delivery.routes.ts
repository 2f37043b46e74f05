import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  DeliveryItem,
  CreateDeliveryItem,
  UpdateDeliveryItem,
  DeliveryItemDetails,
  DeliveryItemFilter,
  DeliveryItemSummary,
  DeliveryRecord,
  CreateDeliveryRecord,
  UpdateDeliveryRecord,
  DeliveryRecordDetails,
  DeliveryRecordFilter,
  DeliveryRecordSummary,
  DeliveryTopic,
  CreateDeliveryTopic,
  UpdateDeliveryTopic,
  DeliveryTopicDetails,
  DeliveryTopicFilter,
  DeliveryTopicSummary,
} from "./delivery.types.ts";

/** Routes of delivery. */
export interface DeliveryRoutes {
  /**
   * Newest first.
   *
   * @summary Lists delivery
   * @tag delivery
   */
  "GET /items": RouteContract<void, DeliveryItemFilter, void, Paginated<DeliveryItemSummary>>;
  /**
   * @summary Adds to delivery
   * @tag delivery
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateDeliveryItem, DeliveryItem>;
  /**
   * @summary Reads of delivery
   * @tag delivery
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, DeliveryItemDetails>;
  /**
   * @summary Changes delivery
   * @tag delivery
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateDeliveryItem, DeliveryItem>;
  /** @tag delivery */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists delivery
   * @tag delivery
   */
  "GET /records": RouteContract<void, DeliveryRecordFilter, void, Paginated<DeliveryRecordSummary>>;
  /**
   * @summary Adds to delivery
   * @tag delivery
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateDeliveryRecord, DeliveryRecord>;
  /**
   * @summary Reads of delivery
   * @tag delivery
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, DeliveryRecordDetails>;
  /**
   * @summary Changes delivery
   * @tag delivery
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateDeliveryRecord, DeliveryRecord>;
  /** @tag delivery */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists delivery
   * @tag delivery
   */
  "GET /topics": RouteContract<void, DeliveryTopicFilter, void, Paginated<DeliveryTopicSummary>>;
  /**
   * @summary Adds to delivery
   * @tag delivery
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateDeliveryTopic, DeliveryTopic>;
  /**
   * @summary Reads of delivery
   * @tag delivery
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, DeliveryTopicDetails>;
  /**
   * @summary Changes delivery
   * @tag delivery
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateDeliveryTopic, DeliveryTopic>;
  /** @tag delivery */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

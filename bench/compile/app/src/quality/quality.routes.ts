import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  QualityItem,
  CreateQualityItem,
  UpdateQualityItem,
  QualityItemDetails,
  QualityItemFilter,
  QualityItemSummary,
  QualityRecord,
  CreateQualityRecord,
  UpdateQualityRecord,
  QualityRecordDetails,
  QualityRecordFilter,
  QualityRecordSummary,
  QualityTopic,
  CreateQualityTopic,
  UpdateQualityTopic,
  QualityTopicDetails,
  QualityTopicFilter,
  QualityTopicSummary,
} from "./quality.types.ts";

/** Routes of quality. */
export interface QualityRoutes {
  /**
   * Newest first.
   *
   * @summary Lists quality
   * @tag quality
   */
  "GET /items": RouteContract<void, QualityItemFilter, void, Paginated<QualityItemSummary>>;
  /**
   * @summary Adds to quality
   * @tag quality
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateQualityItem, QualityItem>;
  /**
   * @summary Reads of quality
   * @tag quality
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, QualityItemDetails>;
  /**
   * @summary Changes quality
   * @tag quality
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateQualityItem, QualityItem>;
  /** @tag quality */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists quality
   * @tag quality
   */
  "GET /records": RouteContract<void, QualityRecordFilter, void, Paginated<QualityRecordSummary>>;
  /**
   * @summary Adds to quality
   * @tag quality
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateQualityRecord, QualityRecord>;
  /**
   * @summary Reads of quality
   * @tag quality
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, QualityRecordDetails>;
  /**
   * @summary Changes quality
   * @tag quality
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateQualityRecord, QualityRecord>;
  /** @tag quality */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists quality
   * @tag quality
   */
  "GET /topics": RouteContract<void, QualityTopicFilter, void, Paginated<QualityTopicSummary>>;
  /**
   * @summary Adds to quality
   * @tag quality
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateQualityTopic, QualityTopic>;
  /**
   * @summary Reads of quality
   * @tag quality
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, QualityTopicDetails>;
  /**
   * @summary Changes quality
   * @tag quality
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateQualityTopic, QualityTopic>;
  /** @tag quality */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

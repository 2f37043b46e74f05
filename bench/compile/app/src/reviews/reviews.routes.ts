import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  ReviewsItem,
  CreateReviewsItem,
  UpdateReviewsItem,
  ReviewsItemDetails,
  ReviewsItemFilter,
  ReviewsItemSummary,
  ReviewsRecord,
  CreateReviewsRecord,
  UpdateReviewsRecord,
  ReviewsRecordDetails,
  ReviewsRecordFilter,
  ReviewsRecordSummary,
  ReviewsTopic,
  CreateReviewsTopic,
  UpdateReviewsTopic,
  ReviewsTopicDetails,
  ReviewsTopicFilter,
  ReviewsTopicSummary,
} from "./reviews.types.ts";

/** Routes of reviews. */
export interface ReviewsRoutes {
  /**
   * Newest first.
   *
   * @summary Lists reviews
   * @tag reviews
   */
  "GET /items": RouteContract<void, ReviewsItemFilter, void, Paginated<ReviewsItemSummary>>;
  /**
   * @summary Adds to reviews
   * @tag reviews
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateReviewsItem, ReviewsItem>;
  /**
   * @summary Reads of reviews
   * @tag reviews
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, ReviewsItemDetails>;
  /**
   * @summary Changes reviews
   * @tag reviews
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateReviewsItem, ReviewsItem>;
  /** @tag reviews */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists reviews
   * @tag reviews
   */
  "GET /records": RouteContract<void, ReviewsRecordFilter, void, Paginated<ReviewsRecordSummary>>;
  /**
   * @summary Adds to reviews
   * @tag reviews
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateReviewsRecord, ReviewsRecord>;
  /**
   * @summary Reads of reviews
   * @tag reviews
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, ReviewsRecordDetails>;
  /**
   * @summary Changes reviews
   * @tag reviews
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateReviewsRecord, ReviewsRecord>;
  /** @tag reviews */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists reviews
   * @tag reviews
   */
  "GET /topics": RouteContract<void, ReviewsTopicFilter, void, Paginated<ReviewsTopicSummary>>;
  /**
   * @summary Adds to reviews
   * @tag reviews
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateReviewsTopic, ReviewsTopic>;
  /**
   * @summary Reads of reviews
   * @tag reviews
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, ReviewsTopicDetails>;
  /**
   * @summary Changes reviews
   * @tag reviews
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateReviewsTopic, ReviewsTopic>;
  /** @tag reviews */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

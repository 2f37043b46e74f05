import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  CatalogItem,
  CreateCatalogItem,
  UpdateCatalogItem,
  CatalogItemDetails,
  CatalogItemFilter,
  CatalogItemSummary,
  CatalogRecord,
  CreateCatalogRecord,
  UpdateCatalogRecord,
  CatalogRecordDetails,
  CatalogRecordFilter,
  CatalogRecordSummary,
  CatalogTopic,
  CreateCatalogTopic,
  UpdateCatalogTopic,
  CatalogTopicDetails,
  CatalogTopicFilter,
  CatalogTopicSummary,
} from "./catalog.types.ts";

/** Routes of catalog. */
export interface CatalogRoutes {
  /**
   * Newest first.
   *
   * @summary Lists catalog
   * @tag catalog
   */
  "GET /items": RouteContract<void, CatalogItemFilter, void, Paginated<CatalogItemSummary>>;
  /**
   * @summary Adds to catalog
   * @tag catalog
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateCatalogItem, CatalogItem>;
  /**
   * @summary Reads of catalog
   * @tag catalog
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, CatalogItemDetails>;
  /**
   * @summary Changes catalog
   * @tag catalog
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateCatalogItem, CatalogItem>;
  /** @tag catalog */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists catalog
   * @tag catalog
   */
  "GET /records": RouteContract<void, CatalogRecordFilter, void, Paginated<CatalogRecordSummary>>;
  /**
   * @summary Adds to catalog
   * @tag catalog
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateCatalogRecord, CatalogRecord>;
  /**
   * @summary Reads of catalog
   * @tag catalog
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, CatalogRecordDetails>;
  /**
   * @summary Changes catalog
   * @tag catalog
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateCatalogRecord, CatalogRecord>;
  /** @tag catalog */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists catalog
   * @tag catalog
   */
  "GET /topics": RouteContract<void, CatalogTopicFilter, void, Paginated<CatalogTopicSummary>>;
  /**
   * @summary Adds to catalog
   * @tag catalog
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateCatalogTopic, CatalogTopic>;
  /**
   * @summary Reads of catalog
   * @tag catalog
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, CatalogTopicDetails>;
  /**
   * @summary Changes catalog
   * @tag catalog
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateCatalogTopic, CatalogTopic>;
  /** @tag catalog */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

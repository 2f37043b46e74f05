import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  SalesItem,
  CreateSalesItem,
  UpdateSalesItem,
  SalesItemDetails,
  SalesItemFilter,
  SalesItemSummary,
  SalesRecord,
  CreateSalesRecord,
  UpdateSalesRecord,
  SalesRecordDetails,
  SalesRecordFilter,
  SalesRecordSummary,
  SalesTopic,
  CreateSalesTopic,
  UpdateSalesTopic,
  SalesTopicDetails,
  SalesTopicFilter,
  SalesTopicSummary,
} from "./sales.types.ts";

/** Routes of sales. */
export interface SalesRoutes {
  /**
   * Newest first.
   *
   * @summary Lists sales
   * @tag sales
   */
  "GET /items": RouteContract<void, SalesItemFilter, void, Paginated<SalesItemSummary>>;
  /**
   * @summary Adds to sales
   * @tag sales
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateSalesItem, SalesItem>;
  /**
   * @summary Reads of sales
   * @tag sales
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, SalesItemDetails>;
  /**
   * @summary Changes sales
   * @tag sales
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateSalesItem, SalesItem>;
  /** @tag sales */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists sales
   * @tag sales
   */
  "GET /records": RouteContract<void, SalesRecordFilter, void, Paginated<SalesRecordSummary>>;
  /**
   * @summary Adds to sales
   * @tag sales
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateSalesRecord, SalesRecord>;
  /**
   * @summary Reads of sales
   * @tag sales
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, SalesRecordDetails>;
  /**
   * @summary Changes sales
   * @tag sales
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateSalesRecord, SalesRecord>;
  /** @tag sales */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists sales
   * @tag sales
   */
  "GET /topics": RouteContract<void, SalesTopicFilter, void, Paginated<SalesTopicSummary>>;
  /**
   * @summary Adds to sales
   * @tag sales
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateSalesTopic, SalesTopic>;
  /**
   * @summary Reads of sales
   * @tag sales
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, SalesTopicDetails>;
  /**
   * @summary Changes sales
   * @tag sales
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateSalesTopic, SalesTopic>;
  /** @tag sales */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  OrdersItem,
  CreateOrdersItem,
  UpdateOrdersItem,
  OrdersItemDetails,
  OrdersItemFilter,
  OrdersItemSummary,
  OrdersRecord,
  CreateOrdersRecord,
  UpdateOrdersRecord,
  OrdersRecordDetails,
  OrdersRecordFilter,
  OrdersRecordSummary,
  OrdersTopic,
  CreateOrdersTopic,
  UpdateOrdersTopic,
  OrdersTopicDetails,
  OrdersTopicFilter,
  OrdersTopicSummary,
} from "./orders.types.ts";

/** Routes of orders. */
export interface OrdersRoutes {
  /**
   * Newest first.
   *
   * @summary Lists orders
   * @tag orders
   */
  "GET /items": RouteContract<void, OrdersItemFilter, void, Paginated<OrdersItemSummary>>;
  /**
   * @summary Adds to orders
   * @tag orders
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateOrdersItem, OrdersItem>;
  /**
   * @summary Reads of orders
   * @tag orders
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, OrdersItemDetails>;
  /**
   * @summary Changes orders
   * @tag orders
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateOrdersItem, OrdersItem>;
  /** @tag orders */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists orders
   * @tag orders
   */
  "GET /records": RouteContract<void, OrdersRecordFilter, void, Paginated<OrdersRecordSummary>>;
  /**
   * @summary Adds to orders
   * @tag orders
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateOrdersRecord, OrdersRecord>;
  /**
   * @summary Reads of orders
   * @tag orders
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, OrdersRecordDetails>;
  /**
   * @summary Changes orders
   * @tag orders
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateOrdersRecord, OrdersRecord>;
  /** @tag orders */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists orders
   * @tag orders
   */
  "GET /topics": RouteContract<void, OrdersTopicFilter, void, Paginated<OrdersTopicSummary>>;
  /**
   * @summary Adds to orders
   * @tag orders
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateOrdersTopic, OrdersTopic>;
  /**
   * @summary Reads of orders
   * @tag orders
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, OrdersTopicDetails>;
  /**
   * @summary Changes orders
   * @tag orders
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateOrdersTopic, OrdersTopic>;
  /** @tag orders */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  TicketsItem,
  CreateTicketsItem,
  UpdateTicketsItem,
  TicketsItemDetails,
  TicketsItemFilter,
  TicketsItemSummary,
  TicketsRecord,
  CreateTicketsRecord,
  UpdateTicketsRecord,
  TicketsRecordDetails,
  TicketsRecordFilter,
  TicketsRecordSummary,
  TicketsTopic,
  CreateTicketsTopic,
  UpdateTicketsTopic,
  TicketsTopicDetails,
  TicketsTopicFilter,
  TicketsTopicSummary,
} from "./tickets.types.ts";

/** Routes of tickets. */
export interface TicketsRoutes {
  /**
   * Newest first.
   *
   * @summary Lists tickets
   * @tag tickets
   */
  "GET /items": RouteContract<void, TicketsItemFilter, void, Paginated<TicketsItemSummary>>;
  /**
   * @summary Adds to tickets
   * @tag tickets
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateTicketsItem, TicketsItem>;
  /**
   * @summary Reads of tickets
   * @tag tickets
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, TicketsItemDetails>;
  /**
   * @summary Changes tickets
   * @tag tickets
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateTicketsItem, TicketsItem>;
  /** @tag tickets */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists tickets
   * @tag tickets
   */
  "GET /records": RouteContract<void, TicketsRecordFilter, void, Paginated<TicketsRecordSummary>>;
  /**
   * @summary Adds to tickets
   * @tag tickets
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateTicketsRecord, TicketsRecord>;
  /**
   * @summary Reads of tickets
   * @tag tickets
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, TicketsRecordDetails>;
  /**
   * @summary Changes tickets
   * @tag tickets
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateTicketsRecord, TicketsRecord>;
  /** @tag tickets */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists tickets
   * @tag tickets
   */
  "GET /topics": RouteContract<void, TicketsTopicFilter, void, Paginated<TicketsTopicSummary>>;
  /**
   * @summary Adds to tickets
   * @tag tickets
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateTicketsTopic, TicketsTopic>;
  /**
   * @summary Reads of tickets
   * @tag tickets
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, TicketsTopicDetails>;
  /**
   * @summary Changes tickets
   * @tag tickets
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateTicketsTopic, TicketsTopic>;
  /** @tag tickets */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

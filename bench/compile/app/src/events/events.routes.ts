import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  EventsItem,
  CreateEventsItem,
  UpdateEventsItem,
  EventsItemDetails,
  EventsItemFilter,
  EventsItemSummary,
  EventsRecord,
  CreateEventsRecord,
  UpdateEventsRecord,
  EventsRecordDetails,
  EventsRecordFilter,
  EventsRecordSummary,
  EventsTopic,
  CreateEventsTopic,
  UpdateEventsTopic,
  EventsTopicDetails,
  EventsTopicFilter,
  EventsTopicSummary,
} from "./events.types.ts";

/** Routes of events. */
export interface EventsRoutes {
  /**
   * Newest first.
   *
   * @summary Lists events
   * @tag events
   */
  "GET /items": RouteContract<void, EventsItemFilter, void, Paginated<EventsItemSummary>>;
  /**
   * @summary Adds to events
   * @tag events
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateEventsItem, EventsItem>;
  /**
   * @summary Reads of events
   * @tag events
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, EventsItemDetails>;
  /**
   * @summary Changes events
   * @tag events
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateEventsItem, EventsItem>;
  /** @tag events */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists events
   * @tag events
   */
  "GET /records": RouteContract<void, EventsRecordFilter, void, Paginated<EventsRecordSummary>>;
  /**
   * @summary Adds to events
   * @tag events
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateEventsRecord, EventsRecord>;
  /**
   * @summary Reads of events
   * @tag events
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, EventsRecordDetails>;
  /**
   * @summary Changes events
   * @tag events
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateEventsRecord, EventsRecord>;
  /** @tag events */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists events
   * @tag events
   */
  "GET /topics": RouteContract<void, EventsTopicFilter, void, Paginated<EventsTopicSummary>>;
  /**
   * @summary Adds to events
   * @tag events
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateEventsTopic, EventsTopic>;
  /**
   * @summary Reads of events
   * @tag events
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, EventsTopicDetails>;
  /**
   * @summary Changes events
   * @tag events
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateEventsTopic, EventsTopic>;
  /** @tag events */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

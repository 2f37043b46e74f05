import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  MessagesItem,
  CreateMessagesItem,
  UpdateMessagesItem,
  MessagesItemDetails,
  MessagesItemFilter,
  MessagesItemSummary,
  MessagesRecord,
  CreateMessagesRecord,
  UpdateMessagesRecord,
  MessagesRecordDetails,
  MessagesRecordFilter,
  MessagesRecordSummary,
  MessagesTopic,
  CreateMessagesTopic,
  UpdateMessagesTopic,
  MessagesTopicDetails,
  MessagesTopicFilter,
  MessagesTopicSummary,
} from "./messages.types.ts";

/** Routes of messages. */
export interface MessagesRoutes {
  /**
   * Newest first.
   *
   * @summary Lists messages
   * @tag messages
   */
  "GET /items": RouteContract<void, MessagesItemFilter, void, Paginated<MessagesItemSummary>>;
  /**
   * @summary Adds to messages
   * @tag messages
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateMessagesItem, MessagesItem>;
  /**
   * @summary Reads of messages
   * @tag messages
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, MessagesItemDetails>;
  /**
   * @summary Changes messages
   * @tag messages
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateMessagesItem, MessagesItem>;
  /** @tag messages */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists messages
   * @tag messages
   */
  "GET /records": RouteContract<void, MessagesRecordFilter, void, Paginated<MessagesRecordSummary>>;
  /**
   * @summary Adds to messages
   * @tag messages
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateMessagesRecord, MessagesRecord>;
  /**
   * @summary Reads of messages
   * @tag messages
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, MessagesRecordDetails>;
  /**
   * @summary Changes messages
   * @tag messages
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateMessagesRecord, MessagesRecord>;
  /** @tag messages */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists messages
   * @tag messages
   */
  "GET /topics": RouteContract<void, MessagesTopicFilter, void, Paginated<MessagesTopicSummary>>;
  /**
   * @summary Adds to messages
   * @tag messages
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateMessagesTopic, MessagesTopic>;
  /**
   * @summary Reads of messages
   * @tag messages
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, MessagesTopicDetails>;
  /**
   * @summary Changes messages
   * @tag messages
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateMessagesTopic, MessagesTopic>;
  /** @tag messages */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

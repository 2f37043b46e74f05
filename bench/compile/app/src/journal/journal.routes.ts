import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  JournalItem,
  CreateJournalItem,
  UpdateJournalItem,
  JournalItemDetails,
  JournalItemFilter,
  JournalItemSummary,
  JournalRecord,
  CreateJournalRecord,
  UpdateJournalRecord,
  JournalRecordDetails,
  JournalRecordFilter,
  JournalRecordSummary,
  JournalTopic,
  CreateJournalTopic,
  UpdateJournalTopic,
  JournalTopicDetails,
  JournalTopicFilter,
  JournalTopicSummary,
} from "./journal.types.ts";

/** Routes of journal. */
export interface JournalRoutes {
  /**
   * Newest first.
   *
   * @summary Lists journal
   * @tag journal
   */
  "GET /items": RouteContract<void, JournalItemFilter, void, Paginated<JournalItemSummary>>;
  /**
   * @summary Adds to journal
   * @tag journal
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateJournalItem, JournalItem>;
  /**
   * @summary Reads of journal
   * @tag journal
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, JournalItemDetails>;
  /**
   * @summary Changes journal
   * @tag journal
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateJournalItem, JournalItem>;
  /** @tag journal */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists journal
   * @tag journal
   */
  "GET /records": RouteContract<void, JournalRecordFilter, void, Paginated<JournalRecordSummary>>;
  /**
   * @summary Adds to journal
   * @tag journal
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateJournalRecord, JournalRecord>;
  /**
   * @summary Reads of journal
   * @tag journal
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, JournalRecordDetails>;
  /**
   * @summary Changes journal
   * @tag journal
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateJournalRecord, JournalRecord>;
  /** @tag journal */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists journal
   * @tag journal
   */
  "GET /topics": RouteContract<void, JournalTopicFilter, void, Paginated<JournalTopicSummary>>;
  /**
   * @summary Adds to journal
   * @tag journal
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateJournalTopic, JournalTopic>;
  /**
   * @summary Reads of journal
   * @tag journal
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, JournalTopicDetails>;
  /**
   * @summary Changes journal
   * @tag journal
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateJournalTopic, JournalTopic>;
  /** @tag journal */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

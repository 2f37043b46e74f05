import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  HelpItem,
  CreateHelpItem,
  UpdateHelpItem,
  HelpItemDetails,
  HelpItemFilter,
  HelpItemSummary,
  HelpRecord,
  CreateHelpRecord,
  UpdateHelpRecord,
  HelpRecordDetails,
  HelpRecordFilter,
  HelpRecordSummary,
  HelpTopic,
  CreateHelpTopic,
  UpdateHelpTopic,
  HelpTopicDetails,
  HelpTopicFilter,
  HelpTopicSummary,
} from "./help.types.ts";

/** Routes of help. */
export interface HelpRoutes {
  /**
   * Newest first.
   *
   * @summary Lists help
   * @tag help
   */
  "GET /items": RouteContract<void, HelpItemFilter, void, Paginated<HelpItemSummary>>;
  /**
   * @summary Adds to help
   * @tag help
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateHelpItem, HelpItem>;
  /**
   * @summary Reads of help
   * @tag help
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, HelpItemDetails>;
  /**
   * @summary Changes help
   * @tag help
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateHelpItem, HelpItem>;
  /** @tag help */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists help
   * @tag help
   */
  "GET /records": RouteContract<void, HelpRecordFilter, void, Paginated<HelpRecordSummary>>;
  /**
   * @summary Adds to help
   * @tag help
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateHelpRecord, HelpRecord>;
  /**
   * @summary Reads of help
   * @tag help
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, HelpRecordDetails>;
  /**
   * @summary Changes help
   * @tag help
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateHelpRecord, HelpRecord>;
  /** @tag help */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists help
   * @tag help
   */
  "GET /topics": RouteContract<void, HelpTopicFilter, void, Paginated<HelpTopicSummary>>;
  /**
   * @summary Adds to help
   * @tag help
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateHelpTopic, HelpTopic>;
  /**
   * @summary Reads of help
   * @tag help
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, HelpTopicDetails>;
  /**
   * @summary Changes help
   * @tag help
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateHelpTopic, HelpTopic>;
  /** @tag help */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

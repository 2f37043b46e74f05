import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  GroupsItem,
  CreateGroupsItem,
  UpdateGroupsItem,
  GroupsItemDetails,
  GroupsItemFilter,
  GroupsItemSummary,
  GroupsRecord,
  CreateGroupsRecord,
  UpdateGroupsRecord,
  GroupsRecordDetails,
  GroupsRecordFilter,
  GroupsRecordSummary,
  GroupsTopic,
  CreateGroupsTopic,
  UpdateGroupsTopic,
  GroupsTopicDetails,
  GroupsTopicFilter,
  GroupsTopicSummary,
} from "./groups.types.ts";

/** Routes of groups. */
export interface GroupsRoutes {
  /**
   * Newest first.
   *
   * @summary Lists groups
   * @tag groups
   */
  "GET /items": RouteContract<void, GroupsItemFilter, void, Paginated<GroupsItemSummary>>;
  /**
   * @summary Adds to groups
   * @tag groups
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateGroupsItem, GroupsItem>;
  /**
   * @summary Reads of groups
   * @tag groups
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, GroupsItemDetails>;
  /**
   * @summary Changes groups
   * @tag groups
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateGroupsItem, GroupsItem>;
  /** @tag groups */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists groups
   * @tag groups
   */
  "GET /records": RouteContract<void, GroupsRecordFilter, void, Paginated<GroupsRecordSummary>>;
  /**
   * @summary Adds to groups
   * @tag groups
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateGroupsRecord, GroupsRecord>;
  /**
   * @summary Reads of groups
   * @tag groups
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, GroupsRecordDetails>;
  /**
   * @summary Changes groups
   * @tag groups
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateGroupsRecord, GroupsRecord>;
  /** @tag groups */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists groups
   * @tag groups
   */
  "GET /topics": RouteContract<void, GroupsTopicFilter, void, Paginated<GroupsTopicSummary>>;
  /**
   * @summary Adds to groups
   * @tag groups
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateGroupsTopic, GroupsTopic>;
  /**
   * @summary Reads of groups
   * @tag groups
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, GroupsTopicDetails>;
  /**
   * @summary Changes groups
   * @tag groups
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateGroupsTopic, GroupsTopic>;
  /** @tag groups */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

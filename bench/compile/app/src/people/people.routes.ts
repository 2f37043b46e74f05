import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  PeopleItem,
  CreatePeopleItem,
  UpdatePeopleItem,
  PeopleItemDetails,
  PeopleItemFilter,
  PeopleItemSummary,
  PeopleRecord,
  CreatePeopleRecord,
  UpdatePeopleRecord,
  PeopleRecordDetails,
  PeopleRecordFilter,
  PeopleRecordSummary,
  PeopleTopic,
  CreatePeopleTopic,
  UpdatePeopleTopic,
  PeopleTopicDetails,
  PeopleTopicFilter,
  PeopleTopicSummary,
} from "./people.types.ts";

/** Routes of people. */
export interface PeopleRoutes {
  /**
   * Newest first.
   *
   * @summary Lists people
   * @tag people
   */
  "GET /items": RouteContract<void, PeopleItemFilter, void, Paginated<PeopleItemSummary>>;
  /**
   * @summary Adds to people
   * @tag people
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreatePeopleItem, PeopleItem>;
  /**
   * @summary Reads of people
   * @tag people
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, PeopleItemDetails>;
  /**
   * @summary Changes people
   * @tag people
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdatePeopleItem, PeopleItem>;
  /** @tag people */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists people
   * @tag people
   */
  "GET /records": RouteContract<void, PeopleRecordFilter, void, Paginated<PeopleRecordSummary>>;
  /**
   * @summary Adds to people
   * @tag people
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreatePeopleRecord, PeopleRecord>;
  /**
   * @summary Reads of people
   * @tag people
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, PeopleRecordDetails>;
  /**
   * @summary Changes people
   * @tag people
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdatePeopleRecord, PeopleRecord>;
  /** @tag people */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists people
   * @tag people
   */
  "GET /topics": RouteContract<void, PeopleTopicFilter, void, Paginated<PeopleTopicSummary>>;
  /**
   * @summary Adds to people
   * @tag people
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreatePeopleTopic, PeopleTopic>;
  /**
   * @summary Reads of people
   * @tag people
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, PeopleTopicDetails>;
  /**
   * @summary Changes people
   * @tag people
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdatePeopleTopic, PeopleTopic>;
  /** @tag people */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

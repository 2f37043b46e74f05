import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  AccountsItem,
  CreateAccountsItem,
  UpdateAccountsItem,
  AccountsItemDetails,
  AccountsItemFilter,
  AccountsItemSummary,
  AccountsRecord,
  CreateAccountsRecord,
  UpdateAccountsRecord,
  AccountsRecordDetails,
  AccountsRecordFilter,
  AccountsRecordSummary,
  AccountsTopic,
  CreateAccountsTopic,
  UpdateAccountsTopic,
  AccountsTopicDetails,
  AccountsTopicFilter,
  AccountsTopicSummary,
} from "./accounts.types.ts";

/** Routes of accounts. */
export interface AccountsRoutes {
  /**
   * Newest first.
   *
   * @summary Lists accounts
   * @tag accounts
   */
  "GET /items": RouteContract<void, AccountsItemFilter, void, Paginated<AccountsItemSummary>>;
  /**
   * @summary Adds to accounts
   * @tag accounts
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateAccountsItem, AccountsItem>;
  /**
   * @summary Reads of accounts
   * @tag accounts
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, AccountsItemDetails>;
  /**
   * @summary Changes accounts
   * @tag accounts
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateAccountsItem, AccountsItem>;
  /** @tag accounts */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists accounts
   * @tag accounts
   */
  "GET /records": RouteContract<void, AccountsRecordFilter, void, Paginated<AccountsRecordSummary>>;
  /**
   * @summary Adds to accounts
   * @tag accounts
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateAccountsRecord, AccountsRecord>;
  /**
   * @summary Reads of accounts
   * @tag accounts
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, AccountsRecordDetails>;
  /**
   * @summary Changes accounts
   * @tag accounts
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateAccountsRecord, AccountsRecord>;
  /** @tag accounts */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists accounts
   * @tag accounts
   */
  "GET /topics": RouteContract<void, AccountsTopicFilter, void, Paginated<AccountsTopicSummary>>;
  /**
   * @summary Adds to accounts
   * @tag accounts
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateAccountsTopic, AccountsTopic>;
  /**
   * @summary Reads of accounts
   * @tag accounts
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, AccountsTopicDetails>;
  /**
   * @summary Changes accounts
   * @tag accounts
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateAccountsTopic, AccountsTopic>;
  /** @tag accounts */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

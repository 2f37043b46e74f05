import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { TicketsItemSummary } from "../tickets/tickets.types.ts";

/** How accounts are shown. */
export type AccountsView = "list" | "board" | "calendar";

/** Whoever acts in accounts. */
export interface AccountsActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A AccountsItem as it is stored.
 *
 * @table
 */
export interface AccountsItem extends Timestamps {
  /**
   * @id
   * @generated uuid
   */
  id: string;
  /**
   * What it is about.
   *
   * @minLength 1
   * @maxLength 200
   */
  title: string;
  /** @maxLength 10000 */
  content: string;
  /**
   * @integer
   * @minimum 0
   * @maximum 1000
   */
  quantity: number;
  /** @default "draft" */
  status: AccountsItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a AccountsItem. */
export type AccountsItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateAccountsItem = Omit<AccountsItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateAccountsItem = Partial<CreateAccountsItem>;

/** What lists show. */
export type AccountsItemSummary = Pick<AccountsItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface AccountsItemFilter extends Paging {
  status?: AccountsItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface AccountsItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface AccountsItemEdited {
  kind: "edited";
  at: Date;
  by: AccountsActor;
  before: Partial<AccountsItemSummary>;
  after: Partial<AccountsItemSummary>;
}

/** Who said what. */
export interface AccountsItemCommented {
  kind: "commented";
  at: Date;
  by: AccountsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface AccountsItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a AccountsItem. */
export type AccountsItemEvent = AccountsItemEdited | AccountsItemCommented | AccountsItemClosed;

/** What readers may see of it. */
export type AccountsItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A AccountsItem with the ones below it. */
export interface AccountsItemNode {
  item: AccountsItemSummary;
  children: AccountsItemNode[];
}

/** Counts by state. */
export interface AccountsItemStatistics {
  byStatus: Record<AccountsItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a AccountsItem. */
export type AccountsItemSettings = {
  notify: boolean;
  view: AccountsView;
  columns: (keyof AccountsItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface AccountsItemDetails {
  item: AccountsItem;
  labels: AccountsItemLabel[];
  history: AccountsItemEvent[];
  tree: AccountsItemNode;
  permissions: AccountsItemPermissions;
  settings?: AccountsItemSettings;
  statistics: AccountsItemStatistics;
  related: TicketsItemSummary[];
}

/**
 * A AccountsRecord as it is stored.
 *
 * @table
 */
export interface AccountsRecord extends Timestamps {
  /**
   * @id
   * @generated uuid
   */
  id: string;
  /**
   * What it is about.
   *
   * @minLength 1
   * @maxLength 200
   */
  title: string;
  /** @maxLength 10000 */
  content: string;
  /**
   * @integer
   * @minimum 0
   * @maximum 1000
   */
  quantity: number;
  /** @default "draft" */
  status: AccountsRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a AccountsRecord. */
export type AccountsRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateAccountsRecord = Omit<AccountsRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateAccountsRecord = Partial<CreateAccountsRecord>;

/** What lists show. */
export type AccountsRecordSummary = Pick<AccountsRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface AccountsRecordFilter extends Paging {
  status?: AccountsRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface AccountsRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface AccountsRecordEdited {
  kind: "edited";
  at: Date;
  by: AccountsActor;
  before: Partial<AccountsRecordSummary>;
  after: Partial<AccountsRecordSummary>;
}

/** Who said what. */
export interface AccountsRecordCommented {
  kind: "commented";
  at: Date;
  by: AccountsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface AccountsRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a AccountsRecord. */
export type AccountsRecordEvent = AccountsRecordEdited | AccountsRecordCommented | AccountsRecordClosed;

/** What readers may see of it. */
export type AccountsRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A AccountsRecord with the ones below it. */
export interface AccountsRecordNode {
  item: AccountsRecordSummary;
  children: AccountsRecordNode[];
}

/** Counts by state. */
export interface AccountsRecordStatistics {
  byStatus: Record<AccountsRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a AccountsRecord. */
export type AccountsRecordSettings = {
  notify: boolean;
  view: AccountsView;
  columns: (keyof AccountsRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface AccountsRecordDetails {
  item: AccountsRecord;
  labels: AccountsRecordLabel[];
  history: AccountsRecordEvent[];
  tree: AccountsRecordNode;
  permissions: AccountsRecordPermissions;
  settings?: AccountsRecordSettings;
  statistics: AccountsRecordStatistics;
  related: AccountsRecordSummary[];
}

/**
 * A AccountsTopic as it is stored.
 *
 * @table
 */
export interface AccountsTopic extends Timestamps {
  /**
   * @id
   * @generated uuid
   */
  id: string;
  /**
   * What it is about.
   *
   * @minLength 1
   * @maxLength 200
   */
  title: string;
  /** @maxLength 10000 */
  content: string;
  /**
   * @integer
   * @minimum 0
   * @maximum 1000
   */
  quantity: number;
  /** @default "draft" */
  status: AccountsTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a AccountsTopic. */
export type AccountsTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateAccountsTopic = Omit<AccountsTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateAccountsTopic = Partial<CreateAccountsTopic>;

/** What lists show. */
export type AccountsTopicSummary = Pick<AccountsTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface AccountsTopicFilter extends Paging {
  status?: AccountsTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface AccountsTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface AccountsTopicEdited {
  kind: "edited";
  at: Date;
  by: AccountsActor;
  before: Partial<AccountsTopicSummary>;
  after: Partial<AccountsTopicSummary>;
}

/** Who said what. */
export interface AccountsTopicCommented {
  kind: "commented";
  at: Date;
  by: AccountsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface AccountsTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a AccountsTopic. */
export type AccountsTopicEvent = AccountsTopicEdited | AccountsTopicCommented | AccountsTopicClosed;

/** What readers may see of it. */
export type AccountsTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A AccountsTopic with the ones below it. */
export interface AccountsTopicNode {
  item: AccountsTopicSummary;
  children: AccountsTopicNode[];
}

/** Counts by state. */
export interface AccountsTopicStatistics {
  byStatus: Record<AccountsTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a AccountsTopic. */
export type AccountsTopicSettings = {
  notify: boolean;
  view: AccountsView;
  columns: (keyof AccountsTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface AccountsTopicDetails {
  item: AccountsTopic;
  labels: AccountsTopicLabel[];
  history: AccountsTopicEvent[];
  tree: AccountsTopicNode;
  permissions: AccountsTopicPermissions;
  settings?: AccountsTopicSettings;
  statistics: AccountsTopicStatistics;
  related: AccountsTopicSummary[];
}

import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { KitchenItemSummary } from "../kitchen/kitchen.types.ts";

/** How ledger are shown. */
export type LedgerView = "list" | "board" | "calendar";

/** Whoever acts in ledger. */
export interface LedgerActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A LedgerItem as it is stored.
 *
 * @table
 */
export interface LedgerItem extends Timestamps {
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
  status: LedgerItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a LedgerItem. */
export type LedgerItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateLedgerItem = Omit<LedgerItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateLedgerItem = Partial<CreateLedgerItem>;

/** What lists show. */
export type LedgerItemSummary = Pick<LedgerItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface LedgerItemFilter extends Paging {
  status?: LedgerItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface LedgerItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface LedgerItemEdited {
  kind: "edited";
  at: Date;
  by: LedgerActor;
  before: Partial<LedgerItemSummary>;
  after: Partial<LedgerItemSummary>;
}

/** Who said what. */
export interface LedgerItemCommented {
  kind: "commented";
  at: Date;
  by: LedgerActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface LedgerItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a LedgerItem. */
export type LedgerItemEvent = LedgerItemEdited | LedgerItemCommented | LedgerItemClosed;

/** What readers may see of it. */
export type LedgerItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A LedgerItem with the ones below it. */
export interface LedgerItemNode {
  item: LedgerItemSummary;
  children: LedgerItemNode[];
}

/** Counts by state. */
export interface LedgerItemStatistics {
  byStatus: Record<LedgerItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a LedgerItem. */
export type LedgerItemSettings = {
  notify: boolean;
  view: LedgerView;
  columns: (keyof LedgerItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface LedgerItemDetails {
  item: LedgerItem;
  labels: LedgerItemLabel[];
  history: LedgerItemEvent[];
  tree: LedgerItemNode;
  permissions: LedgerItemPermissions;
  settings?: LedgerItemSettings;
  statistics: LedgerItemStatistics;
  related: KitchenItemSummary[];
}

/**
 * A LedgerRecord as it is stored.
 *
 * @table
 */
export interface LedgerRecord extends Timestamps {
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
  status: LedgerRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a LedgerRecord. */
export type LedgerRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateLedgerRecord = Omit<LedgerRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateLedgerRecord = Partial<CreateLedgerRecord>;

/** What lists show. */
export type LedgerRecordSummary = Pick<LedgerRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface LedgerRecordFilter extends Paging {
  status?: LedgerRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface LedgerRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface LedgerRecordEdited {
  kind: "edited";
  at: Date;
  by: LedgerActor;
  before: Partial<LedgerRecordSummary>;
  after: Partial<LedgerRecordSummary>;
}

/** Who said what. */
export interface LedgerRecordCommented {
  kind: "commented";
  at: Date;
  by: LedgerActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface LedgerRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a LedgerRecord. */
export type LedgerRecordEvent = LedgerRecordEdited | LedgerRecordCommented | LedgerRecordClosed;

/** What readers may see of it. */
export type LedgerRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A LedgerRecord with the ones below it. */
export interface LedgerRecordNode {
  item: LedgerRecordSummary;
  children: LedgerRecordNode[];
}

/** Counts by state. */
export interface LedgerRecordStatistics {
  byStatus: Record<LedgerRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a LedgerRecord. */
export type LedgerRecordSettings = {
  notify: boolean;
  view: LedgerView;
  columns: (keyof LedgerRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface LedgerRecordDetails {
  item: LedgerRecord;
  labels: LedgerRecordLabel[];
  history: LedgerRecordEvent[];
  tree: LedgerRecordNode;
  permissions: LedgerRecordPermissions;
  settings?: LedgerRecordSettings;
  statistics: LedgerRecordStatistics;
  related: LedgerRecordSummary[];
}

/**
 * A LedgerTopic as it is stored.
 *
 * @table
 */
export interface LedgerTopic extends Timestamps {
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
  status: LedgerTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a LedgerTopic. */
export type LedgerTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateLedgerTopic = Omit<LedgerTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateLedgerTopic = Partial<CreateLedgerTopic>;

/** What lists show. */
export type LedgerTopicSummary = Pick<LedgerTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface LedgerTopicFilter extends Paging {
  status?: LedgerTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface LedgerTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface LedgerTopicEdited {
  kind: "edited";
  at: Date;
  by: LedgerActor;
  before: Partial<LedgerTopicSummary>;
  after: Partial<LedgerTopicSummary>;
}

/** Who said what. */
export interface LedgerTopicCommented {
  kind: "commented";
  at: Date;
  by: LedgerActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface LedgerTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a LedgerTopic. */
export type LedgerTopicEvent = LedgerTopicEdited | LedgerTopicCommented | LedgerTopicClosed;

/** What readers may see of it. */
export type LedgerTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A LedgerTopic with the ones below it. */
export interface LedgerTopicNode {
  item: LedgerTopicSummary;
  children: LedgerTopicNode[];
}

/** Counts by state. */
export interface LedgerTopicStatistics {
  byStatus: Record<LedgerTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a LedgerTopic. */
export type LedgerTopicSettings = {
  notify: boolean;
  view: LedgerView;
  columns: (keyof LedgerTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface LedgerTopicDetails {
  item: LedgerTopic;
  labels: LedgerTopicLabel[];
  history: LedgerTopicEvent[];
  tree: LedgerTopicNode;
  permissions: LedgerTopicPermissions;
  settings?: LedgerTopicSettings;
  statistics: LedgerTopicStatistics;
  related: LedgerTopicSummary[];
}

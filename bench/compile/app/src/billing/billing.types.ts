import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { AccountsItemSummary } from "../accounts/accounts.types.ts";

/** How billing are shown. */
export type BillingView = "list" | "board" | "calendar";

/** Whoever acts in billing. */
export interface BillingActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A BillingItem as it is stored.
 *
 * @table
 */
export interface BillingItem extends Timestamps {
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
  status: BillingItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a BillingItem. */
export type BillingItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateBillingItem = Omit<BillingItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateBillingItem = Partial<CreateBillingItem>;

/** What lists show. */
export type BillingItemSummary = Pick<BillingItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface BillingItemFilter extends Paging {
  status?: BillingItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface BillingItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface BillingItemEdited {
  kind: "edited";
  at: Date;
  by: BillingActor;
  before: Partial<BillingItemSummary>;
  after: Partial<BillingItemSummary>;
}

/** Who said what. */
export interface BillingItemCommented {
  kind: "commented";
  at: Date;
  by: BillingActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface BillingItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a BillingItem. */
export type BillingItemEvent = BillingItemEdited | BillingItemCommented | BillingItemClosed;

/** What readers may see of it. */
export type BillingItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A BillingItem with the ones below it. */
export interface BillingItemNode {
  item: BillingItemSummary;
  children: BillingItemNode[];
}

/** Counts by state. */
export interface BillingItemStatistics {
  byStatus: Record<BillingItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a BillingItem. */
export type BillingItemSettings = {
  notify: boolean;
  view: BillingView;
  columns: (keyof BillingItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface BillingItemDetails {
  item: BillingItem;
  labels: BillingItemLabel[];
  history: BillingItemEvent[];
  tree: BillingItemNode;
  permissions: BillingItemPermissions;
  settings?: BillingItemSettings;
  statistics: BillingItemStatistics;
  related: AccountsItemSummary[];
}

/**
 * A BillingRecord as it is stored.
 *
 * @table
 */
export interface BillingRecord extends Timestamps {
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
  status: BillingRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a BillingRecord. */
export type BillingRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateBillingRecord = Omit<BillingRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateBillingRecord = Partial<CreateBillingRecord>;

/** What lists show. */
export type BillingRecordSummary = Pick<BillingRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface BillingRecordFilter extends Paging {
  status?: BillingRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface BillingRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface BillingRecordEdited {
  kind: "edited";
  at: Date;
  by: BillingActor;
  before: Partial<BillingRecordSummary>;
  after: Partial<BillingRecordSummary>;
}

/** Who said what. */
export interface BillingRecordCommented {
  kind: "commented";
  at: Date;
  by: BillingActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface BillingRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a BillingRecord. */
export type BillingRecordEvent = BillingRecordEdited | BillingRecordCommented | BillingRecordClosed;

/** What readers may see of it. */
export type BillingRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A BillingRecord with the ones below it. */
export interface BillingRecordNode {
  item: BillingRecordSummary;
  children: BillingRecordNode[];
}

/** Counts by state. */
export interface BillingRecordStatistics {
  byStatus: Record<BillingRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a BillingRecord. */
export type BillingRecordSettings = {
  notify: boolean;
  view: BillingView;
  columns: (keyof BillingRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface BillingRecordDetails {
  item: BillingRecord;
  labels: BillingRecordLabel[];
  history: BillingRecordEvent[];
  tree: BillingRecordNode;
  permissions: BillingRecordPermissions;
  settings?: BillingRecordSettings;
  statistics: BillingRecordStatistics;
  related: BillingRecordSummary[];
}

/**
 * A BillingTopic as it is stored.
 *
 * @table
 */
export interface BillingTopic extends Timestamps {
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
  status: BillingTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a BillingTopic. */
export type BillingTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateBillingTopic = Omit<BillingTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateBillingTopic = Partial<CreateBillingTopic>;

/** What lists show. */
export type BillingTopicSummary = Pick<BillingTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface BillingTopicFilter extends Paging {
  status?: BillingTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface BillingTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface BillingTopicEdited {
  kind: "edited";
  at: Date;
  by: BillingActor;
  before: Partial<BillingTopicSummary>;
  after: Partial<BillingTopicSummary>;
}

/** Who said what. */
export interface BillingTopicCommented {
  kind: "commented";
  at: Date;
  by: BillingActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface BillingTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a BillingTopic. */
export type BillingTopicEvent = BillingTopicEdited | BillingTopicCommented | BillingTopicClosed;

/** What readers may see of it. */
export type BillingTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A BillingTopic with the ones below it. */
export interface BillingTopicNode {
  item: BillingTopicSummary;
  children: BillingTopicNode[];
}

/** Counts by state. */
export interface BillingTopicStatistics {
  byStatus: Record<BillingTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a BillingTopic. */
export type BillingTopicSettings = {
  notify: boolean;
  view: BillingView;
  columns: (keyof BillingTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface BillingTopicDetails {
  item: BillingTopic;
  labels: BillingTopicLabel[];
  history: BillingTopicEvent[];
  tree: BillingTopicNode;
  permissions: BillingTopicPermissions;
  settings?: BillingTopicSettings;
  statistics: BillingTopicStatistics;
  related: BillingTopicSummary[];
}

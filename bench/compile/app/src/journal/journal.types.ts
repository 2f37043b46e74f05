import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { InventoryItemSummary } from "../inventory/inventory.types.ts";

/** How journal are shown. */
export type JournalView = "list" | "board" | "calendar";

/** Whoever acts in journal. */
export interface JournalActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A JournalItem as it is stored.
 *
 * @table
 */
export interface JournalItem extends Timestamps {
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
  status: JournalItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a JournalItem. */
export type JournalItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateJournalItem = Omit<JournalItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateJournalItem = Partial<CreateJournalItem>;

/** What lists show. */
export type JournalItemSummary = Pick<JournalItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface JournalItemFilter extends Paging {
  status?: JournalItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface JournalItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface JournalItemEdited {
  kind: "edited";
  at: Date;
  by: JournalActor;
  before: Partial<JournalItemSummary>;
  after: Partial<JournalItemSummary>;
}

/** Who said what. */
export interface JournalItemCommented {
  kind: "commented";
  at: Date;
  by: JournalActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface JournalItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a JournalItem. */
export type JournalItemEvent = JournalItemEdited | JournalItemCommented | JournalItemClosed;

/** What readers may see of it. */
export type JournalItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A JournalItem with the ones below it. */
export interface JournalItemNode {
  item: JournalItemSummary;
  children: JournalItemNode[];
}

/** Counts by state. */
export interface JournalItemStatistics {
  byStatus: Record<JournalItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a JournalItem. */
export type JournalItemSettings = {
  notify: boolean;
  view: JournalView;
  columns: (keyof JournalItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface JournalItemDetails {
  item: JournalItem;
  labels: JournalItemLabel[];
  history: JournalItemEvent[];
  tree: JournalItemNode;
  permissions: JournalItemPermissions;
  settings?: JournalItemSettings;
  statistics: JournalItemStatistics;
  related: InventoryItemSummary[];
}

/**
 * A JournalRecord as it is stored.
 *
 * @table
 */
export interface JournalRecord extends Timestamps {
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
  status: JournalRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a JournalRecord. */
export type JournalRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateJournalRecord = Omit<JournalRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateJournalRecord = Partial<CreateJournalRecord>;

/** What lists show. */
export type JournalRecordSummary = Pick<JournalRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface JournalRecordFilter extends Paging {
  status?: JournalRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface JournalRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface JournalRecordEdited {
  kind: "edited";
  at: Date;
  by: JournalActor;
  before: Partial<JournalRecordSummary>;
  after: Partial<JournalRecordSummary>;
}

/** Who said what. */
export interface JournalRecordCommented {
  kind: "commented";
  at: Date;
  by: JournalActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface JournalRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a JournalRecord. */
export type JournalRecordEvent = JournalRecordEdited | JournalRecordCommented | JournalRecordClosed;

/** What readers may see of it. */
export type JournalRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A JournalRecord with the ones below it. */
export interface JournalRecordNode {
  item: JournalRecordSummary;
  children: JournalRecordNode[];
}

/** Counts by state. */
export interface JournalRecordStatistics {
  byStatus: Record<JournalRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a JournalRecord. */
export type JournalRecordSettings = {
  notify: boolean;
  view: JournalView;
  columns: (keyof JournalRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface JournalRecordDetails {
  item: JournalRecord;
  labels: JournalRecordLabel[];
  history: JournalRecordEvent[];
  tree: JournalRecordNode;
  permissions: JournalRecordPermissions;
  settings?: JournalRecordSettings;
  statistics: JournalRecordStatistics;
  related: JournalRecordSummary[];
}

/**
 * A JournalTopic as it is stored.
 *
 * @table
 */
export interface JournalTopic extends Timestamps {
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
  status: JournalTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a JournalTopic. */
export type JournalTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateJournalTopic = Omit<JournalTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateJournalTopic = Partial<CreateJournalTopic>;

/** What lists show. */
export type JournalTopicSummary = Pick<JournalTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface JournalTopicFilter extends Paging {
  status?: JournalTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface JournalTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface JournalTopicEdited {
  kind: "edited";
  at: Date;
  by: JournalActor;
  before: Partial<JournalTopicSummary>;
  after: Partial<JournalTopicSummary>;
}

/** Who said what. */
export interface JournalTopicCommented {
  kind: "commented";
  at: Date;
  by: JournalActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface JournalTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a JournalTopic. */
export type JournalTopicEvent = JournalTopicEdited | JournalTopicCommented | JournalTopicClosed;

/** What readers may see of it. */
export type JournalTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A JournalTopic with the ones below it. */
export interface JournalTopicNode {
  item: JournalTopicSummary;
  children: JournalTopicNode[];
}

/** Counts by state. */
export interface JournalTopicStatistics {
  byStatus: Record<JournalTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a JournalTopic. */
export type JournalTopicSettings = {
  notify: boolean;
  view: JournalView;
  columns: (keyof JournalTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface JournalTopicDetails {
  item: JournalTopic;
  labels: JournalTopicLabel[];
  history: JournalTopicEvent[];
  tree: JournalTopicNode;
  permissions: JournalTopicPermissions;
  settings?: JournalTopicSettings;
  statistics: JournalTopicStatistics;
  related: JournalTopicSummary[];
}

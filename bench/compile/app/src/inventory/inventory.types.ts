import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { HelpItemSummary } from "../help/help.types.ts";

/** How inventory are shown. */
export type InventoryView = "list" | "board" | "calendar";

/** Whoever acts in inventory. */
export interface InventoryActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A InventoryItem as it is stored.
 *
 * @table
 */
export interface InventoryItem extends Timestamps {
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
  status: InventoryItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a InventoryItem. */
export type InventoryItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateInventoryItem = Omit<InventoryItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateInventoryItem = Partial<CreateInventoryItem>;

/** What lists show. */
export type InventoryItemSummary = Pick<InventoryItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface InventoryItemFilter extends Paging {
  status?: InventoryItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface InventoryItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface InventoryItemEdited {
  kind: "edited";
  at: Date;
  by: InventoryActor;
  before: Partial<InventoryItemSummary>;
  after: Partial<InventoryItemSummary>;
}

/** Who said what. */
export interface InventoryItemCommented {
  kind: "commented";
  at: Date;
  by: InventoryActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface InventoryItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a InventoryItem. */
export type InventoryItemEvent = InventoryItemEdited | InventoryItemCommented | InventoryItemClosed;

/** What readers may see of it. */
export type InventoryItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A InventoryItem with the ones below it. */
export interface InventoryItemNode {
  item: InventoryItemSummary;
  children: InventoryItemNode[];
}

/** Counts by state. */
export interface InventoryItemStatistics {
  byStatus: Record<InventoryItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a InventoryItem. */
export type InventoryItemSettings = {
  notify: boolean;
  view: InventoryView;
  columns: (keyof InventoryItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface InventoryItemDetails {
  item: InventoryItem;
  labels: InventoryItemLabel[];
  history: InventoryItemEvent[];
  tree: InventoryItemNode;
  permissions: InventoryItemPermissions;
  settings?: InventoryItemSettings;
  statistics: InventoryItemStatistics;
  related: HelpItemSummary[];
}

/**
 * A InventoryRecord as it is stored.
 *
 * @table
 */
export interface InventoryRecord extends Timestamps {
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
  status: InventoryRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a InventoryRecord. */
export type InventoryRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateInventoryRecord = Omit<InventoryRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateInventoryRecord = Partial<CreateInventoryRecord>;

/** What lists show. */
export type InventoryRecordSummary = Pick<InventoryRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface InventoryRecordFilter extends Paging {
  status?: InventoryRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface InventoryRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface InventoryRecordEdited {
  kind: "edited";
  at: Date;
  by: InventoryActor;
  before: Partial<InventoryRecordSummary>;
  after: Partial<InventoryRecordSummary>;
}

/** Who said what. */
export interface InventoryRecordCommented {
  kind: "commented";
  at: Date;
  by: InventoryActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface InventoryRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a InventoryRecord. */
export type InventoryRecordEvent = InventoryRecordEdited | InventoryRecordCommented | InventoryRecordClosed;

/** What readers may see of it. */
export type InventoryRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A InventoryRecord with the ones below it. */
export interface InventoryRecordNode {
  item: InventoryRecordSummary;
  children: InventoryRecordNode[];
}

/** Counts by state. */
export interface InventoryRecordStatistics {
  byStatus: Record<InventoryRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a InventoryRecord. */
export type InventoryRecordSettings = {
  notify: boolean;
  view: InventoryView;
  columns: (keyof InventoryRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface InventoryRecordDetails {
  item: InventoryRecord;
  labels: InventoryRecordLabel[];
  history: InventoryRecordEvent[];
  tree: InventoryRecordNode;
  permissions: InventoryRecordPermissions;
  settings?: InventoryRecordSettings;
  statistics: InventoryRecordStatistics;
  related: InventoryRecordSummary[];
}

/**
 * A InventoryTopic as it is stored.
 *
 * @table
 */
export interface InventoryTopic extends Timestamps {
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
  status: InventoryTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a InventoryTopic. */
export type InventoryTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateInventoryTopic = Omit<InventoryTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateInventoryTopic = Partial<CreateInventoryTopic>;

/** What lists show. */
export type InventoryTopicSummary = Pick<InventoryTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface InventoryTopicFilter extends Paging {
  status?: InventoryTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface InventoryTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface InventoryTopicEdited {
  kind: "edited";
  at: Date;
  by: InventoryActor;
  before: Partial<InventoryTopicSummary>;
  after: Partial<InventoryTopicSummary>;
}

/** Who said what. */
export interface InventoryTopicCommented {
  kind: "commented";
  at: Date;
  by: InventoryActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface InventoryTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a InventoryTopic. */
export type InventoryTopicEvent = InventoryTopicEdited | InventoryTopicCommented | InventoryTopicClosed;

/** What readers may see of it. */
export type InventoryTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A InventoryTopic with the ones below it. */
export interface InventoryTopicNode {
  item: InventoryTopicSummary;
  children: InventoryTopicNode[];
}

/** Counts by state. */
export interface InventoryTopicStatistics {
  byStatus: Record<InventoryTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a InventoryTopic. */
export type InventoryTopicSettings = {
  notify: boolean;
  view: InventoryView;
  columns: (keyof InventoryTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface InventoryTopicDetails {
  item: InventoryTopic;
  labels: InventoryTopicLabel[];
  history: InventoryTopicEvent[];
  tree: InventoryTopicNode;
  permissions: InventoryTopicPermissions;
  settings?: InventoryTopicSettings;
  statistics: InventoryTopicStatistics;
  related: InventoryTopicSummary[];
}

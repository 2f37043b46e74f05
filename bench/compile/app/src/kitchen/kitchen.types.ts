import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { JournalItemSummary } from "../journal/journal.types.ts";

/** How kitchen are shown. */
export type KitchenView = "list" | "board" | "calendar";

/** Whoever acts in kitchen. */
export interface KitchenActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A KitchenItem as it is stored.
 *
 * @table
 */
export interface KitchenItem extends Timestamps {
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
  status: KitchenItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a KitchenItem. */
export type KitchenItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateKitchenItem = Omit<KitchenItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateKitchenItem = Partial<CreateKitchenItem>;

/** What lists show. */
export type KitchenItemSummary = Pick<KitchenItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface KitchenItemFilter extends Paging {
  status?: KitchenItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface KitchenItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface KitchenItemEdited {
  kind: "edited";
  at: Date;
  by: KitchenActor;
  before: Partial<KitchenItemSummary>;
  after: Partial<KitchenItemSummary>;
}

/** Who said what. */
export interface KitchenItemCommented {
  kind: "commented";
  at: Date;
  by: KitchenActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface KitchenItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a KitchenItem. */
export type KitchenItemEvent = KitchenItemEdited | KitchenItemCommented | KitchenItemClosed;

/** What readers may see of it. */
export type KitchenItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A KitchenItem with the ones below it. */
export interface KitchenItemNode {
  item: KitchenItemSummary;
  children: KitchenItemNode[];
}

/** Counts by state. */
export interface KitchenItemStatistics {
  byStatus: Record<KitchenItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a KitchenItem. */
export type KitchenItemSettings = {
  notify: boolean;
  view: KitchenView;
  columns: (keyof KitchenItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface KitchenItemDetails {
  item: KitchenItem;
  labels: KitchenItemLabel[];
  history: KitchenItemEvent[];
  tree: KitchenItemNode;
  permissions: KitchenItemPermissions;
  settings?: KitchenItemSettings;
  statistics: KitchenItemStatistics;
  related: JournalItemSummary[];
}

/**
 * A KitchenRecord as it is stored.
 *
 * @table
 */
export interface KitchenRecord extends Timestamps {
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
  status: KitchenRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a KitchenRecord. */
export type KitchenRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateKitchenRecord = Omit<KitchenRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateKitchenRecord = Partial<CreateKitchenRecord>;

/** What lists show. */
export type KitchenRecordSummary = Pick<KitchenRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface KitchenRecordFilter extends Paging {
  status?: KitchenRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface KitchenRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface KitchenRecordEdited {
  kind: "edited";
  at: Date;
  by: KitchenActor;
  before: Partial<KitchenRecordSummary>;
  after: Partial<KitchenRecordSummary>;
}

/** Who said what. */
export interface KitchenRecordCommented {
  kind: "commented";
  at: Date;
  by: KitchenActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface KitchenRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a KitchenRecord. */
export type KitchenRecordEvent = KitchenRecordEdited | KitchenRecordCommented | KitchenRecordClosed;

/** What readers may see of it. */
export type KitchenRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A KitchenRecord with the ones below it. */
export interface KitchenRecordNode {
  item: KitchenRecordSummary;
  children: KitchenRecordNode[];
}

/** Counts by state. */
export interface KitchenRecordStatistics {
  byStatus: Record<KitchenRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a KitchenRecord. */
export type KitchenRecordSettings = {
  notify: boolean;
  view: KitchenView;
  columns: (keyof KitchenRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface KitchenRecordDetails {
  item: KitchenRecord;
  labels: KitchenRecordLabel[];
  history: KitchenRecordEvent[];
  tree: KitchenRecordNode;
  permissions: KitchenRecordPermissions;
  settings?: KitchenRecordSettings;
  statistics: KitchenRecordStatistics;
  related: KitchenRecordSummary[];
}

/**
 * A KitchenTopic as it is stored.
 *
 * @table
 */
export interface KitchenTopic extends Timestamps {
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
  status: KitchenTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a KitchenTopic. */
export type KitchenTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateKitchenTopic = Omit<KitchenTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateKitchenTopic = Partial<CreateKitchenTopic>;

/** What lists show. */
export type KitchenTopicSummary = Pick<KitchenTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface KitchenTopicFilter extends Paging {
  status?: KitchenTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface KitchenTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface KitchenTopicEdited {
  kind: "edited";
  at: Date;
  by: KitchenActor;
  before: Partial<KitchenTopicSummary>;
  after: Partial<KitchenTopicSummary>;
}

/** Who said what. */
export interface KitchenTopicCommented {
  kind: "commented";
  at: Date;
  by: KitchenActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface KitchenTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a KitchenTopic. */
export type KitchenTopicEvent = KitchenTopicEdited | KitchenTopicCommented | KitchenTopicClosed;

/** What readers may see of it. */
export type KitchenTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A KitchenTopic with the ones below it. */
export interface KitchenTopicNode {
  item: KitchenTopicSummary;
  children: KitchenTopicNode[];
}

/** Counts by state. */
export interface KitchenTopicStatistics {
  byStatus: Record<KitchenTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a KitchenTopic. */
export type KitchenTopicSettings = {
  notify: boolean;
  view: KitchenView;
  columns: (keyof KitchenTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface KitchenTopicDetails {
  item: KitchenTopic;
  labels: KitchenTopicLabel[];
  history: KitchenTopicEvent[];
  tree: KitchenTopicNode;
  permissions: KitchenTopicPermissions;
  settings?: KitchenTopicSettings;
  statistics: KitchenTopicStatistics;
  related: KitchenTopicSummary[];
}

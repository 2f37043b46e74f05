import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { CatalogItemSummary } from "../catalog/catalog.types.ts";

/** How delivery are shown. */
export type DeliveryView = "list" | "board" | "calendar";

/** Whoever acts in delivery. */
export interface DeliveryActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A DeliveryItem as it is stored.
 *
 * @table
 */
export interface DeliveryItem extends Timestamps {
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
  status: DeliveryItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a DeliveryItem. */
export type DeliveryItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateDeliveryItem = Omit<DeliveryItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateDeliveryItem = Partial<CreateDeliveryItem>;

/** What lists show. */
export type DeliveryItemSummary = Pick<DeliveryItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface DeliveryItemFilter extends Paging {
  status?: DeliveryItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface DeliveryItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface DeliveryItemEdited {
  kind: "edited";
  at: Date;
  by: DeliveryActor;
  before: Partial<DeliveryItemSummary>;
  after: Partial<DeliveryItemSummary>;
}

/** Who said what. */
export interface DeliveryItemCommented {
  kind: "commented";
  at: Date;
  by: DeliveryActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface DeliveryItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a DeliveryItem. */
export type DeliveryItemEvent = DeliveryItemEdited | DeliveryItemCommented | DeliveryItemClosed;

/** What readers may see of it. */
export type DeliveryItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A DeliveryItem with the ones below it. */
export interface DeliveryItemNode {
  item: DeliveryItemSummary;
  children: DeliveryItemNode[];
}

/** Counts by state. */
export interface DeliveryItemStatistics {
  byStatus: Record<DeliveryItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a DeliveryItem. */
export type DeliveryItemSettings = {
  notify: boolean;
  view: DeliveryView;
  columns: (keyof DeliveryItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface DeliveryItemDetails {
  item: DeliveryItem;
  labels: DeliveryItemLabel[];
  history: DeliveryItemEvent[];
  tree: DeliveryItemNode;
  permissions: DeliveryItemPermissions;
  settings?: DeliveryItemSettings;
  statistics: DeliveryItemStatistics;
  related: CatalogItemSummary[];
}

/**
 * A DeliveryRecord as it is stored.
 *
 * @table
 */
export interface DeliveryRecord extends Timestamps {
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
  status: DeliveryRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a DeliveryRecord. */
export type DeliveryRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateDeliveryRecord = Omit<DeliveryRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateDeliveryRecord = Partial<CreateDeliveryRecord>;

/** What lists show. */
export type DeliveryRecordSummary = Pick<DeliveryRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface DeliveryRecordFilter extends Paging {
  status?: DeliveryRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface DeliveryRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface DeliveryRecordEdited {
  kind: "edited";
  at: Date;
  by: DeliveryActor;
  before: Partial<DeliveryRecordSummary>;
  after: Partial<DeliveryRecordSummary>;
}

/** Who said what. */
export interface DeliveryRecordCommented {
  kind: "commented";
  at: Date;
  by: DeliveryActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface DeliveryRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a DeliveryRecord. */
export type DeliveryRecordEvent = DeliveryRecordEdited | DeliveryRecordCommented | DeliveryRecordClosed;

/** What readers may see of it. */
export type DeliveryRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A DeliveryRecord with the ones below it. */
export interface DeliveryRecordNode {
  item: DeliveryRecordSummary;
  children: DeliveryRecordNode[];
}

/** Counts by state. */
export interface DeliveryRecordStatistics {
  byStatus: Record<DeliveryRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a DeliveryRecord. */
export type DeliveryRecordSettings = {
  notify: boolean;
  view: DeliveryView;
  columns: (keyof DeliveryRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface DeliveryRecordDetails {
  item: DeliveryRecord;
  labels: DeliveryRecordLabel[];
  history: DeliveryRecordEvent[];
  tree: DeliveryRecordNode;
  permissions: DeliveryRecordPermissions;
  settings?: DeliveryRecordSettings;
  statistics: DeliveryRecordStatistics;
  related: DeliveryRecordSummary[];
}

/**
 * A DeliveryTopic as it is stored.
 *
 * @table
 */
export interface DeliveryTopic extends Timestamps {
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
  status: DeliveryTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a DeliveryTopic. */
export type DeliveryTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateDeliveryTopic = Omit<DeliveryTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateDeliveryTopic = Partial<CreateDeliveryTopic>;

/** What lists show. */
export type DeliveryTopicSummary = Pick<DeliveryTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface DeliveryTopicFilter extends Paging {
  status?: DeliveryTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface DeliveryTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface DeliveryTopicEdited {
  kind: "edited";
  at: Date;
  by: DeliveryActor;
  before: Partial<DeliveryTopicSummary>;
  after: Partial<DeliveryTopicSummary>;
}

/** Who said what. */
export interface DeliveryTopicCommented {
  kind: "commented";
  at: Date;
  by: DeliveryActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface DeliveryTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a DeliveryTopic. */
export type DeliveryTopicEvent = DeliveryTopicEdited | DeliveryTopicCommented | DeliveryTopicClosed;

/** What readers may see of it. */
export type DeliveryTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A DeliveryTopic with the ones below it. */
export interface DeliveryTopicNode {
  item: DeliveryTopicSummary;
  children: DeliveryTopicNode[];
}

/** Counts by state. */
export interface DeliveryTopicStatistics {
  byStatus: Record<DeliveryTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a DeliveryTopic. */
export type DeliveryTopicSettings = {
  notify: boolean;
  view: DeliveryView;
  columns: (keyof DeliveryTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface DeliveryTopicDetails {
  item: DeliveryTopic;
  labels: DeliveryTopicLabel[];
  history: DeliveryTopicEvent[];
  tree: DeliveryTopicNode;
  permissions: DeliveryTopicPermissions;
  settings?: DeliveryTopicSettings;
  statistics: DeliveryTopicStatistics;
  related: DeliveryTopicSummary[];
}

import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { ReviewsItemSummary } from "../reviews/reviews.types.ts";

/** How sales are shown. */
export type SalesView = "list" | "board" | "calendar";

/** Whoever acts in sales. */
export interface SalesActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A SalesItem as it is stored.
 *
 * @table
 */
export interface SalesItem extends Timestamps {
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
  status: SalesItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a SalesItem. */
export type SalesItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateSalesItem = Omit<SalesItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateSalesItem = Partial<CreateSalesItem>;

/** What lists show. */
export type SalesItemSummary = Pick<SalesItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface SalesItemFilter extends Paging {
  status?: SalesItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface SalesItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface SalesItemEdited {
  kind: "edited";
  at: Date;
  by: SalesActor;
  before: Partial<SalesItemSummary>;
  after: Partial<SalesItemSummary>;
}

/** Who said what. */
export interface SalesItemCommented {
  kind: "commented";
  at: Date;
  by: SalesActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface SalesItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a SalesItem. */
export type SalesItemEvent = SalesItemEdited | SalesItemCommented | SalesItemClosed;

/** What readers may see of it. */
export type SalesItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A SalesItem with the ones below it. */
export interface SalesItemNode {
  item: SalesItemSummary;
  children: SalesItemNode[];
}

/** Counts by state. */
export interface SalesItemStatistics {
  byStatus: Record<SalesItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a SalesItem. */
export type SalesItemSettings = {
  notify: boolean;
  view: SalesView;
  columns: (keyof SalesItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface SalesItemDetails {
  item: SalesItem;
  labels: SalesItemLabel[];
  history: SalesItemEvent[];
  tree: SalesItemNode;
  permissions: SalesItemPermissions;
  settings?: SalesItemSettings;
  statistics: SalesItemStatistics;
  related: ReviewsItemSummary[];
}

/**
 * A SalesRecord as it is stored.
 *
 * @table
 */
export interface SalesRecord extends Timestamps {
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
  status: SalesRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a SalesRecord. */
export type SalesRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateSalesRecord = Omit<SalesRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateSalesRecord = Partial<CreateSalesRecord>;

/** What lists show. */
export type SalesRecordSummary = Pick<SalesRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface SalesRecordFilter extends Paging {
  status?: SalesRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface SalesRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface SalesRecordEdited {
  kind: "edited";
  at: Date;
  by: SalesActor;
  before: Partial<SalesRecordSummary>;
  after: Partial<SalesRecordSummary>;
}

/** Who said what. */
export interface SalesRecordCommented {
  kind: "commented";
  at: Date;
  by: SalesActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface SalesRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a SalesRecord. */
export type SalesRecordEvent = SalesRecordEdited | SalesRecordCommented | SalesRecordClosed;

/** What readers may see of it. */
export type SalesRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A SalesRecord with the ones below it. */
export interface SalesRecordNode {
  item: SalesRecordSummary;
  children: SalesRecordNode[];
}

/** Counts by state. */
export interface SalesRecordStatistics {
  byStatus: Record<SalesRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a SalesRecord. */
export type SalesRecordSettings = {
  notify: boolean;
  view: SalesView;
  columns: (keyof SalesRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface SalesRecordDetails {
  item: SalesRecord;
  labels: SalesRecordLabel[];
  history: SalesRecordEvent[];
  tree: SalesRecordNode;
  permissions: SalesRecordPermissions;
  settings?: SalesRecordSettings;
  statistics: SalesRecordStatistics;
  related: SalesRecordSummary[];
}

/**
 * A SalesTopic as it is stored.
 *
 * @table
 */
export interface SalesTopic extends Timestamps {
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
  status: SalesTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a SalesTopic. */
export type SalesTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateSalesTopic = Omit<SalesTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateSalesTopic = Partial<CreateSalesTopic>;

/** What lists show. */
export type SalesTopicSummary = Pick<SalesTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface SalesTopicFilter extends Paging {
  status?: SalesTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface SalesTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface SalesTopicEdited {
  kind: "edited";
  at: Date;
  by: SalesActor;
  before: Partial<SalesTopicSummary>;
  after: Partial<SalesTopicSummary>;
}

/** Who said what. */
export interface SalesTopicCommented {
  kind: "commented";
  at: Date;
  by: SalesActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface SalesTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a SalesTopic. */
export type SalesTopicEvent = SalesTopicEdited | SalesTopicCommented | SalesTopicClosed;

/** What readers may see of it. */
export type SalesTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A SalesTopic with the ones below it. */
export interface SalesTopicNode {
  item: SalesTopicSummary;
  children: SalesTopicNode[];
}

/** Counts by state. */
export interface SalesTopicStatistics {
  byStatus: Record<SalesTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a SalesTopic. */
export type SalesTopicSettings = {
  notify: boolean;
  view: SalesView;
  columns: (keyof SalesTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface SalesTopicDetails {
  item: SalesTopic;
  labels: SalesTopicLabel[];
  history: SalesTopicEvent[];
  tree: SalesTopicNode;
  permissions: SalesTopicPermissions;
  settings?: SalesTopicSettings;
  statistics: SalesTopicStatistics;
  related: SalesTopicSummary[];
}

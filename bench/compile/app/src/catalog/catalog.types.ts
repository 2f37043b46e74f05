import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { BillingItemSummary } from "../billing/billing.types.ts";

/** How catalog are shown. */
export type CatalogView = "list" | "board" | "calendar";

/** Whoever acts in catalog. */
export interface CatalogActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A CatalogItem as it is stored.
 *
 * @table
 */
export interface CatalogItem extends Timestamps {
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
  status: CatalogItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a CatalogItem. */
export type CatalogItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateCatalogItem = Omit<CatalogItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateCatalogItem = Partial<CreateCatalogItem>;

/** What lists show. */
export type CatalogItemSummary = Pick<CatalogItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface CatalogItemFilter extends Paging {
  status?: CatalogItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface CatalogItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface CatalogItemEdited {
  kind: "edited";
  at: Date;
  by: CatalogActor;
  before: Partial<CatalogItemSummary>;
  after: Partial<CatalogItemSummary>;
}

/** Who said what. */
export interface CatalogItemCommented {
  kind: "commented";
  at: Date;
  by: CatalogActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface CatalogItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a CatalogItem. */
export type CatalogItemEvent = CatalogItemEdited | CatalogItemCommented | CatalogItemClosed;

/** What readers may see of it. */
export type CatalogItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A CatalogItem with the ones below it. */
export interface CatalogItemNode {
  item: CatalogItemSummary;
  children: CatalogItemNode[];
}

/** Counts by state. */
export interface CatalogItemStatistics {
  byStatus: Record<CatalogItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a CatalogItem. */
export type CatalogItemSettings = {
  notify: boolean;
  view: CatalogView;
  columns: (keyof CatalogItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface CatalogItemDetails {
  item: CatalogItem;
  labels: CatalogItemLabel[];
  history: CatalogItemEvent[];
  tree: CatalogItemNode;
  permissions: CatalogItemPermissions;
  settings?: CatalogItemSettings;
  statistics: CatalogItemStatistics;
  related: BillingItemSummary[];
}

/**
 * A CatalogRecord as it is stored.
 *
 * @table
 */
export interface CatalogRecord extends Timestamps {
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
  status: CatalogRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a CatalogRecord. */
export type CatalogRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateCatalogRecord = Omit<CatalogRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateCatalogRecord = Partial<CreateCatalogRecord>;

/** What lists show. */
export type CatalogRecordSummary = Pick<CatalogRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface CatalogRecordFilter extends Paging {
  status?: CatalogRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface CatalogRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface CatalogRecordEdited {
  kind: "edited";
  at: Date;
  by: CatalogActor;
  before: Partial<CatalogRecordSummary>;
  after: Partial<CatalogRecordSummary>;
}

/** Who said what. */
export interface CatalogRecordCommented {
  kind: "commented";
  at: Date;
  by: CatalogActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface CatalogRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a CatalogRecord. */
export type CatalogRecordEvent = CatalogRecordEdited | CatalogRecordCommented | CatalogRecordClosed;

/** What readers may see of it. */
export type CatalogRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A CatalogRecord with the ones below it. */
export interface CatalogRecordNode {
  item: CatalogRecordSummary;
  children: CatalogRecordNode[];
}

/** Counts by state. */
export interface CatalogRecordStatistics {
  byStatus: Record<CatalogRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a CatalogRecord. */
export type CatalogRecordSettings = {
  notify: boolean;
  view: CatalogView;
  columns: (keyof CatalogRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface CatalogRecordDetails {
  item: CatalogRecord;
  labels: CatalogRecordLabel[];
  history: CatalogRecordEvent[];
  tree: CatalogRecordNode;
  permissions: CatalogRecordPermissions;
  settings?: CatalogRecordSettings;
  statistics: CatalogRecordStatistics;
  related: CatalogRecordSummary[];
}

/**
 * A CatalogTopic as it is stored.
 *
 * @table
 */
export interface CatalogTopic extends Timestamps {
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
  status: CatalogTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a CatalogTopic. */
export type CatalogTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateCatalogTopic = Omit<CatalogTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateCatalogTopic = Partial<CreateCatalogTopic>;

/** What lists show. */
export type CatalogTopicSummary = Pick<CatalogTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface CatalogTopicFilter extends Paging {
  status?: CatalogTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface CatalogTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface CatalogTopicEdited {
  kind: "edited";
  at: Date;
  by: CatalogActor;
  before: Partial<CatalogTopicSummary>;
  after: Partial<CatalogTopicSummary>;
}

/** Who said what. */
export interface CatalogTopicCommented {
  kind: "commented";
  at: Date;
  by: CatalogActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface CatalogTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a CatalogTopic. */
export type CatalogTopicEvent = CatalogTopicEdited | CatalogTopicCommented | CatalogTopicClosed;

/** What readers may see of it. */
export type CatalogTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A CatalogTopic with the ones below it. */
export interface CatalogTopicNode {
  item: CatalogTopicSummary;
  children: CatalogTopicNode[];
}

/** Counts by state. */
export interface CatalogTopicStatistics {
  byStatus: Record<CatalogTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a CatalogTopic. */
export type CatalogTopicSettings = {
  notify: boolean;
  view: CatalogView;
  columns: (keyof CatalogTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface CatalogTopicDetails {
  item: CatalogTopic;
  labels: CatalogTopicLabel[];
  history: CatalogTopicEvent[];
  tree: CatalogTopicNode;
  permissions: CatalogTopicPermissions;
  settings?: CatalogTopicSettings;
  statistics: CatalogTopicStatistics;
  related: CatalogTopicSummary[];
}

import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { NewsItemSummary } from "../news/news.types.ts";

/** How orders are shown. */
export type OrdersView = "list" | "board" | "calendar";

/** Whoever acts in orders. */
export interface OrdersActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A OrdersItem as it is stored.
 *
 * @table
 */
export interface OrdersItem extends Timestamps {
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
  status: OrdersItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a OrdersItem. */
export type OrdersItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateOrdersItem = Omit<OrdersItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateOrdersItem = Partial<CreateOrdersItem>;

/** What lists show. */
export type OrdersItemSummary = Pick<OrdersItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface OrdersItemFilter extends Paging {
  status?: OrdersItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface OrdersItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface OrdersItemEdited {
  kind: "edited";
  at: Date;
  by: OrdersActor;
  before: Partial<OrdersItemSummary>;
  after: Partial<OrdersItemSummary>;
}

/** Who said what. */
export interface OrdersItemCommented {
  kind: "commented";
  at: Date;
  by: OrdersActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface OrdersItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a OrdersItem. */
export type OrdersItemEvent = OrdersItemEdited | OrdersItemCommented | OrdersItemClosed;

/** What readers may see of it. */
export type OrdersItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A OrdersItem with the ones below it. */
export interface OrdersItemNode {
  item: OrdersItemSummary;
  children: OrdersItemNode[];
}

/** Counts by state. */
export interface OrdersItemStatistics {
  byStatus: Record<OrdersItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a OrdersItem. */
export type OrdersItemSettings = {
  notify: boolean;
  view: OrdersView;
  columns: (keyof OrdersItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface OrdersItemDetails {
  item: OrdersItem;
  labels: OrdersItemLabel[];
  history: OrdersItemEvent[];
  tree: OrdersItemNode;
  permissions: OrdersItemPermissions;
  settings?: OrdersItemSettings;
  statistics: OrdersItemStatistics;
  related: NewsItemSummary[];
}

/**
 * A OrdersRecord as it is stored.
 *
 * @table
 */
export interface OrdersRecord extends Timestamps {
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
  status: OrdersRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a OrdersRecord. */
export type OrdersRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateOrdersRecord = Omit<OrdersRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateOrdersRecord = Partial<CreateOrdersRecord>;

/** What lists show. */
export type OrdersRecordSummary = Pick<OrdersRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface OrdersRecordFilter extends Paging {
  status?: OrdersRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface OrdersRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface OrdersRecordEdited {
  kind: "edited";
  at: Date;
  by: OrdersActor;
  before: Partial<OrdersRecordSummary>;
  after: Partial<OrdersRecordSummary>;
}

/** Who said what. */
export interface OrdersRecordCommented {
  kind: "commented";
  at: Date;
  by: OrdersActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface OrdersRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a OrdersRecord. */
export type OrdersRecordEvent = OrdersRecordEdited | OrdersRecordCommented | OrdersRecordClosed;

/** What readers may see of it. */
export type OrdersRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A OrdersRecord with the ones below it. */
export interface OrdersRecordNode {
  item: OrdersRecordSummary;
  children: OrdersRecordNode[];
}

/** Counts by state. */
export interface OrdersRecordStatistics {
  byStatus: Record<OrdersRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a OrdersRecord. */
export type OrdersRecordSettings = {
  notify: boolean;
  view: OrdersView;
  columns: (keyof OrdersRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface OrdersRecordDetails {
  item: OrdersRecord;
  labels: OrdersRecordLabel[];
  history: OrdersRecordEvent[];
  tree: OrdersRecordNode;
  permissions: OrdersRecordPermissions;
  settings?: OrdersRecordSettings;
  statistics: OrdersRecordStatistics;
  related: OrdersRecordSummary[];
}

/**
 * A OrdersTopic as it is stored.
 *
 * @table
 */
export interface OrdersTopic extends Timestamps {
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
  status: OrdersTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a OrdersTopic. */
export type OrdersTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateOrdersTopic = Omit<OrdersTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateOrdersTopic = Partial<CreateOrdersTopic>;

/** What lists show. */
export type OrdersTopicSummary = Pick<OrdersTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface OrdersTopicFilter extends Paging {
  status?: OrdersTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface OrdersTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface OrdersTopicEdited {
  kind: "edited";
  at: Date;
  by: OrdersActor;
  before: Partial<OrdersTopicSummary>;
  after: Partial<OrdersTopicSummary>;
}

/** Who said what. */
export interface OrdersTopicCommented {
  kind: "commented";
  at: Date;
  by: OrdersActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface OrdersTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a OrdersTopic. */
export type OrdersTopicEvent = OrdersTopicEdited | OrdersTopicCommented | OrdersTopicClosed;

/** What readers may see of it. */
export type OrdersTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A OrdersTopic with the ones below it. */
export interface OrdersTopicNode {
  item: OrdersTopicSummary;
  children: OrdersTopicNode[];
}

/** Counts by state. */
export interface OrdersTopicStatistics {
  byStatus: Record<OrdersTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a OrdersTopic. */
export type OrdersTopicSettings = {
  notify: boolean;
  view: OrdersView;
  columns: (keyof OrdersTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface OrdersTopicDetails {
  item: OrdersTopic;
  labels: OrdersTopicLabel[];
  history: OrdersTopicEvent[];
  tree: OrdersTopicNode;
  permissions: OrdersTopicPermissions;
  settings?: OrdersTopicSettings;
  statistics: OrdersTopicStatistics;
  related: OrdersTopicSummary[];
}

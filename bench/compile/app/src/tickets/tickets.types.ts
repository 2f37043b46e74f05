import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { SalesItemSummary } from "../sales/sales.types.ts";

/** How tickets are shown. */
export type TicketsView = "list" | "board" | "calendar";

/** Whoever acts in tickets. */
export interface TicketsActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A TicketsItem as it is stored.
 *
 * @table
 */
export interface TicketsItem extends Timestamps {
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
  status: TicketsItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a TicketsItem. */
export type TicketsItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateTicketsItem = Omit<TicketsItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateTicketsItem = Partial<CreateTicketsItem>;

/** What lists show. */
export type TicketsItemSummary = Pick<TicketsItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface TicketsItemFilter extends Paging {
  status?: TicketsItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface TicketsItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface TicketsItemEdited {
  kind: "edited";
  at: Date;
  by: TicketsActor;
  before: Partial<TicketsItemSummary>;
  after: Partial<TicketsItemSummary>;
}

/** Who said what. */
export interface TicketsItemCommented {
  kind: "commented";
  at: Date;
  by: TicketsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface TicketsItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a TicketsItem. */
export type TicketsItemEvent = TicketsItemEdited | TicketsItemCommented | TicketsItemClosed;

/** What readers may see of it. */
export type TicketsItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A TicketsItem with the ones below it. */
export interface TicketsItemNode {
  item: TicketsItemSummary;
  children: TicketsItemNode[];
}

/** Counts by state. */
export interface TicketsItemStatistics {
  byStatus: Record<TicketsItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a TicketsItem. */
export type TicketsItemSettings = {
  notify: boolean;
  view: TicketsView;
  columns: (keyof TicketsItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface TicketsItemDetails {
  item: TicketsItem;
  labels: TicketsItemLabel[];
  history: TicketsItemEvent[];
  tree: TicketsItemNode;
  permissions: TicketsItemPermissions;
  settings?: TicketsItemSettings;
  statistics: TicketsItemStatistics;
  related: SalesItemSummary[];
}

/**
 * A TicketsRecord as it is stored.
 *
 * @table
 */
export interface TicketsRecord extends Timestamps {
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
  status: TicketsRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a TicketsRecord. */
export type TicketsRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateTicketsRecord = Omit<TicketsRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateTicketsRecord = Partial<CreateTicketsRecord>;

/** What lists show. */
export type TicketsRecordSummary = Pick<TicketsRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface TicketsRecordFilter extends Paging {
  status?: TicketsRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface TicketsRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface TicketsRecordEdited {
  kind: "edited";
  at: Date;
  by: TicketsActor;
  before: Partial<TicketsRecordSummary>;
  after: Partial<TicketsRecordSummary>;
}

/** Who said what. */
export interface TicketsRecordCommented {
  kind: "commented";
  at: Date;
  by: TicketsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface TicketsRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a TicketsRecord. */
export type TicketsRecordEvent = TicketsRecordEdited | TicketsRecordCommented | TicketsRecordClosed;

/** What readers may see of it. */
export type TicketsRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A TicketsRecord with the ones below it. */
export interface TicketsRecordNode {
  item: TicketsRecordSummary;
  children: TicketsRecordNode[];
}

/** Counts by state. */
export interface TicketsRecordStatistics {
  byStatus: Record<TicketsRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a TicketsRecord. */
export type TicketsRecordSettings = {
  notify: boolean;
  view: TicketsView;
  columns: (keyof TicketsRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface TicketsRecordDetails {
  item: TicketsRecord;
  labels: TicketsRecordLabel[];
  history: TicketsRecordEvent[];
  tree: TicketsRecordNode;
  permissions: TicketsRecordPermissions;
  settings?: TicketsRecordSettings;
  statistics: TicketsRecordStatistics;
  related: TicketsRecordSummary[];
}

/**
 * A TicketsTopic as it is stored.
 *
 * @table
 */
export interface TicketsTopic extends Timestamps {
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
  status: TicketsTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a TicketsTopic. */
export type TicketsTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateTicketsTopic = Omit<TicketsTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateTicketsTopic = Partial<CreateTicketsTopic>;

/** What lists show. */
export type TicketsTopicSummary = Pick<TicketsTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface TicketsTopicFilter extends Paging {
  status?: TicketsTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface TicketsTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface TicketsTopicEdited {
  kind: "edited";
  at: Date;
  by: TicketsActor;
  before: Partial<TicketsTopicSummary>;
  after: Partial<TicketsTopicSummary>;
}

/** Who said what. */
export interface TicketsTopicCommented {
  kind: "commented";
  at: Date;
  by: TicketsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface TicketsTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a TicketsTopic. */
export type TicketsTopicEvent = TicketsTopicEdited | TicketsTopicCommented | TicketsTopicClosed;

/** What readers may see of it. */
export type TicketsTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A TicketsTopic with the ones below it. */
export interface TicketsTopicNode {
  item: TicketsTopicSummary;
  children: TicketsTopicNode[];
}

/** Counts by state. */
export interface TicketsTopicStatistics {
  byStatus: Record<TicketsTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a TicketsTopic. */
export type TicketsTopicSettings = {
  notify: boolean;
  view: TicketsView;
  columns: (keyof TicketsTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface TicketsTopicDetails {
  item: TicketsTopic;
  labels: TicketsTopicLabel[];
  history: TicketsTopicEvent[];
  tree: TicketsTopicNode;
  permissions: TicketsTopicPermissions;
  settings?: TicketsTopicSettings;
  statistics: TicketsTopicStatistics;
  related: TicketsTopicSummary[];
}

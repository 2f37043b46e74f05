import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { OrdersItemSummary } from "../orders/orders.types.ts";

/** How people are shown. */
export type PeopleView = "list" | "board" | "calendar";

/** Whoever acts in people. */
export interface PeopleActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A PeopleItem as it is stored.
 *
 * @table
 */
export interface PeopleItem extends Timestamps {
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
  status: PeopleItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a PeopleItem. */
export type PeopleItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreatePeopleItem = Omit<PeopleItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdatePeopleItem = Partial<CreatePeopleItem>;

/** What lists show. */
export type PeopleItemSummary = Pick<PeopleItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface PeopleItemFilter extends Paging {
  status?: PeopleItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface PeopleItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface PeopleItemEdited {
  kind: "edited";
  at: Date;
  by: PeopleActor;
  before: Partial<PeopleItemSummary>;
  after: Partial<PeopleItemSummary>;
}

/** Who said what. */
export interface PeopleItemCommented {
  kind: "commented";
  at: Date;
  by: PeopleActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface PeopleItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a PeopleItem. */
export type PeopleItemEvent = PeopleItemEdited | PeopleItemCommented | PeopleItemClosed;

/** What readers may see of it. */
export type PeopleItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A PeopleItem with the ones below it. */
export interface PeopleItemNode {
  item: PeopleItemSummary;
  children: PeopleItemNode[];
}

/** Counts by state. */
export interface PeopleItemStatistics {
  byStatus: Record<PeopleItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a PeopleItem. */
export type PeopleItemSettings = {
  notify: boolean;
  view: PeopleView;
  columns: (keyof PeopleItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface PeopleItemDetails {
  item: PeopleItem;
  labels: PeopleItemLabel[];
  history: PeopleItemEvent[];
  tree: PeopleItemNode;
  permissions: PeopleItemPermissions;
  settings?: PeopleItemSettings;
  statistics: PeopleItemStatistics;
  related: OrdersItemSummary[];
}

/**
 * A PeopleRecord as it is stored.
 *
 * @table
 */
export interface PeopleRecord extends Timestamps {
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
  status: PeopleRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a PeopleRecord. */
export type PeopleRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreatePeopleRecord = Omit<PeopleRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdatePeopleRecord = Partial<CreatePeopleRecord>;

/** What lists show. */
export type PeopleRecordSummary = Pick<PeopleRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface PeopleRecordFilter extends Paging {
  status?: PeopleRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface PeopleRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface PeopleRecordEdited {
  kind: "edited";
  at: Date;
  by: PeopleActor;
  before: Partial<PeopleRecordSummary>;
  after: Partial<PeopleRecordSummary>;
}

/** Who said what. */
export interface PeopleRecordCommented {
  kind: "commented";
  at: Date;
  by: PeopleActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface PeopleRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a PeopleRecord. */
export type PeopleRecordEvent = PeopleRecordEdited | PeopleRecordCommented | PeopleRecordClosed;

/** What readers may see of it. */
export type PeopleRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A PeopleRecord with the ones below it. */
export interface PeopleRecordNode {
  item: PeopleRecordSummary;
  children: PeopleRecordNode[];
}

/** Counts by state. */
export interface PeopleRecordStatistics {
  byStatus: Record<PeopleRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a PeopleRecord. */
export type PeopleRecordSettings = {
  notify: boolean;
  view: PeopleView;
  columns: (keyof PeopleRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface PeopleRecordDetails {
  item: PeopleRecord;
  labels: PeopleRecordLabel[];
  history: PeopleRecordEvent[];
  tree: PeopleRecordNode;
  permissions: PeopleRecordPermissions;
  settings?: PeopleRecordSettings;
  statistics: PeopleRecordStatistics;
  related: PeopleRecordSummary[];
}

/**
 * A PeopleTopic as it is stored.
 *
 * @table
 */
export interface PeopleTopic extends Timestamps {
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
  status: PeopleTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a PeopleTopic. */
export type PeopleTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreatePeopleTopic = Omit<PeopleTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdatePeopleTopic = Partial<CreatePeopleTopic>;

/** What lists show. */
export type PeopleTopicSummary = Pick<PeopleTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface PeopleTopicFilter extends Paging {
  status?: PeopleTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface PeopleTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface PeopleTopicEdited {
  kind: "edited";
  at: Date;
  by: PeopleActor;
  before: Partial<PeopleTopicSummary>;
  after: Partial<PeopleTopicSummary>;
}

/** Who said what. */
export interface PeopleTopicCommented {
  kind: "commented";
  at: Date;
  by: PeopleActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface PeopleTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a PeopleTopic. */
export type PeopleTopicEvent = PeopleTopicEdited | PeopleTopicCommented | PeopleTopicClosed;

/** What readers may see of it. */
export type PeopleTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A PeopleTopic with the ones below it. */
export interface PeopleTopicNode {
  item: PeopleTopicSummary;
  children: PeopleTopicNode[];
}

/** Counts by state. */
export interface PeopleTopicStatistics {
  byStatus: Record<PeopleTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a PeopleTopic. */
export type PeopleTopicSettings = {
  notify: boolean;
  view: PeopleView;
  columns: (keyof PeopleTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface PeopleTopicDetails {
  item: PeopleTopic;
  labels: PeopleTopicLabel[];
  history: PeopleTopicEvent[];
  tree: PeopleTopicNode;
  permissions: PeopleTopicPermissions;
  settings?: PeopleTopicSettings;
  statistics: PeopleTopicStatistics;
  related: PeopleTopicSummary[];
}

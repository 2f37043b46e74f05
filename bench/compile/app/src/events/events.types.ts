import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { DeliveryItemSummary } from "../delivery/delivery.types.ts";

/** How events are shown. */
export type EventsView = "list" | "board" | "calendar";

/** Whoever acts in events. */
export interface EventsActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A EventsItem as it is stored.
 *
 * @table
 */
export interface EventsItem extends Timestamps {
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
  status: EventsItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a EventsItem. */
export type EventsItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateEventsItem = Omit<EventsItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateEventsItem = Partial<CreateEventsItem>;

/** What lists show. */
export type EventsItemSummary = Pick<EventsItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface EventsItemFilter extends Paging {
  status?: EventsItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface EventsItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface EventsItemEdited {
  kind: "edited";
  at: Date;
  by: EventsActor;
  before: Partial<EventsItemSummary>;
  after: Partial<EventsItemSummary>;
}

/** Who said what. */
export interface EventsItemCommented {
  kind: "commented";
  at: Date;
  by: EventsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface EventsItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a EventsItem. */
export type EventsItemEvent = EventsItemEdited | EventsItemCommented | EventsItemClosed;

/** What readers may see of it. */
export type EventsItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A EventsItem with the ones below it. */
export interface EventsItemNode {
  item: EventsItemSummary;
  children: EventsItemNode[];
}

/** Counts by state. */
export interface EventsItemStatistics {
  byStatus: Record<EventsItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a EventsItem. */
export type EventsItemSettings = {
  notify: boolean;
  view: EventsView;
  columns: (keyof EventsItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface EventsItemDetails {
  item: EventsItem;
  labels: EventsItemLabel[];
  history: EventsItemEvent[];
  tree: EventsItemNode;
  permissions: EventsItemPermissions;
  settings?: EventsItemSettings;
  statistics: EventsItemStatistics;
  related: DeliveryItemSummary[];
}

/**
 * A EventsRecord as it is stored.
 *
 * @table
 */
export interface EventsRecord extends Timestamps {
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
  status: EventsRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a EventsRecord. */
export type EventsRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateEventsRecord = Omit<EventsRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateEventsRecord = Partial<CreateEventsRecord>;

/** What lists show. */
export type EventsRecordSummary = Pick<EventsRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface EventsRecordFilter extends Paging {
  status?: EventsRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface EventsRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface EventsRecordEdited {
  kind: "edited";
  at: Date;
  by: EventsActor;
  before: Partial<EventsRecordSummary>;
  after: Partial<EventsRecordSummary>;
}

/** Who said what. */
export interface EventsRecordCommented {
  kind: "commented";
  at: Date;
  by: EventsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface EventsRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a EventsRecord. */
export type EventsRecordEvent = EventsRecordEdited | EventsRecordCommented | EventsRecordClosed;

/** What readers may see of it. */
export type EventsRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A EventsRecord with the ones below it. */
export interface EventsRecordNode {
  item: EventsRecordSummary;
  children: EventsRecordNode[];
}

/** Counts by state. */
export interface EventsRecordStatistics {
  byStatus: Record<EventsRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a EventsRecord. */
export type EventsRecordSettings = {
  notify: boolean;
  view: EventsView;
  columns: (keyof EventsRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface EventsRecordDetails {
  item: EventsRecord;
  labels: EventsRecordLabel[];
  history: EventsRecordEvent[];
  tree: EventsRecordNode;
  permissions: EventsRecordPermissions;
  settings?: EventsRecordSettings;
  statistics: EventsRecordStatistics;
  related: EventsRecordSummary[];
}

/**
 * A EventsTopic as it is stored.
 *
 * @table
 */
export interface EventsTopic extends Timestamps {
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
  status: EventsTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a EventsTopic. */
export type EventsTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateEventsTopic = Omit<EventsTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateEventsTopic = Partial<CreateEventsTopic>;

/** What lists show. */
export type EventsTopicSummary = Pick<EventsTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface EventsTopicFilter extends Paging {
  status?: EventsTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface EventsTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface EventsTopicEdited {
  kind: "edited";
  at: Date;
  by: EventsActor;
  before: Partial<EventsTopicSummary>;
  after: Partial<EventsTopicSummary>;
}

/** Who said what. */
export interface EventsTopicCommented {
  kind: "commented";
  at: Date;
  by: EventsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface EventsTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a EventsTopic. */
export type EventsTopicEvent = EventsTopicEdited | EventsTopicCommented | EventsTopicClosed;

/** What readers may see of it. */
export type EventsTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A EventsTopic with the ones below it. */
export interface EventsTopicNode {
  item: EventsTopicSummary;
  children: EventsTopicNode[];
}

/** Counts by state. */
export interface EventsTopicStatistics {
  byStatus: Record<EventsTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a EventsTopic. */
export type EventsTopicSettings = {
  notify: boolean;
  view: EventsView;
  columns: (keyof EventsTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface EventsTopicDetails {
  item: EventsTopic;
  labels: EventsTopicLabel[];
  history: EventsTopicEvent[];
  tree: EventsTopicNode;
  permissions: EventsTopicPermissions;
  settings?: EventsTopicSettings;
  statistics: EventsTopicStatistics;
  related: EventsTopicSummary[];
}

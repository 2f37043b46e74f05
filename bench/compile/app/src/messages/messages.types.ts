import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { LedgerItemSummary } from "../ledger/ledger.types.ts";

/** How messages are shown. */
export type MessagesView = "list" | "board" | "calendar";

/** Whoever acts in messages. */
export interface MessagesActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A MessagesItem as it is stored.
 *
 * @table
 */
export interface MessagesItem extends Timestamps {
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
  status: MessagesItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a MessagesItem. */
export type MessagesItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateMessagesItem = Omit<MessagesItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateMessagesItem = Partial<CreateMessagesItem>;

/** What lists show. */
export type MessagesItemSummary = Pick<MessagesItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface MessagesItemFilter extends Paging {
  status?: MessagesItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface MessagesItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface MessagesItemEdited {
  kind: "edited";
  at: Date;
  by: MessagesActor;
  before: Partial<MessagesItemSummary>;
  after: Partial<MessagesItemSummary>;
}

/** Who said what. */
export interface MessagesItemCommented {
  kind: "commented";
  at: Date;
  by: MessagesActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface MessagesItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a MessagesItem. */
export type MessagesItemEvent = MessagesItemEdited | MessagesItemCommented | MessagesItemClosed;

/** What readers may see of it. */
export type MessagesItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A MessagesItem with the ones below it. */
export interface MessagesItemNode {
  item: MessagesItemSummary;
  children: MessagesItemNode[];
}

/** Counts by state. */
export interface MessagesItemStatistics {
  byStatus: Record<MessagesItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a MessagesItem. */
export type MessagesItemSettings = {
  notify: boolean;
  view: MessagesView;
  columns: (keyof MessagesItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface MessagesItemDetails {
  item: MessagesItem;
  labels: MessagesItemLabel[];
  history: MessagesItemEvent[];
  tree: MessagesItemNode;
  permissions: MessagesItemPermissions;
  settings?: MessagesItemSettings;
  statistics: MessagesItemStatistics;
  related: LedgerItemSummary[];
}

/**
 * A MessagesRecord as it is stored.
 *
 * @table
 */
export interface MessagesRecord extends Timestamps {
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
  status: MessagesRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a MessagesRecord. */
export type MessagesRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateMessagesRecord = Omit<MessagesRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateMessagesRecord = Partial<CreateMessagesRecord>;

/** What lists show. */
export type MessagesRecordSummary = Pick<MessagesRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface MessagesRecordFilter extends Paging {
  status?: MessagesRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface MessagesRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface MessagesRecordEdited {
  kind: "edited";
  at: Date;
  by: MessagesActor;
  before: Partial<MessagesRecordSummary>;
  after: Partial<MessagesRecordSummary>;
}

/** Who said what. */
export interface MessagesRecordCommented {
  kind: "commented";
  at: Date;
  by: MessagesActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface MessagesRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a MessagesRecord. */
export type MessagesRecordEvent = MessagesRecordEdited | MessagesRecordCommented | MessagesRecordClosed;

/** What readers may see of it. */
export type MessagesRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A MessagesRecord with the ones below it. */
export interface MessagesRecordNode {
  item: MessagesRecordSummary;
  children: MessagesRecordNode[];
}

/** Counts by state. */
export interface MessagesRecordStatistics {
  byStatus: Record<MessagesRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a MessagesRecord. */
export type MessagesRecordSettings = {
  notify: boolean;
  view: MessagesView;
  columns: (keyof MessagesRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface MessagesRecordDetails {
  item: MessagesRecord;
  labels: MessagesRecordLabel[];
  history: MessagesRecordEvent[];
  tree: MessagesRecordNode;
  permissions: MessagesRecordPermissions;
  settings?: MessagesRecordSettings;
  statistics: MessagesRecordStatistics;
  related: MessagesRecordSummary[];
}

/**
 * A MessagesTopic as it is stored.
 *
 * @table
 */
export interface MessagesTopic extends Timestamps {
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
  status: MessagesTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a MessagesTopic. */
export type MessagesTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateMessagesTopic = Omit<MessagesTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateMessagesTopic = Partial<CreateMessagesTopic>;

/** What lists show. */
export type MessagesTopicSummary = Pick<MessagesTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface MessagesTopicFilter extends Paging {
  status?: MessagesTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface MessagesTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface MessagesTopicEdited {
  kind: "edited";
  at: Date;
  by: MessagesActor;
  before: Partial<MessagesTopicSummary>;
  after: Partial<MessagesTopicSummary>;
}

/** Who said what. */
export interface MessagesTopicCommented {
  kind: "commented";
  at: Date;
  by: MessagesActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface MessagesTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a MessagesTopic. */
export type MessagesTopicEvent = MessagesTopicEdited | MessagesTopicCommented | MessagesTopicClosed;

/** What readers may see of it. */
export type MessagesTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A MessagesTopic with the ones below it. */
export interface MessagesTopicNode {
  item: MessagesTopicSummary;
  children: MessagesTopicNode[];
}

/** Counts by state. */
export interface MessagesTopicStatistics {
  byStatus: Record<MessagesTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a MessagesTopic. */
export type MessagesTopicSettings = {
  notify: boolean;
  view: MessagesView;
  columns: (keyof MessagesTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface MessagesTopicDetails {
  item: MessagesTopic;
  labels: MessagesTopicLabel[];
  history: MessagesTopicEvent[];
  tree: MessagesTopicNode;
  permissions: MessagesTopicPermissions;
  settings?: MessagesTopicSettings;
  statistics: MessagesTopicStatistics;
  related: MessagesTopicSummary[];
}

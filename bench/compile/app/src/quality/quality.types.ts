import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { PeopleItemSummary } from "../people/people.types.ts";

/** How quality are shown. */
export type QualityView = "list" | "board" | "calendar";

/** Whoever acts in quality. */
export interface QualityActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A QualityItem as it is stored.
 *
 * @table
 */
export interface QualityItem extends Timestamps {
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
  status: QualityItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a QualityItem. */
export type QualityItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateQualityItem = Omit<QualityItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateQualityItem = Partial<CreateQualityItem>;

/** What lists show. */
export type QualityItemSummary = Pick<QualityItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface QualityItemFilter extends Paging {
  status?: QualityItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface QualityItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface QualityItemEdited {
  kind: "edited";
  at: Date;
  by: QualityActor;
  before: Partial<QualityItemSummary>;
  after: Partial<QualityItemSummary>;
}

/** Who said what. */
export interface QualityItemCommented {
  kind: "commented";
  at: Date;
  by: QualityActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface QualityItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a QualityItem. */
export type QualityItemEvent = QualityItemEdited | QualityItemCommented | QualityItemClosed;

/** What readers may see of it. */
export type QualityItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A QualityItem with the ones below it. */
export interface QualityItemNode {
  item: QualityItemSummary;
  children: QualityItemNode[];
}

/** Counts by state. */
export interface QualityItemStatistics {
  byStatus: Record<QualityItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a QualityItem. */
export type QualityItemSettings = {
  notify: boolean;
  view: QualityView;
  columns: (keyof QualityItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface QualityItemDetails {
  item: QualityItem;
  labels: QualityItemLabel[];
  history: QualityItemEvent[];
  tree: QualityItemNode;
  permissions: QualityItemPermissions;
  settings?: QualityItemSettings;
  statistics: QualityItemStatistics;
  related: PeopleItemSummary[];
}

/**
 * A QualityRecord as it is stored.
 *
 * @table
 */
export interface QualityRecord extends Timestamps {
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
  status: QualityRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a QualityRecord. */
export type QualityRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateQualityRecord = Omit<QualityRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateQualityRecord = Partial<CreateQualityRecord>;

/** What lists show. */
export type QualityRecordSummary = Pick<QualityRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface QualityRecordFilter extends Paging {
  status?: QualityRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface QualityRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface QualityRecordEdited {
  kind: "edited";
  at: Date;
  by: QualityActor;
  before: Partial<QualityRecordSummary>;
  after: Partial<QualityRecordSummary>;
}

/** Who said what. */
export interface QualityRecordCommented {
  kind: "commented";
  at: Date;
  by: QualityActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface QualityRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a QualityRecord. */
export type QualityRecordEvent = QualityRecordEdited | QualityRecordCommented | QualityRecordClosed;

/** What readers may see of it. */
export type QualityRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A QualityRecord with the ones below it. */
export interface QualityRecordNode {
  item: QualityRecordSummary;
  children: QualityRecordNode[];
}

/** Counts by state. */
export interface QualityRecordStatistics {
  byStatus: Record<QualityRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a QualityRecord. */
export type QualityRecordSettings = {
  notify: boolean;
  view: QualityView;
  columns: (keyof QualityRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface QualityRecordDetails {
  item: QualityRecord;
  labels: QualityRecordLabel[];
  history: QualityRecordEvent[];
  tree: QualityRecordNode;
  permissions: QualityRecordPermissions;
  settings?: QualityRecordSettings;
  statistics: QualityRecordStatistics;
  related: QualityRecordSummary[];
}

/**
 * A QualityTopic as it is stored.
 *
 * @table
 */
export interface QualityTopic extends Timestamps {
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
  status: QualityTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a QualityTopic. */
export type QualityTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateQualityTopic = Omit<QualityTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateQualityTopic = Partial<CreateQualityTopic>;

/** What lists show. */
export type QualityTopicSummary = Pick<QualityTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface QualityTopicFilter extends Paging {
  status?: QualityTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface QualityTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface QualityTopicEdited {
  kind: "edited";
  at: Date;
  by: QualityActor;
  before: Partial<QualityTopicSummary>;
  after: Partial<QualityTopicSummary>;
}

/** Who said what. */
export interface QualityTopicCommented {
  kind: "commented";
  at: Date;
  by: QualityActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface QualityTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a QualityTopic. */
export type QualityTopicEvent = QualityTopicEdited | QualityTopicCommented | QualityTopicClosed;

/** What readers may see of it. */
export type QualityTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A QualityTopic with the ones below it. */
export interface QualityTopicNode {
  item: QualityTopicSummary;
  children: QualityTopicNode[];
}

/** Counts by state. */
export interface QualityTopicStatistics {
  byStatus: Record<QualityTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a QualityTopic. */
export type QualityTopicSettings = {
  notify: boolean;
  view: QualityView;
  columns: (keyof QualityTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface QualityTopicDetails {
  item: QualityTopic;
  labels: QualityTopicLabel[];
  history: QualityTopicEvent[];
  tree: QualityTopicNode;
  permissions: QualityTopicPermissions;
  settings?: QualityTopicSettings;
  statistics: QualityTopicStatistics;
  related: QualityTopicSummary[];
}

import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { QualityItemSummary } from "../quality/quality.types.ts";

/** How reviews are shown. */
export type ReviewsView = "list" | "board" | "calendar";

/** Whoever acts in reviews. */
export interface ReviewsActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A ReviewsItem as it is stored.
 *
 * @table
 */
export interface ReviewsItem extends Timestamps {
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
  status: ReviewsItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a ReviewsItem. */
export type ReviewsItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateReviewsItem = Omit<ReviewsItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateReviewsItem = Partial<CreateReviewsItem>;

/** What lists show. */
export type ReviewsItemSummary = Pick<ReviewsItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface ReviewsItemFilter extends Paging {
  status?: ReviewsItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface ReviewsItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface ReviewsItemEdited {
  kind: "edited";
  at: Date;
  by: ReviewsActor;
  before: Partial<ReviewsItemSummary>;
  after: Partial<ReviewsItemSummary>;
}

/** Who said what. */
export interface ReviewsItemCommented {
  kind: "commented";
  at: Date;
  by: ReviewsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface ReviewsItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a ReviewsItem. */
export type ReviewsItemEvent = ReviewsItemEdited | ReviewsItemCommented | ReviewsItemClosed;

/** What readers may see of it. */
export type ReviewsItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A ReviewsItem with the ones below it. */
export interface ReviewsItemNode {
  item: ReviewsItemSummary;
  children: ReviewsItemNode[];
}

/** Counts by state. */
export interface ReviewsItemStatistics {
  byStatus: Record<ReviewsItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a ReviewsItem. */
export type ReviewsItemSettings = {
  notify: boolean;
  view: ReviewsView;
  columns: (keyof ReviewsItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface ReviewsItemDetails {
  item: ReviewsItem;
  labels: ReviewsItemLabel[];
  history: ReviewsItemEvent[];
  tree: ReviewsItemNode;
  permissions: ReviewsItemPermissions;
  settings?: ReviewsItemSettings;
  statistics: ReviewsItemStatistics;
  related: QualityItemSummary[];
}

/**
 * A ReviewsRecord as it is stored.
 *
 * @table
 */
export interface ReviewsRecord extends Timestamps {
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
  status: ReviewsRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a ReviewsRecord. */
export type ReviewsRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateReviewsRecord = Omit<ReviewsRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateReviewsRecord = Partial<CreateReviewsRecord>;

/** What lists show. */
export type ReviewsRecordSummary = Pick<ReviewsRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface ReviewsRecordFilter extends Paging {
  status?: ReviewsRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface ReviewsRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface ReviewsRecordEdited {
  kind: "edited";
  at: Date;
  by: ReviewsActor;
  before: Partial<ReviewsRecordSummary>;
  after: Partial<ReviewsRecordSummary>;
}

/** Who said what. */
export interface ReviewsRecordCommented {
  kind: "commented";
  at: Date;
  by: ReviewsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface ReviewsRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a ReviewsRecord. */
export type ReviewsRecordEvent = ReviewsRecordEdited | ReviewsRecordCommented | ReviewsRecordClosed;

/** What readers may see of it. */
export type ReviewsRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A ReviewsRecord with the ones below it. */
export interface ReviewsRecordNode {
  item: ReviewsRecordSummary;
  children: ReviewsRecordNode[];
}

/** Counts by state. */
export interface ReviewsRecordStatistics {
  byStatus: Record<ReviewsRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a ReviewsRecord. */
export type ReviewsRecordSettings = {
  notify: boolean;
  view: ReviewsView;
  columns: (keyof ReviewsRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface ReviewsRecordDetails {
  item: ReviewsRecord;
  labels: ReviewsRecordLabel[];
  history: ReviewsRecordEvent[];
  tree: ReviewsRecordNode;
  permissions: ReviewsRecordPermissions;
  settings?: ReviewsRecordSettings;
  statistics: ReviewsRecordStatistics;
  related: ReviewsRecordSummary[];
}

/**
 * A ReviewsTopic as it is stored.
 *
 * @table
 */
export interface ReviewsTopic extends Timestamps {
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
  status: ReviewsTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a ReviewsTopic. */
export type ReviewsTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateReviewsTopic = Omit<ReviewsTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateReviewsTopic = Partial<CreateReviewsTopic>;

/** What lists show. */
export type ReviewsTopicSummary = Pick<ReviewsTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface ReviewsTopicFilter extends Paging {
  status?: ReviewsTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface ReviewsTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface ReviewsTopicEdited {
  kind: "edited";
  at: Date;
  by: ReviewsActor;
  before: Partial<ReviewsTopicSummary>;
  after: Partial<ReviewsTopicSummary>;
}

/** Who said what. */
export interface ReviewsTopicCommented {
  kind: "commented";
  at: Date;
  by: ReviewsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface ReviewsTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a ReviewsTopic. */
export type ReviewsTopicEvent = ReviewsTopicEdited | ReviewsTopicCommented | ReviewsTopicClosed;

/** What readers may see of it. */
export type ReviewsTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A ReviewsTopic with the ones below it. */
export interface ReviewsTopicNode {
  item: ReviewsTopicSummary;
  children: ReviewsTopicNode[];
}

/** Counts by state. */
export interface ReviewsTopicStatistics {
  byStatus: Record<ReviewsTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a ReviewsTopic. */
export type ReviewsTopicSettings = {
  notify: boolean;
  view: ReviewsView;
  columns: (keyof ReviewsTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface ReviewsTopicDetails {
  item: ReviewsTopic;
  labels: ReviewsTopicLabel[];
  history: ReviewsTopicEvent[];
  tree: ReviewsTopicNode;
  permissions: ReviewsTopicPermissions;
  settings?: ReviewsTopicSettings;
  statistics: ReviewsTopicStatistics;
  related: ReviewsTopicSummary[];
}

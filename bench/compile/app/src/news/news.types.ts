import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { MessagesItemSummary } from "../messages/messages.types.ts";

/** How news are shown. */
export type NewsView = "list" | "board" | "calendar";

/** Whoever acts in news. */
export interface NewsActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A NewsItem as it is stored.
 *
 * @table
 */
export interface NewsItem extends Timestamps {
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
  status: NewsItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a NewsItem. */
export type NewsItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateNewsItem = Omit<NewsItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateNewsItem = Partial<CreateNewsItem>;

/** What lists show. */
export type NewsItemSummary = Pick<NewsItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface NewsItemFilter extends Paging {
  status?: NewsItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface NewsItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface NewsItemEdited {
  kind: "edited";
  at: Date;
  by: NewsActor;
  before: Partial<NewsItemSummary>;
  after: Partial<NewsItemSummary>;
}

/** Who said what. */
export interface NewsItemCommented {
  kind: "commented";
  at: Date;
  by: NewsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface NewsItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a NewsItem. */
export type NewsItemEvent = NewsItemEdited | NewsItemCommented | NewsItemClosed;

/** What readers may see of it. */
export type NewsItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A NewsItem with the ones below it. */
export interface NewsItemNode {
  item: NewsItemSummary;
  children: NewsItemNode[];
}

/** Counts by state. */
export interface NewsItemStatistics {
  byStatus: Record<NewsItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a NewsItem. */
export type NewsItemSettings = {
  notify: boolean;
  view: NewsView;
  columns: (keyof NewsItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface NewsItemDetails {
  item: NewsItem;
  labels: NewsItemLabel[];
  history: NewsItemEvent[];
  tree: NewsItemNode;
  permissions: NewsItemPermissions;
  settings?: NewsItemSettings;
  statistics: NewsItemStatistics;
  related: MessagesItemSummary[];
}

/**
 * A NewsRecord as it is stored.
 *
 * @table
 */
export interface NewsRecord extends Timestamps {
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
  status: NewsRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a NewsRecord. */
export type NewsRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateNewsRecord = Omit<NewsRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateNewsRecord = Partial<CreateNewsRecord>;

/** What lists show. */
export type NewsRecordSummary = Pick<NewsRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface NewsRecordFilter extends Paging {
  status?: NewsRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface NewsRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface NewsRecordEdited {
  kind: "edited";
  at: Date;
  by: NewsActor;
  before: Partial<NewsRecordSummary>;
  after: Partial<NewsRecordSummary>;
}

/** Who said what. */
export interface NewsRecordCommented {
  kind: "commented";
  at: Date;
  by: NewsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface NewsRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a NewsRecord. */
export type NewsRecordEvent = NewsRecordEdited | NewsRecordCommented | NewsRecordClosed;

/** What readers may see of it. */
export type NewsRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A NewsRecord with the ones below it. */
export interface NewsRecordNode {
  item: NewsRecordSummary;
  children: NewsRecordNode[];
}

/** Counts by state. */
export interface NewsRecordStatistics {
  byStatus: Record<NewsRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a NewsRecord. */
export type NewsRecordSettings = {
  notify: boolean;
  view: NewsView;
  columns: (keyof NewsRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface NewsRecordDetails {
  item: NewsRecord;
  labels: NewsRecordLabel[];
  history: NewsRecordEvent[];
  tree: NewsRecordNode;
  permissions: NewsRecordPermissions;
  settings?: NewsRecordSettings;
  statistics: NewsRecordStatistics;
  related: NewsRecordSummary[];
}

/**
 * A NewsTopic as it is stored.
 *
 * @table
 */
export interface NewsTopic extends Timestamps {
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
  status: NewsTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a NewsTopic. */
export type NewsTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateNewsTopic = Omit<NewsTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateNewsTopic = Partial<CreateNewsTopic>;

/** What lists show. */
export type NewsTopicSummary = Pick<NewsTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface NewsTopicFilter extends Paging {
  status?: NewsTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface NewsTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface NewsTopicEdited {
  kind: "edited";
  at: Date;
  by: NewsActor;
  before: Partial<NewsTopicSummary>;
  after: Partial<NewsTopicSummary>;
}

/** Who said what. */
export interface NewsTopicCommented {
  kind: "commented";
  at: Date;
  by: NewsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface NewsTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a NewsTopic. */
export type NewsTopicEvent = NewsTopicEdited | NewsTopicCommented | NewsTopicClosed;

/** What readers may see of it. */
export type NewsTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A NewsTopic with the ones below it. */
export interface NewsTopicNode {
  item: NewsTopicSummary;
  children: NewsTopicNode[];
}

/** Counts by state. */
export interface NewsTopicStatistics {
  byStatus: Record<NewsTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a NewsTopic. */
export type NewsTopicSettings = {
  notify: boolean;
  view: NewsView;
  columns: (keyof NewsTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface NewsTopicDetails {
  item: NewsTopic;
  labels: NewsTopicLabel[];
  history: NewsTopicEvent[];
  tree: NewsTopicNode;
  permissions: NewsTopicPermissions;
  settings?: NewsTopicSettings;
  statistics: NewsTopicStatistics;
  related: NewsTopicSummary[];
}

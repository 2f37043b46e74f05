import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { EventsItemSummary } from "../events/events.types.ts";

/** How files are shown. */
export type FilesView = "list" | "board" | "calendar";

/** Whoever acts in files. */
export interface FilesActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A FilesItem as it is stored.
 *
 * @table
 */
export interface FilesItem extends Timestamps {
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
  status: FilesItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a FilesItem. */
export type FilesItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateFilesItem = Omit<FilesItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateFilesItem = Partial<CreateFilesItem>;

/** What lists show. */
export type FilesItemSummary = Pick<FilesItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface FilesItemFilter extends Paging {
  status?: FilesItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface FilesItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface FilesItemEdited {
  kind: "edited";
  at: Date;
  by: FilesActor;
  before: Partial<FilesItemSummary>;
  after: Partial<FilesItemSummary>;
}

/** Who said what. */
export interface FilesItemCommented {
  kind: "commented";
  at: Date;
  by: FilesActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface FilesItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a FilesItem. */
export type FilesItemEvent = FilesItemEdited | FilesItemCommented | FilesItemClosed;

/** What readers may see of it. */
export type FilesItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A FilesItem with the ones below it. */
export interface FilesItemNode {
  item: FilesItemSummary;
  children: FilesItemNode[];
}

/** Counts by state. */
export interface FilesItemStatistics {
  byStatus: Record<FilesItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a FilesItem. */
export type FilesItemSettings = {
  notify: boolean;
  view: FilesView;
  columns: (keyof FilesItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface FilesItemDetails {
  item: FilesItem;
  labels: FilesItemLabel[];
  history: FilesItemEvent[];
  tree: FilesItemNode;
  permissions: FilesItemPermissions;
  settings?: FilesItemSettings;
  statistics: FilesItemStatistics;
  related: EventsItemSummary[];
}

/**
 * A FilesRecord as it is stored.
 *
 * @table
 */
export interface FilesRecord extends Timestamps {
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
  status: FilesRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a FilesRecord. */
export type FilesRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateFilesRecord = Omit<FilesRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateFilesRecord = Partial<CreateFilesRecord>;

/** What lists show. */
export type FilesRecordSummary = Pick<FilesRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface FilesRecordFilter extends Paging {
  status?: FilesRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface FilesRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface FilesRecordEdited {
  kind: "edited";
  at: Date;
  by: FilesActor;
  before: Partial<FilesRecordSummary>;
  after: Partial<FilesRecordSummary>;
}

/** Who said what. */
export interface FilesRecordCommented {
  kind: "commented";
  at: Date;
  by: FilesActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface FilesRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a FilesRecord. */
export type FilesRecordEvent = FilesRecordEdited | FilesRecordCommented | FilesRecordClosed;

/** What readers may see of it. */
export type FilesRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A FilesRecord with the ones below it. */
export interface FilesRecordNode {
  item: FilesRecordSummary;
  children: FilesRecordNode[];
}

/** Counts by state. */
export interface FilesRecordStatistics {
  byStatus: Record<FilesRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a FilesRecord. */
export type FilesRecordSettings = {
  notify: boolean;
  view: FilesView;
  columns: (keyof FilesRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface FilesRecordDetails {
  item: FilesRecord;
  labels: FilesRecordLabel[];
  history: FilesRecordEvent[];
  tree: FilesRecordNode;
  permissions: FilesRecordPermissions;
  settings?: FilesRecordSettings;
  statistics: FilesRecordStatistics;
  related: FilesRecordSummary[];
}

/**
 * A FilesTopic as it is stored.
 *
 * @table
 */
export interface FilesTopic extends Timestamps {
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
  status: FilesTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a FilesTopic. */
export type FilesTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateFilesTopic = Omit<FilesTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateFilesTopic = Partial<CreateFilesTopic>;

/** What lists show. */
export type FilesTopicSummary = Pick<FilesTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface FilesTopicFilter extends Paging {
  status?: FilesTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface FilesTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface FilesTopicEdited {
  kind: "edited";
  at: Date;
  by: FilesActor;
  before: Partial<FilesTopicSummary>;
  after: Partial<FilesTopicSummary>;
}

/** Who said what. */
export interface FilesTopicCommented {
  kind: "commented";
  at: Date;
  by: FilesActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface FilesTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a FilesTopic. */
export type FilesTopicEvent = FilesTopicEdited | FilesTopicCommented | FilesTopicClosed;

/** What readers may see of it. */
export type FilesTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A FilesTopic with the ones below it. */
export interface FilesTopicNode {
  item: FilesTopicSummary;
  children: FilesTopicNode[];
}

/** Counts by state. */
export interface FilesTopicStatistics {
  byStatus: Record<FilesTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a FilesTopic. */
export type FilesTopicSettings = {
  notify: boolean;
  view: FilesView;
  columns: (keyof FilesTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface FilesTopicDetails {
  item: FilesTopic;
  labels: FilesTopicLabel[];
  history: FilesTopicEvent[];
  tree: FilesTopicNode;
  permissions: FilesTopicPermissions;
  settings?: FilesTopicSettings;
  statistics: FilesTopicStatistics;
  related: FilesTopicSummary[];
}

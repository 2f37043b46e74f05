import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { FilesItemSummary } from "../files/files.types.ts";

/** How groups are shown. */
export type GroupsView = "list" | "board" | "calendar";

/** Whoever acts in groups. */
export interface GroupsActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A GroupsItem as it is stored.
 *
 * @table
 */
export interface GroupsItem extends Timestamps {
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
  status: GroupsItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a GroupsItem. */
export type GroupsItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateGroupsItem = Omit<GroupsItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateGroupsItem = Partial<CreateGroupsItem>;

/** What lists show. */
export type GroupsItemSummary = Pick<GroupsItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface GroupsItemFilter extends Paging {
  status?: GroupsItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface GroupsItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface GroupsItemEdited {
  kind: "edited";
  at: Date;
  by: GroupsActor;
  before: Partial<GroupsItemSummary>;
  after: Partial<GroupsItemSummary>;
}

/** Who said what. */
export interface GroupsItemCommented {
  kind: "commented";
  at: Date;
  by: GroupsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface GroupsItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a GroupsItem. */
export type GroupsItemEvent = GroupsItemEdited | GroupsItemCommented | GroupsItemClosed;

/** What readers may see of it. */
export type GroupsItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A GroupsItem with the ones below it. */
export interface GroupsItemNode {
  item: GroupsItemSummary;
  children: GroupsItemNode[];
}

/** Counts by state. */
export interface GroupsItemStatistics {
  byStatus: Record<GroupsItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a GroupsItem. */
export type GroupsItemSettings = {
  notify: boolean;
  view: GroupsView;
  columns: (keyof GroupsItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface GroupsItemDetails {
  item: GroupsItem;
  labels: GroupsItemLabel[];
  history: GroupsItemEvent[];
  tree: GroupsItemNode;
  permissions: GroupsItemPermissions;
  settings?: GroupsItemSettings;
  statistics: GroupsItemStatistics;
  related: FilesItemSummary[];
}

/**
 * A GroupsRecord as it is stored.
 *
 * @table
 */
export interface GroupsRecord extends Timestamps {
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
  status: GroupsRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a GroupsRecord. */
export type GroupsRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateGroupsRecord = Omit<GroupsRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateGroupsRecord = Partial<CreateGroupsRecord>;

/** What lists show. */
export type GroupsRecordSummary = Pick<GroupsRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface GroupsRecordFilter extends Paging {
  status?: GroupsRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface GroupsRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface GroupsRecordEdited {
  kind: "edited";
  at: Date;
  by: GroupsActor;
  before: Partial<GroupsRecordSummary>;
  after: Partial<GroupsRecordSummary>;
}

/** Who said what. */
export interface GroupsRecordCommented {
  kind: "commented";
  at: Date;
  by: GroupsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface GroupsRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a GroupsRecord. */
export type GroupsRecordEvent = GroupsRecordEdited | GroupsRecordCommented | GroupsRecordClosed;

/** What readers may see of it. */
export type GroupsRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A GroupsRecord with the ones below it. */
export interface GroupsRecordNode {
  item: GroupsRecordSummary;
  children: GroupsRecordNode[];
}

/** Counts by state. */
export interface GroupsRecordStatistics {
  byStatus: Record<GroupsRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a GroupsRecord. */
export type GroupsRecordSettings = {
  notify: boolean;
  view: GroupsView;
  columns: (keyof GroupsRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface GroupsRecordDetails {
  item: GroupsRecord;
  labels: GroupsRecordLabel[];
  history: GroupsRecordEvent[];
  tree: GroupsRecordNode;
  permissions: GroupsRecordPermissions;
  settings?: GroupsRecordSettings;
  statistics: GroupsRecordStatistics;
  related: GroupsRecordSummary[];
}

/**
 * A GroupsTopic as it is stored.
 *
 * @table
 */
export interface GroupsTopic extends Timestamps {
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
  status: GroupsTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a GroupsTopic. */
export type GroupsTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateGroupsTopic = Omit<GroupsTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateGroupsTopic = Partial<CreateGroupsTopic>;

/** What lists show. */
export type GroupsTopicSummary = Pick<GroupsTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface GroupsTopicFilter extends Paging {
  status?: GroupsTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface GroupsTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface GroupsTopicEdited {
  kind: "edited";
  at: Date;
  by: GroupsActor;
  before: Partial<GroupsTopicSummary>;
  after: Partial<GroupsTopicSummary>;
}

/** Who said what. */
export interface GroupsTopicCommented {
  kind: "commented";
  at: Date;
  by: GroupsActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface GroupsTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a GroupsTopic. */
export type GroupsTopicEvent = GroupsTopicEdited | GroupsTopicCommented | GroupsTopicClosed;

/** What readers may see of it. */
export type GroupsTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A GroupsTopic with the ones below it. */
export interface GroupsTopicNode {
  item: GroupsTopicSummary;
  children: GroupsTopicNode[];
}

/** Counts by state. */
export interface GroupsTopicStatistics {
  byStatus: Record<GroupsTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a GroupsTopic. */
export type GroupsTopicSettings = {
  notify: boolean;
  view: GroupsView;
  columns: (keyof GroupsTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface GroupsTopicDetails {
  item: GroupsTopic;
  labels: GroupsTopicLabel[];
  history: GroupsTopicEvent[];
  tree: GroupsTopicNode;
  permissions: GroupsTopicPermissions;
  settings?: GroupsTopicSettings;
  statistics: GroupsTopicStatistics;
  related: GroupsTopicSummary[];
}

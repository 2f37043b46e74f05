import type { Paging, Timestamps } from "../shared/common.types.ts";
import type { GroupsItemSummary } from "../groups/groups.types.ts";

/** How help are shown. */
export type HelpView = "list" | "board" | "calendar";

/** Whoever acts in help. */
export interface HelpActor {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  roles: ("owner" | "editor" | "reader")[];
}

/**
 * A HelpItem as it is stored.
 *
 * @table
 */
export interface HelpItem extends Timestamps {
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
  status: HelpItemStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a HelpItem. */
export type HelpItemStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateHelpItem = Omit<HelpItem, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateHelpItem = Partial<CreateHelpItem>;

/** What lists show. */
export type HelpItemSummary = Pick<HelpItem, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface HelpItemFilter extends Paging {
  status?: HelpItemStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface HelpItemLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface HelpItemEdited {
  kind: "edited";
  at: Date;
  by: HelpActor;
  before: Partial<HelpItemSummary>;
  after: Partial<HelpItemSummary>;
}

/** Who said what. */
export interface HelpItemCommented {
  kind: "commented";
  at: Date;
  by: HelpActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface HelpItemClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a HelpItem. */
export type HelpItemEvent = HelpItemEdited | HelpItemCommented | HelpItemClosed;

/** What readers may see of it. */
export type HelpItemPermissions = Record<"read" | "write" | "share", boolean>;

/** A HelpItem with the ones below it. */
export interface HelpItemNode {
  item: HelpItemSummary;
  children: HelpItemNode[];
}

/** Counts by state. */
export interface HelpItemStatistics {
  byStatus: Record<HelpItemStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a HelpItem. */
export type HelpItemSettings = {
  notify: boolean;
  view: HelpView;
  columns: (keyof HelpItemSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface HelpItemDetails {
  item: HelpItem;
  labels: HelpItemLabel[];
  history: HelpItemEvent[];
  tree: HelpItemNode;
  permissions: HelpItemPermissions;
  settings?: HelpItemSettings;
  statistics: HelpItemStatistics;
  related: GroupsItemSummary[];
}

/**
 * A HelpRecord as it is stored.
 *
 * @table
 */
export interface HelpRecord extends Timestamps {
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
  status: HelpRecordStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a HelpRecord. */
export type HelpRecordStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateHelpRecord = Omit<HelpRecord, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateHelpRecord = Partial<CreateHelpRecord>;

/** What lists show. */
export type HelpRecordSummary = Pick<HelpRecord, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface HelpRecordFilter extends Paging {
  status?: HelpRecordStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface HelpRecordLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface HelpRecordEdited {
  kind: "edited";
  at: Date;
  by: HelpActor;
  before: Partial<HelpRecordSummary>;
  after: Partial<HelpRecordSummary>;
}

/** Who said what. */
export interface HelpRecordCommented {
  kind: "commented";
  at: Date;
  by: HelpActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface HelpRecordClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a HelpRecord. */
export type HelpRecordEvent = HelpRecordEdited | HelpRecordCommented | HelpRecordClosed;

/** What readers may see of it. */
export type HelpRecordPermissions = Record<"read" | "write" | "share", boolean>;

/** A HelpRecord with the ones below it. */
export interface HelpRecordNode {
  item: HelpRecordSummary;
  children: HelpRecordNode[];
}

/** Counts by state. */
export interface HelpRecordStatistics {
  byStatus: Record<HelpRecordStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a HelpRecord. */
export type HelpRecordSettings = {
  notify: boolean;
  view: HelpView;
  columns: (keyof HelpRecordSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface HelpRecordDetails {
  item: HelpRecord;
  labels: HelpRecordLabel[];
  history: HelpRecordEvent[];
  tree: HelpRecordNode;
  permissions: HelpRecordPermissions;
  settings?: HelpRecordSettings;
  statistics: HelpRecordStatistics;
  related: HelpRecordSummary[];
}

/**
 * A HelpTopic as it is stored.
 *
 * @table
 */
export interface HelpTopic extends Timestamps {
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
  status: HelpTopicStatus;
  /** @default false */
  archived: boolean;
  /** @pattern ^[a-z][a-z0-9-]*$ */
  slug: string;
  summary: string | null;
}

/** The states of a HelpTopic. */
export type HelpTopicStatus = "draft" | "active" | "suspended" | "closed";

/** What a client sends to make one. */
export type CreateHelpTopic = Omit<HelpTopic, "id" | "createdAt" | "updatedAt">;

/** What a client sends to change one. */
export type UpdateHelpTopic = Partial<CreateHelpTopic>;

/** What lists show. */
export type HelpTopicSummary = Pick<HelpTopic, "id" | "title" | "status" | "createdAt">;

/** What lists are filtered by. */
export interface HelpTopicFilter extends Paging {
  status?: HelpTopicStatus;
  archived?: boolean;
  /** @maxLength 100 */
  search?: string;
}

/** A label. */
export interface HelpTopicLabel {
  /** @maxLength 40 */
  text: string;
  color: `#${string}`;
}

/** What changed. */
export interface HelpTopicEdited {
  kind: "edited";
  at: Date;
  by: HelpActor;
  before: Partial<HelpTopicSummary>;
  after: Partial<HelpTopicSummary>;
}

/** Who said what. */
export interface HelpTopicCommented {
  kind: "commented";
  at: Date;
  by: HelpActor;
  /**
   * @minLength 1
   * @maxLength 2000
   */
  text: string;
}

/** Why it was closed. */
export interface HelpTopicClosed {
  kind: "closed";
  at: Date;
  reason: "done" | "duplicate" | "rejected";
}

/** What happened to a HelpTopic. */
export type HelpTopicEvent = HelpTopicEdited | HelpTopicCommented | HelpTopicClosed;

/** What readers may see of it. */
export type HelpTopicPermissions = Record<"read" | "write" | "share", boolean>;

/** A HelpTopic with the ones below it. */
export interface HelpTopicNode {
  item: HelpTopicSummary;
  children: HelpTopicNode[];
}

/** Counts by state. */
export interface HelpTopicStatistics {
  byStatus: Record<HelpTopicStatus, number>;
  range: [from: Date, to: Date];
  total: bigint;
}

/** Settings of a HelpTopic. */
export type HelpTopicSettings = {
  notify: boolean;
  view: HelpView;
  columns: (keyof HelpTopicSummary)[];
} & { locale: string; extra: Record<string, string> };

/** All there is to show. */
export interface HelpTopicDetails {
  item: HelpTopic;
  labels: HelpTopicLabel[];
  history: HelpTopicEvent[];
  tree: HelpTopicNode;
  permissions: HelpTopicPermissions;
  settings?: HelpTopicSettings;
  statistics: HelpTopicStatistics;
  related: HelpTopicSummary[];
}

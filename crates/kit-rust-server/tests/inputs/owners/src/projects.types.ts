/** Names a row. @format uuid */
export type Uuid = string;

/** Page of a list. */
export interface Paging {
  /** @integer @minimum 1 */
  page?: number;
  /** @integer @minimum 1 @maximum 100 */
  pageSize?: number;
}

export type Direction = "asc" | "desc";

/** Order of a list of projects. */
export interface ProjectOrder {
  sort?: "name" | "createdAt";
  order?: Direction;
}

/** One page of a list. */
export interface Page<T> {
  data: T[];
  pagination: { total: number; page: number; pageSize: number; totalPages: number };
}

/**
 * Work of one user.
 *
 * @table projects
 * @owner ownerId = ctx.user.id
 */
export interface Project {
  /** @id @generated uuid */
  id: string;
  /** @minLength 1 @maxLength 80 */
  name: string;
  /** @maxLength 40 */
  ownerId: string;
  /** @generated now */
  createdAt: Date;
}

export type CreateProject = Omit<Project, "id" | "ownerId" | "createdAt">;

/**
 * A part of the work. Its bodies name the user, as some clients do.
 *
 * @table tasks @owner userId = ctx.user.id
 */
export interface Task {
  /** @id @generated uuid */
  id: string;
  /** @minLength 1 @maxLength 200 */
  title: string;
  /** @default false */
  done: boolean;
  /** @maxLength 40 */
  userId: string;
  /** @references Project.id cascade */
  projectId: Uuid;
  /** @references Task.id set null */
  parentId?: Uuid | null;
  /** @generated now */
  createdAt: Date;
}

export type CreateTask = Omit<Task, "id" | "createdAt">;
export type UpdateTask = Partial<CreateTask>;
/** A task in the path below its project. */
export interface TaskOfProject {
  projectId: Uuid;
  id: Uuid;
}

export type TaskTitle = Pick<Task, "id" | "title">;

/** A setting of a user, whose key has the user in it. @table settings @owner userId = ctx.user.id */
export interface Setting {
  /** @id @maxLength 40 */
  userId: string;
  /** @id @maxLength 40 */
  name: string;
  value: string;
}

/** A label of an account, which has a number. @table labels @owner accountId = ctx.accountId */
export interface Label {
  /** @id @generated @integer */
  id: number;
  /** @integer */
  accountId: number;
  /** @maxLength 40 */
  text: string;
}

/** A file of a tenant, whom a uuid names; nobody's before it is claimed. @table uploads @owner tenantId = ctx.tenantId */
export interface Upload {
  /** @id @generated */
  id: bigint;
  /** @format uuid */
  tenantId: string | null;
  name: string;
}

/** Nobody has said whose these are. @table drafts */
export interface Draft {
  /** @id @generated uuid */
  id: string;
  text: string;
}

/** Rows that all users share. @table countries @owner none */
export interface Country {
  /** @id @maxLength 2 */
  code: string;
  name: string;
}

/** Rows that all users share, about a row that belongs to one. @table remarks @owner none */
export interface Remark {
  /** @id @generated uuid */
  id: string;
  text: string;
  /** @references Task.id cascade */
  taskId: Uuid;
}

/** A shelf of a user, in a room. @table shelves @owner userId = ctx.user.id */
export interface Shelf {
  /** @id @maxLength 40 */
  room: string;
  /** @id @storedAs smallint */
  number: number;
  /** @maxLength 40 */
  userId: string;
}

/**
 * A book of a user. Its shelf has a key with two properties, which do not contain the user.
 *
 * @table books
 * @owner userId = ctx.user.id
 * @references (room, shelf) Shelf (room, number)
 * @index none (room, shelf)
 */
export interface Book {
  /** @id @generated uuid */
  id: string;
  title: string;
  /** @maxLength 40 */
  userId: string;
  room?: Shelf["room"];
  /** @storedAs smallint */
  shelf?: Shelf["number"];
  /** @storedAs array @default [] @index using gin */
  tags: string[];
  /** @storedAs array @default [] */
  pages: bigint[];
  /** @generated now */
  createdAt: Date;
}

/** Time until a client may try again. */
export interface Wait {
  /** @integer @minimum 1 @maximum 3600 */
  seconds: number;
}

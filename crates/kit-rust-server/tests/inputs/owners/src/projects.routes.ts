import type { Cursor, CursorQuery, RouteContract } from "@kit/types";
import type {
  Book,
  Country,
  CreateProject,
  CreateTask,
  Direction,
  Draft,
  Label,
  Page,
  Paging,
  Project,
  ProjectOrder,
  Remark,
  Setting,
  Shelf,
  Task,
  TaskOfProject,
  TaskTitle,
  UpdateTask,
  Upload,
  Uuid,
} from "./projects.types.ts";

export interface ProjectRoutes {
  "POST /projects": RouteContract<void, void, CreateProject, Project>;
  "GET /projects": RouteContract<void, Paging & ProjectOrder, void, Page<Project>>;
  /** @throws PROJECT_NOT_FOUND 404 There is no such project. */
  "GET /projects/:id": RouteContract<{ id: Uuid }, void, void, Project>;
  "PATCH /projects/:id": RouteContract<{ id: Uuid }, void, Partial<CreateProject>, Project>;
  "DELETE /projects/:id": RouteContract<{ id: Uuid }, void, void, void>;
  "GET /projects/:projectId/tasks": RouteContract<{ projectId: Uuid }, void, void, Task[]>;
  "GET /projects/:projectId/tasks/:id": RouteContract<TaskOfProject, void, void, Task>;
  "PATCH /projects/:projectId/tasks/:id": RouteContract<TaskOfProject, void, { title?: string }, Task>;
  "DELETE /projects/:projectId/tasks/:id": RouteContract<TaskOfProject, void, void, void>;
  "GET /tasks/:parentId/tasks/:taskId": RouteContract<{ parentId: Uuid; taskId: Uuid }, void, void, Task>;
}

export interface TaskRoutes {
  /**
   * @throws PROJECT_NOT_FOUND 404 There is no such project.
   * @throws TASK_OF_ANOTHER_USER 403 Users make tasks for themselves.
   */
  "POST /tasks": RouteContract<void, void, CreateTask, Task>;
  "GET /tasks": RouteContract<void, Paging & { done?: boolean; userId?: string }, void, Page<TaskTitle>>;
  "GET /newest/tasks": RouteContract<void, CursorQuery & { done?: boolean }, void, Cursor<TaskTitle>>;
  "GET /tasks/:id": RouteContract<{ id: Uuid }, void, void, Task>;
  "PUT /tasks/:id": RouteContract<{ id: Uuid }, void, UpdateTask, Task>;
  "DELETE /tasks/:id": RouteContract<{ id: Uuid }, void, void, void>;
}

export interface SettingRoutes {
  "POST /settings/:userId": RouteContract<{ userId: string }, void, Omit<Setting, "userId">, Setting>;
  "GET /settings/:userId/:name": RouteContract<{ userId: string; name: string }, void, void, Setting>;
  "PUT /settings/:userId/:name": RouteContract<
    { userId: string; name: string },
    void,
    { value: string },
    Setting
  >;
  "DELETE /settings/:userId/:name": RouteContract<{ userId: string; name: string }, void, void, void>;
}

export interface AccountRoutes {
  "POST /labels": RouteContract<void, void, Omit<Label, "id">, Label>;
  "GET /labels": RouteContract<void, { order?: Direction }, void, Label[]>;
  "DELETE /labels/:id": RouteContract<{ /** @integer */ id: number }, void, void, void>;
  "GET /labels/sorted": RouteContract<void, { sort: "text" | "id" }, void, Label[]>;
  "POST /uploads": RouteContract<void, void, Omit<Upload, "id">, Upload>;
  "GET /uploads": RouteContract<void, void, void, Upload[]>;
  "PUT /uploads/:id": RouteContract<{ id: bigint }, void, Partial<Omit<Upload, "id">>, Upload>;
}

export interface LibraryRoutes {
  "POST /shelves": RouteContract<void, void, Shelf, Shelf>;
  "POST /books": RouteContract<void, void, Omit<Book, "id" | "createdAt">, Book>;
  "GET /books": RouteContract<void, { tags?: string[]; pages?: bigint[] }, void, Book[]>;
  "GET /newest/books": RouteContract<void, CursorQuery & { tags?: string[] }, void, Cursor<Book>>;
  "GET /books/:id": RouteContract<{ id: Uuid }, void, void, Book>;
  "PUT /books/:id": RouteContract<{ id: Uuid }, void, Partial<Omit<Book, "id" | "createdAt">>, Book>;
}

/** Behind middleware, about rows of nobody in particular. */
export interface SharedRoutes {
  "POST /drafts": RouteContract<void, void, Omit<Draft, "id">, Draft>;
  "GET /drafts": RouteContract<void, void, void, Draft[]>;
  "GET /drafts/:id": RouteContract<{ id: Uuid }, void, void, Draft>;
  "POST /countries": RouteContract<void, void, Country, Country>;
  "GET /countries": RouteContract<void, void, void, Country[]>;
  "GET /countries/pages": RouteContract<void, CursorQuery & { name?: string }, void, Cursor<Country>>;
  "POST /remarks": RouteContract<void, void, Omit<Remark, "id">, Remark>;
}

/** Without middleware, so that nobody knows who asks. */
export interface PublicRoutes {
  "GET /open/projects/:id": RouteContract<{ id: Uuid }, void, void, Project>;
  "GET /open/drafts": RouteContract<void, void, void, Draft[]>;
  "POST /open/remarks": RouteContract<void, void, Omit<Remark, "id">, Remark>;
}

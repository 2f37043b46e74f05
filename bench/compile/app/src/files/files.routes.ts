import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  FilesItem,
  CreateFilesItem,
  UpdateFilesItem,
  FilesItemDetails,
  FilesItemFilter,
  FilesItemSummary,
  FilesRecord,
  CreateFilesRecord,
  UpdateFilesRecord,
  FilesRecordDetails,
  FilesRecordFilter,
  FilesRecordSummary,
  FilesTopic,
  CreateFilesTopic,
  UpdateFilesTopic,
  FilesTopicDetails,
  FilesTopicFilter,
  FilesTopicSummary,
} from "./files.types.ts";

/** Routes of files. */
export interface FilesRoutes {
  /**
   * Newest first.
   *
   * @summary Lists files
   * @tag files
   */
  "GET /items": RouteContract<void, FilesItemFilter, void, Paginated<FilesItemSummary>>;
  /**
   * @summary Adds to files
   * @tag files
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateFilesItem, FilesItem>;
  /**
   * @summary Reads of files
   * @tag files
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, FilesItemDetails>;
  /**
   * @summary Changes files
   * @tag files
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateFilesItem, FilesItem>;
  /** @tag files */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists files
   * @tag files
   */
  "GET /records": RouteContract<void, FilesRecordFilter, void, Paginated<FilesRecordSummary>>;
  /**
   * @summary Adds to files
   * @tag files
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateFilesRecord, FilesRecord>;
  /**
   * @summary Reads of files
   * @tag files
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, FilesRecordDetails>;
  /**
   * @summary Changes files
   * @tag files
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateFilesRecord, FilesRecord>;
  /** @tag files */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists files
   * @tag files
   */
  "GET /topics": RouteContract<void, FilesTopicFilter, void, Paginated<FilesTopicSummary>>;
  /**
   * @summary Adds to files
   * @tag files
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateFilesTopic, FilesTopic>;
  /**
   * @summary Reads of files
   * @tag files
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, FilesTopicDetails>;
  /**
   * @summary Changes files
   * @tag files
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateFilesTopic, FilesTopic>;
  /** @tag files */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

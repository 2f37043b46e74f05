import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import type { FilesRoutes } from "./files.routes.ts";

/** Handlers of files. */
export const filesHandlers = defineHandlers<FilesRoutes>({
  "GET /items": () => {
    throw new NotFoundError("NOT_FOUND", "there is none");
  },
  "POST /items": () => {
    throw new NotFoundError("NOT_FOUND", "there is none");
  },
  "GET /items/:id": () => {
    throw new NotFoundError("NOT_FOUND", "there is none");
  },
  "PATCH /items/:id": () => {
    throw new NotFoundError("NOT_FOUND", "there is none");
  },
  "DELETE /items/:id": () => {
    throw new NotFoundError("NOT_FOUND", "there is none");
  },
  "GET /records": () => {
    throw new NotFoundError("NOT_FOUND", "there is none");
  },
  "POST /records": () => {
    throw new NotFoundError("NOT_FOUND", "there is none");
  },
  "GET /records/:id": () => {
    throw new NotFoundError("NOT_FOUND", "there is none");
  },
  "PATCH /records/:id": () => {
    throw new NotFoundError("NOT_FOUND", "there is none");
  },
  "DELETE /records/:id": () => {
    throw new NotFoundError("NOT_FOUND", "there is none");
  },
  "GET /topics": () => {
    throw new NotFoundError("NOT_FOUND", "there is none");
  },
  "POST /topics": () => {
    throw new NotFoundError("NOT_FOUND", "there is none");
  },
  "GET /topics/:id": () => {
    throw new NotFoundError("NOT_FOUND", "there is none");
  },
  "PATCH /topics/:id": () => {
    throw new NotFoundError("NOT_FOUND", "there is none");
  },
  "DELETE /topics/:id": () => {
    throw new NotFoundError("NOT_FOUND", "there is none");
  },
});

import { availableParallelism } from "node:os";

/** Directory of the data set and of the static files. */
export const datasetDirectory: string = process.env["ARENA_DATA"] ?? "/data";

/** Number of processes: one for each core that the container may use. */
export const workers: number = Number(process.env["ARENA_WORKERS"] ?? availableParallelism());

/** Connections that PostgreSQL keeps for its administrator. */
const reserved = 16;

/** Number of connections to PostgreSQL of one process. All processes together stay below the limit of the database. */
export const connections: number = Math.max(
  1,
  Math.floor((Number(process.env["DATABASE_MAX_CONN"] ?? 256) - reserved) / workers),
);

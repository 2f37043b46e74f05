import type { PaginatedResponse, Paging } from "./shared.types.ts";

/** How many rows to skip and to take. */
export function window({ page = 1, pageSize = 20 }: Paging): { limit: number; offset: number } {
  return { limit: pageSize, offset: (page - 1) * pageSize };
}

/** One page as it is answered. `total` is what PostgreSQL's `count` gives: a number, or a bigint in projects that have some. */
export function pageOf<T>(
  data: T[],
  total: number | bigint,
  { page = 1, pageSize = 20 }: Paging,
): PaginatedResponse<T> {
  const count = Number(total);
  return { data, pagination: { total: count, page, pageSize, totalPages: Math.ceil(count / pageSize) } };
}

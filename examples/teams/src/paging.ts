import type { PaginatedResponse, Paging } from "./shared.types.ts";

/** Returns the number of rows to skip and the maximum number to return. */
export function window({ page = 1, pageSize = 20 }: Paging): { limit: number; offset: number } {
  return { limit: pageSize, offset: (page - 1) * pageSize };
}

/** Returns one page of a response. `total` is the result of PostgreSQL's `count`: a number, or a bigint in projects with bigint columns. */
export function pageOf<T>(
  data: T[],
  total: number | bigint,
  { page = 1, pageSize = 20 }: Paging,
): PaginatedResponse<T> {
  const count = Number(total);
  return { data, pagination: { total: count, page, pageSize, totalPages: Math.ceil(count / pageSize) } };
}

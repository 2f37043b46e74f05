/** Names a row. @format uuid */
export type Uuid = string;

/** Page of a list. */
export interface Paging {
  /** Number of the page, from 1. @integer @minimum 1 */
  page?: number;
  /** Items on a page. @integer @minimum 1 @maximum 100 */
  pageSize?: number;
}

/** One page of a list. */
export interface Page<T> {
  data: T[];
  pagination: {
    total: number;
    page: number;
    pageSize: number;
    totalPages: number;
  };
}

/** Which page of a list. */
export interface Paging {
  /** Number of the page, from 1; the first one where absent. @integer @minimum 1 */
  page?: number;
  /** How many on a page; 20 where absent. @integer @minimum 1 @maximum 100 */
  pageSize?: number;
}

/** One page of a list. */
export interface PaginatedResponse<T> {
  data: T[];
  pagination: {
    /** How many there are on all pages. @integer @minimum 0 */
    total: number;
    /** Number of this page, from 1. @integer @minimum 1 */
    page: number;
    /** How many fit on a page. @integer @minimum 1 */
    pageSize: number;
    /** Number of pages. @integer @minimum 0 */
    totalPages: number;
  };
}

/** Choice of a page of a list. */
export interface Paging {
  /** Number of the page, from 1. The default is the first page. @integer @minimum 1 */
  page?: number;
  /** Maximum number of entries on a page. The default is 20. @integer @minimum 1 @maximum 100 */
  pageSize?: number;
}

/** One page of a list. */
export interface PaginatedResponse<T> {
  data: T[];
  pagination: {
    /** Number of entries on all pages. @integer @minimum 0 */
    total: number;
    /** Number of this page, from 1. @integer @minimum 1 */
    page: number;
    /** Maximum number of entries on a page. @integer @minimum 1 */
    pageSize: number;
    /** Number of pages. @integer @minimum 0 */
    totalPages: number;
  };
}

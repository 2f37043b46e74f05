/** What every feature uses. */

/** One page of a list. */
export interface Paginated<T> {
  data: T[];
  pagination: { total: number; page: number; pageSize: number; totalPages: number };
}

/** Times that the database keeps. */
export interface Timestamps {
  /** @generated now */
  createdAt: Date;
  /**
   * @generated now
   * @onUpdate now
   */
  updatedAt: Date;
}

/** Which page is asked for. */
export interface Paging {
  /**
   * @integer
   * @minimum 1
   */
  page?: number;
  /**
   * @integer
   * @minimum 1
   * @maximum 100
   */
  pageSize?: number;
}

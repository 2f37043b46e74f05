/**
 * One of the samples.
 *
 * @table samples_table
 * @owner userId = ctx.userId
 */
export interface Sample {
  /** @id @generated uuid */
  id: string;
  /**
   * What it is called.
   *
   * @minLength 1
   * @maxLength 200
   */
  name: string;
  // <owned>
  /**
   * Whose it is: the user of the access token.
   *
   * @maxLength 100
   */
  userId: string;
  // </owned>
  /** @generated now */
  createdAt: Date;
  /** @generated now @onUpdate now */
  updatedAt: Date;
}

/** What it takes to make one of the samples. */
export type CreateSampleInput = Omit<Sample, "id" | "userId" | "createdAt" | "updatedAt">;

/** What of it may change. What is left out stays as it is. */
export type UpdateSampleInput = Partial<CreateSampleInput>;

/** One page of the samples. */
export interface SamplePage {
  data: Sample[];
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

/** Which page of the samples. */
export interface SamplePaging {
  /** Number of the page, from 1; the first one where absent. @integer @minimum 1 */
  page?: number;
  /** How many on a page; 20 where absent. @integer @minimum 1 @maximum 100 */
  pageSize?: number;
}

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
   * Name, shown to the user.
   *
   * @minLength 1
   * @maxLength 200
   */
  name: string;
  // <owned>
  /**
   * Owner: the user of the access token.
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

/** Values of one of the new samples. */
export type CreateSampleInput = Omit<Sample, "id" | "userId" | "createdAt" | "updatedAt">;

/** Values that may change. An omitted value stays unchanged. */
export type UpdateSampleInput = Partial<CreateSampleInput>;

/** One page of the samples. */
export interface SamplePage {
  data: Sample[];
  pagination: {
    /** Number of items on all pages. @integer @minimum 0 */
    total: number;
    /** Number of this page, from 1. @integer @minimum 1 */
    page: number;
    /** Maximum number of items on a page. @integer @minimum 1 */
    pageSize: number;
    /** Number of pages. @integer @minimum 0 */
    totalPages: number;
  };
}

/** Selects a page of the samples. */
export interface SamplePaging {
  /** Number of the page, from 1. The default is 1. @integer @minimum 1 */
  page?: number;
  /** Maximum number of items on the page. The default is 20. @integer @minimum 1 @maximum 100 */
  pageSize?: number;
}

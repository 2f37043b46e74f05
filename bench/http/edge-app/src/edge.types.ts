/** Note, as in the application of the other scenarios. */
export interface Note {
  id: string;
  title: string;
  content: string;
  authorId: string;
  archived: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** Headers of the scenario `typed-headers`. */
export interface ContextHeaders {
  /** @minLength 1 @maxLength 50 */
  "x-tenant": string;
  /** @integer @minimum 1 @maximum 100 */
  "x-count": number;
  /** @format uuid */
  "x-trace": string;
}

/** Cookies of the scenario `typed-headers`. */
export interface ContextCookies {
  /** @minLength 10 @maxLength 64 */
  sid: string;
}

/** Headers and cookies that the request had. */
export interface Context {
  tenant: string;
  /** @integer */
  count: number;
  trace: string;
  sid: string;
}

/** Body of the scenario `two-replies`. */
export interface NewOrder {
  /** @minLength 1 @maxLength 100 */
  item: string;
  /** @integer @minimum 1 @maximum 1000 */
  quantity: number;
}

/** New order. */
export interface Order extends NewOrder {
  /** @integer */
  id: number;
}

/** Order that is too large to create it at once. */
export interface Job {
  /** @integer */
  job: number;
}

/** Entry of the list of the scenario `gzip-10k`. */
export interface Entry {
  /** @integer */
  id: number;
  title: string;
  tags: string[];
}

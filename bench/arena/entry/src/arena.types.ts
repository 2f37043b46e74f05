/** Two numbers of a query. */
export interface Addends {
  /** @integer */
  a: number;
  /** @integer */
  b: number;
}

export interface Rating {
  /** @integer */
  score: number;
  /** @integer */
  count: number;
}

/** Item of the data set, and row of the database. */
export interface Item {
  /** @integer */
  id: number;
  name: string;
  category: string;
  /** @integer */
  price: number;
  /** @integer */
  quantity: number;
  active: boolean;
  tags: string[];
  rating: Rating;
}

/** Item with the price of its whole quantity. */
export interface PricedItem extends Item {
  /** @integer */
  total: number;
}

export interface List<T> {
  /** @integer */
  count: number;
  items: T[];
}

/** Range of prices. */
export interface PriceRange {
  /** @integer @default 10 */
  min: number;
  /** @integer @default 50 */
  max: number;
  /** @integer @minimum 1 @maximum 50 @default 50 */
  limit: number;
}

import type { CursorQuery } from "@kit/types";

/**
 * Part of a product's URL, and of a tag's.
 *
 * @minLength 1
 * @maxLength 60
 * @pattern ^[a-z0-9]+(-[a-z0-9]+)*$
 * @example red-chair
 */
export type Slug = string;

/**
 * Amount of money in cents, because fractions of floating-point numbers are not exact.
 *
 * @integer
 * @minimum 0
 * @example 1990
 */
export type Cents = number;

/**
 * @table products @owner none
 * @index products_newest (createdAt, id)
 */
export interface Product {
  /** @id @generated uuid */
  id: string;
  /** @unique */
  slug: Slug;
  /**
   * @minLength 1
   * @maxLength 100
   */
  name: string;
  /** @maxLength 2000 */
  description: string;
  /** Price of a piece. @maximum 1000000 */
  price: Cents;
  /**
   * Number of pieces that can be sold.
   *
   * @integer
   * @minimum 0
   * @maximum 1000000
   */
  stock: number;
  /** @generated now */
  createdAt: Date;
}

/**
 * Word by which products can be found.
 *
 * @table tags @owner none
 */
export interface Tag {
  /** @id */
  slug: Slug;
  /**
   * @minLength 1
   * @maxLength 60
   */
  name: string;
}

/**
 * A product has many tags, and a tag many products.
 *
 * @table product_tags @owner none
 */
export interface ProductTag {
  /** @id @references Product.id cascade */
  productId: string;
  /** @id @references Tag.slug cascade @index */
  tag: string;
}

/** Product as everybody sees it. */
export type ProductView = Omit<Product, "createdAt"> & { tags: Slug[] };

/** Name of a product in a path. */
export type BySlug = Pick<Product, "slug">;

/** Choice of products. */
export interface ProductQuery extends CursorQuery {
  /** Only products with this tag. */
  tag?: Slug;
}

import type { Uuid } from "./shared.types.ts";

/**
 * Somebody who sells.
 *
 * @table shops
 */
export interface Shop {
  /** @id @generated uuid */
  id: string;
  /** @minLength 1 @maxLength 80 */
  name: string;
  /**
   * In the address of its page.
   *
   * @pattern ^[a-z0-9-]+$
   * @maxLength 40
   * @unique
   */
  slug: string;
  /** @format email @maxLength 200 @sensitive */
  contact: string | null;
  /** @generated now */
  openedAt: Date;
}

/** Place on the shelves, which the database counts. @table categories */
export interface Category {
  /** @id @generated @integer */
  id: number;
  /** @minLength 1 @maxLength 60 @unique */
  name: string;
  /** @integer @references Category.id set null */
  parentId?: number;
}

/** A country, which has a key of its own. @table countries @owner none */
export interface Country {
  /** @id @minLength 2 @maxLength 2 */
  code: string;
  /** @maxLength 100 */
  name: string;
  /** @integer @minimum 0 @maximum 100 @default 20 */
  vat: number;
}

/**
 * Something to buy.
 *
 * @table products
 * @unique one_of_each (shopId, sku)
 * @index newest_of_shop (shopId, createdAt)
 */
export interface Product {
  /** @id @generated uuid */
  id: string;
  /** @references Shop.id cascade */
  shopId: string;
  /** @integer @references Category.id restrict */
  categoryId?: number | null;
  /** @maxLength 30 */
  sku: string;
  /** @minLength 1 @maxLength 200 */
  title: string;
  description?: string | null;
  /** @integer @minimum 0 */
  priceCents: number;
  /** @exclusiveMinimum 0 */
  weight: number | null;
  /** @default draft */
  status: "draft" | "listed" | "sold-out";
  kind: ProductKind;
  /** @maxItems 10 @uniqueItems */
  tags: string[];
  size?: { width: number; height: number };
  attributes: Record<string, string>;
  /** The name of the type is a word of Rust. */
  type?: string;
  /** @column is_visible @default true */
  visible: boolean;
  listedAt?: Date;
  views?: bigint;
  /** @generated now */
  createdAt: Date;
  /** @generated now @onUpdate now */
  updatedAt: Date;
}

export type ProductKind = "thing" | "service" | "download";

/**
 * Number of a product in a country, once for each.
 *
 * @table stock
 */
export interface Stock {
  /** @id @references Product.id cascade */
  productId: Uuid;
  /** @id @maxLength 2 @references Country.code restrict */
  countryCode: string;
  /** @integer @minimum 0 @default 0 */
  amount: number;
  /** @generated now @onUpdate now */
  countedAt: Date;
}

export type CreateShopInput = Omit<Shop, "id" | "openedAt">;
export type UpdateShopInput = Partial<CreateShopInput>;
export type CreateCategoryInput = Omit<Category, "id">;
export type UpdateCountryInput = Omit<Country, "code">;
export type CreateProductInput = Omit<Product, "id" | "createdAt" | "updatedAt">;
/** Data of another shop, whose texts have no limits. */
export type ImportedProduct = Omit<CreateProductInput, "shopId" | "sku" | "views"> & {
  shopId: string;
  sku: string;
  views?: bigint;
};
export type UpdateProductInput = Partial<Omit<CreateProductInput, "shopId">>;
export type PutStockInput = Pick<Stock, "amount">;
export type ProductSummary = Pick<Product, "id" | "title" | "priceCents" | "status">;

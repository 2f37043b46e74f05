import type { Decimal } from "@kit/types";

/** Identifies a row. @format uuid */
export type Uuid = string;

/** @table customers @owner none */
export interface Customer {
  /** @id @generated uuid */
  id: string;
  /** @unique @maxLength 100 @format email */
  email: string;
  /** @maxLength 100 */
  name: string;
}

/** @table products @owner none */
export interface Product {
  /** @id @generated uuid */
  id: string;
  /** @unique @maxLength 60 */
  slug: string;
  /** @maxLength 100 */
  name: string;
  price: Decimal<10, 2>;
  serial: bigint;
  /** @storedAs array @default [] */
  reviewed: Date[];
  attributes: Record<string, string>;
  contents: Contents;
  /** @generated now */
  createdAt: Date;
}

/** Contents of a product. */
export type Contents =
  | { kind: "liquid"; /** @minimum 0 */ litres: number }
  | { kind: "solid"; fragile: boolean };

/** @table tags @owner none */
export interface Tag {
  /** @id @maxLength 60 */
  slug: string;
  /** @maxLength 60 */
  name: string;
}

/** A product has many tags, and a tag many products. @table product_tags @owner none */
export interface ProductTag {
  /** @id @references Product.id cascade */
  productId: Uuid;
  /** @id @references Tag.slug cascade @index */
  tag: string;
}

/** @table orders @owner none */
export interface Order {
  /** @id @generated @integer */
  id: number;
  /** @references Customer.id */
  customerId: Uuid;
  /** Customer who gets the products, if not the one who pays. @references Customer.id */
  receiverId?: Uuid;
  /** @maxLength 200 */
  note: string | null;
  /** @generated now */
  placedAt: Date;
}

/** Product of an order. @table order_items @owner none */
export interface OrderItem {
  /** @id @integer @references Order.id cascade */
  orderId: number;
  /** Number of the item in its order. @id @integer @minimum 1 @maximum 1000 */
  line: number;
  /** @references Product.id */
  productId: Uuid;
  /** @integer @minimum 1 @maximum 99 */
  quantity: number;
}

/** Category of products, which may be below another one. @table categories @owner none */
export interface Category {
  /** @id @generated @integer */
  id: number;
  name: string;
  /** @integer @references Category.id cascade */
  parentId?: number;
}

/** Product with the slugs of its tags. */
export type ProductView = Omit<Product, "createdAt"> & { tags: string[] };

/** Product with its tags. */
export type TaggedProduct = Pick<Product, "id" | "name"> & { tags: Tag[] };

/** Values of a new product. */
export type NewProduct = Omit<Product, "id" | "createdAt"> & { tags?: string[] };

/** Customer as other customers see them. */
export type CustomerName = Pick<Customer, "id" | "name">;

/** Order with its items and customers. */
export interface OrderView {
  id: Order["id"];
  note: Order["note"];
  placedAt: Order["placedAt"];
  customer: CustomerName;
  receiver: Customer | null;
  items: Omit<OrderItem, "orderId">[];
}

/** Values of a new order. */
export interface NewOrder {
  customerId: Uuid;
  receiverId?: Uuid;
  note: Order["note"];
  items: Omit<OrderItem, "orderId">[];
}

/** Category with the categories below it. */
export type CategoryTree = Category & { children: Category[] };

export interface Paging {
  /** @integer @minimum 1 */
  page?: number;
  /** @integer @minimum 1 @maximum 100 */
  pageSize?: number;
}

export interface Page<T> {
  data: T[];
  pagination: { total: number; page: number; pageSize: number; totalPages: number };
}

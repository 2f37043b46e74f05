import { defineKeyset } from "@kit/core/keyset";
import { NotFoundError } from "@kit/errors";
import type { Cursor } from "@kit/types";
import { and, asc, eq, exists, getTableColumns, sql } from "drizzle-orm";
import { productTags } from "../.kit/schemas/product_tags.ts";
import { products } from "../.kit/schemas/products.ts";
import { tags } from "../.kit/schemas/tags.ts";
import type { ProductQuery, ProductView, Slug, Tag } from "./catalogue.types.ts";
import { type Caller, dbOf } from "./database.ts";

const { createdAt: _, ...columns } = getTableColumns(products);

/** Columns of {@link ProductView}. */
const viewColumns = {
  ...columns,
  tags: sql<
    Slug[]
  >`array(select ${productTags.tag} from ${productTags} where ${productTags.productId} = ${products.id} order by 1)`,
};

const newest = defineKeyset({
  list: "products",
  order: "desc",
  columns: { "products.created_at": "timestamptz", "products.id": "uuid" },
});

/** Returns one page of the products, the newest first. */
export async function listProducts(ctx: Caller, query: ProductQuery): Promise<Cursor<ProductView>> {
  const page = newest.page(query);
  const hasTag = (tag: Slug) =>
    exists(
      dbOf(ctx)
        .select({ found: sql`1` })
        .from(productTags)
        .where(and(eq(productTags.productId, products.id), eq(productTags.tag, tag))),
    );
  const rows = await dbOf(ctx)
    .select({ ...viewColumns, cursorKey: page.key(sql<string>) })
    .from(products)
    .where(and(page.where(sql), query.tag === undefined ? undefined : hasTag(query.tag)))
    .orderBy(page.orderBy(sql))
    .limit(page.limit);
  return page.of(rows);
}

/** Returns a product. Throws 404 if there is no such product. */
export async function readProduct(ctx: Caller, slug: Slug): Promise<ProductView> {
  const [product] = await dbOf(ctx).select(viewColumns).from(products).where(eq(products.slug, slug));
  if (product === undefined) throw new NotFoundError("PRODUCT_NOT_FOUND", `There is no product ${slug}`);
  return product;
}

/** Sets the number of pieces of a product. Throws 404 if there is no such product. */
export async function setStock(ctx: Caller, slug: Slug, stock: number): Promise<ProductView> {
  await dbOf(ctx).update(products).set({ stock }).where(eq(products.slug, slug));
  return readProduct(ctx, slug);
}

/** Returns all tags by their names. */
export function listTags(ctx: Caller): Promise<Tag[]> {
  return dbOf(ctx).select().from(tags).orderBy(asc(tags.name)).limit(1000);
}

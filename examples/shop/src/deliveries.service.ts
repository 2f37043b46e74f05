import { ConflictError, NotFoundError } from "@kit/errors";
import { and, asc, count, desc, eq, inArray } from "drizzle-orm";
import { type DeliveryRow, deliveries } from "../.kit/schemas/deliveries.ts";
import { type DeliveryItemRow, deliveryItems } from "../.kit/schemas/delivery_items.ts";
import { type Caller, dbOf, violates } from "./database.ts";
import type { Delivery, DeliveryPage, DeliveryQuery, DeliveryView, NewDelivery } from "./deliveries.types.ts";

/** Stores a delivery with its products. Throws 404 for an unknown product and 409 for a tracking number that is taken. */
export async function addDelivery(ctx: Caller, { items, ...values }: NewDelivery): Promise<DeliveryView> {
  try {
    return await dbOf(ctx).transaction(async (tx) => {
      const [delivery] = await tx.insert(deliveries).values(values).returning();
      const { id: deliveryId } = delivery!;
      // Each row locks its product. Orders lock their products in the same order, so that requests do not wait for each other in a circle.
      const sorted = items.toSorted((one, other) => one.productId.localeCompare(other.productId));
      const rows = sorted.map(({ productId, quantity, purchasePrice }) => ({
        deliveryId,
        productId,
        quantity,
        purchasePrice,
      }));
      if (rows.length > 0) await tx.insert(deliveryItems).values(rows);
      const stored = await tx
        .select()
        .from(deliveryItems)
        .where(eq(deliveryItems.deliveryId, deliveryId))
        .orderBy(asc(deliveryItems.productId));
      return viewOf(delivery!, stored);
    });
  } catch (error) {
    if (violates(error, "deliveries_tracking_number_unique"))
      throw new ConflictError("TRACKING_NUMBER_TAKEN", "Another delivery has this tracking number");
    if (violates(error, "delivery_items_product_id_products_id_fk"))
      throw new NotFoundError("PRODUCT_NOT_FOUND", "Product not found");
    if (violates(error, "delivery_items_pkey"))
      throw new ConflictError("DELIVERY_ITEM_TWICE", "A product is twice in the delivery");
    throw error;
  }
}

/** Returns one page of the deliveries. */
export async function listDeliveries(ctx: Caller, query: DeliveryQuery): Promise<DeliveryPage> {
  const { page = 1, pageSize = 20, state, trackingNumber, sort, order } = query;
  const where = and(
    state === undefined ? undefined : eq(deliveries.state, state),
    trackingNumber === undefined ? undefined : eq(deliveries.trackingNumber, trackingNumber),
  );
  // The newest first, unless the request chooses a column or a direction.
  const direction = (order ?? (sort === undefined ? "desc" : "asc")) === "desc" ? desc : asc;
  const columns =
    sort === "freight" ? [deliveries.freight, deliveries.id] : [deliveries.createdAt, deliveries.id];
  const db = dbOf(ctx);
  const rows = await db
    .select()
    .from(deliveries)
    .where(where)
    .orderBy(...columns.map((column) => direction(column)))
    .limit(pageSize)
    .offset((page - 1) * pageSize);
  const [all] = await db.select({ total: count() }).from(deliveries).where(where);
  const { total } = all!;
  return {
    data: await withItems(ctx, rows),
    pagination: { total, page, pageSize, totalPages: Math.ceil(total / pageSize) },
  };
}

/** Returns a delivery. Throws 404 if there is no such delivery. */
export async function readDelivery(ctx: Caller, id: string): Promise<DeliveryView> {
  const rows = await dbOf(ctx).select().from(deliveries).where(eq(deliveries.id, id));
  return oneOf(ctx, rows);
}

/** Changes a delivery. Throws 404 if there is no such delivery. */
export async function changeDelivery(
  ctx: Caller,
  id: string,
  changes: Partial<Pick<Delivery, "state" | "freight">>,
): Promise<DeliveryView> {
  // drizzle refuses an update without a change.
  if (Object.keys(changes).length === 0) return readDelivery(ctx, id);
  const rows = await dbOf(ctx).update(deliveries).set(changes).where(eq(deliveries.id, id)).returning();
  return oneOf(ctx, rows);
}

/** Removes a delivery with its products. Throws 404 if there is no such delivery. */
export async function removeDelivery(ctx: Caller, id: string): Promise<void> {
  const removed = await dbOf(ctx).delete(deliveries).where(eq(deliveries.id, id)).returning();
  if (removed.length === 0) throw notFound();
}

async function oneOf(ctx: Caller, rows: readonly DeliveryRow[]): Promise<DeliveryView> {
  const [view] = await withItems(ctx, rows);
  if (view === undefined) throw notFound();
  return view;
}

/** Adds the products of deliveries, with one query. */
async function withItems(ctx: Caller, found: readonly DeliveryRow[]): Promise<DeliveryView[]> {
  const ids = found.map(({ id }) => id);
  const items = await dbOf(ctx)
    .select()
    .from(deliveryItems)
    .where(inArray(deliveryItems.deliveryId, ids))
    .orderBy(asc(deliveryItems.deliveryId), asc(deliveryItems.productId));
  const itemsOf = Map.groupBy(items, ({ deliveryId }) => deliveryId);
  return found.map((delivery) => viewOf(delivery, itemsOf.get(delivery.id) ?? []));
}

/** Returns a delivery with its products. */
function viewOf(delivery: DeliveryRow, items: readonly DeliveryItemRow[]): DeliveryView {
  return {
    ...delivery,
    items: items.map(({ productId, quantity, purchasePrice }) => ({ productId, quantity, purchasePrice })),
  };
}

function notFound(): NotFoundError {
  return new NotFoundError("DELIVERY_NOT_FOUND", "There is no such delivery");
}

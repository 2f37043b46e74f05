import type { Decimal } from "@kit/types";
import type { CartItem } from "./cart.types.ts";
import type { Product } from "./catalogue.types.ts";

/** Progress of a delivery. */
export type DeliveryState = "announced" | "arrived" | "returned";

/** Packing of a delivery. */
export type Packing =
  | {
      kind: "parcel";
      /** @minimum 0 @maximum 100 */
      kilograms: number;
    }
  | {
      kind: "pallet";
      /** @integer @minimum 1 @maximum 20 */
      layers: number;
      stackable: boolean;
    };

/**
 * Goods that a supplier sends.
 *
 * @table deliveries @owner none
 */
export interface Delivery {
  /** @id @generated uuid */
  id: string;
  /**
   * Number of the delivery at the carrier.
   *
   * @unique
   * @minimum 0
   */
  trackingNumber: bigint;
  /** @default announced */
  state: DeliveryState;
  /** Price of the transport. @minimum 0 */
  freight: Decimal<10, 2>;
  packing: Packing;
  /** @generated now */
  createdAt: Date;
}

/**
 * Product of a delivery.
 *
 * @table delivery_items @owner none
 */
export interface DeliveryItem {
  /** @id @references Delivery.id cascade */
  deliveryId: string;
  /** @id @references Product.id @index */
  productId: Product["id"];
  quantity: CartItem["quantity"];
  /** Price of a piece at the supplier. @minimum 0 */
  purchasePrice: Decimal<10, 2>;
}

/** Delivery with its products. */
export type DeliveryView = Delivery & { items: Omit<DeliveryItem, "deliveryId">[] };

/** Values of a new delivery. */
export type NewDelivery = Omit<Delivery, "id" | "state" | "createdAt"> & {
  /** @maxItems 50 */
  items: Omit<DeliveryItem, "deliveryId">[];
};

/** Choice and order of deliveries. */
export interface DeliveryQuery {
  /** @integer @minimum 1 */
  page?: number;
  /** @integer @minimum 1 @maximum 100 */
  pageSize?: number;
  state?: DeliveryState;
  trackingNumber?: bigint;
  sort?: "createdAt" | "freight";
  order?: "asc" | "desc";
}

/** One page of the deliveries. */
export interface DeliveryPage {
  data: DeliveryView[];
  pagination: { total: number; page: number; pageSize: number; totalPages: number };
}

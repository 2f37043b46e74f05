import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { accountsHandlers } from "./accounts/accounts.handlers.ts";
import { billingHandlers } from "./billing/billing.handlers.ts";
import { catalogHandlers } from "./catalog/catalog.handlers.ts";
import { deliveryHandlers } from "./delivery/delivery.handlers.ts";
import { eventsHandlers } from "./events/events.handlers.ts";
import { filesHandlers } from "./files/files.handlers.ts";
import { groupsHandlers } from "./groups/groups.handlers.ts";
import { helpHandlers } from "./help/help.handlers.ts";
import { inventoryHandlers } from "./inventory/inventory.handlers.ts";
import { journalHandlers } from "./journal/journal.handlers.ts";
import { kitchenHandlers } from "./kitchen/kitchen.handlers.ts";
import { ledgerHandlers } from "./ledger/ledger.handlers.ts";
import { messagesHandlers } from "./messages/messages.handlers.ts";
import { newsHandlers } from "./news/news.handlers.ts";
import { ordersHandlers } from "./orders/orders.handlers.ts";
import { peopleHandlers } from "./people/people.handlers.ts";
import { qualityHandlers } from "./quality/quality.handlers.ts";
import { reviewsHandlers } from "./reviews/reviews.handlers.ts";
import { salesHandlers } from "./sales/sales.handlers.ts";
import { ticketsHandlers } from "./tickets/tickets.handlers.ts";

/** The application. */
export const app = createApp({
  server: nativeServer(),
  routes: [
    { prefix: "/accounts", handlers: accountsHandlers },
    { prefix: "/billing", handlers: billingHandlers },
    { prefix: "/catalog", handlers: catalogHandlers },
    { prefix: "/delivery", handlers: deliveryHandlers },
    { prefix: "/events", handlers: eventsHandlers },
    { prefix: "/files", handlers: filesHandlers },
    { prefix: "/groups", handlers: groupsHandlers },
    { prefix: "/help", handlers: helpHandlers },
    { prefix: "/inventory", handlers: inventoryHandlers },
    { prefix: "/journal", handlers: journalHandlers },
    { prefix: "/kitchen", handlers: kitchenHandlers },
    { prefix: "/ledger", handlers: ledgerHandlers },
    { prefix: "/messages", handlers: messagesHandlers },
    { prefix: "/news", handlers: newsHandlers },
    { prefix: "/orders", handlers: ordersHandlers },
    { prefix: "/people", handlers: peopleHandlers },
    { prefix: "/quality", handlers: qualityHandlers },
    { prefix: "/reviews", handlers: reviewsHandlers },
    { prefix: "/sales", handlers: salesHandlers },
    { prefix: "/tickets", handlers: ticketsHandlers },
  ],
});

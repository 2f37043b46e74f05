import type { RouteContract } from "@kit/types";
import type {
  $Odd_name,
  Context,
  Error,
  Forest,
  Option,
  Price,
  Response,
  String,
  Tree,
  UserAccount,
  Value,
} from "./names.types.ts";

export interface Routes {
  "POST /options": RouteContract<void, void, Option, Option>;
  "GET /options": RouteContract<
    void,
    {
      price?: Price;
      rate?: string;
      day?: string;
      small?: number;
      email?: string;
      limit?: number;
      offset?: number;
    },
    void,
    Option[]
  >;
  "GET /options/:id": RouteContract<{ id: bigint }, void, void, Option>;
  "DELETE /options/:id": RouteContract<{ id: bigint }, void, void, void>;
  "POST /strings": RouteContract<
    void,
    { big?: bigint; pairs?: bigint[]; code?: `c-${number}` },
    String,
    Value
  >;
  /** @throws ERROR 400 An error that is called Error. */
  "POST /errors": RouteContract<void, void, Error, Error>;
  "POST /odd": RouteContract<void, void, $Odd_name, $Odd_name>;
  "POST /forest": RouteContract<void, void, Forest, Tree>;
}

export interface Handlers {
  "POST /context": RouteContract<void, void, Context, Response>;
  "POST /accounts": RouteContract<void, void, UserAccount, UserAccount>;
}

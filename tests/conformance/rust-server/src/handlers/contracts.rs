//! Handlers of `ContractRoutes`, with the answers of `tests/conformance/contracts-application.ts`.

use kit_runtime::json::to_text;
use kit_runtime::{BigInt, Cookie, HeaderName, HeaderValue, SameSite, StatusCode, Timestamp, header};

use crate::app::App;
use crate::error::{AppError, Error};
use crate::models::{
    CreatedHeaders, CreatedHeadersXKind, GetOrdersByIdReply200Headers, GetOrdersByIdReply304Headers,
    GetStockResponse, Job, NewOrder, Order, OrderId, PostOrdersReply303Headers, Session, SoldOut,
};
use crate::router::{
    CancelOrder, CancelOrderReply, ContractRoutes, CreateOrder, CreateOrderReply, GetOrdersById,
    GetOrdersByIdReply, GetSession, GetStock, PutSession,
};

const ID: &str = "6f1d2c3b-0a9e-4f8d-8c7b-6a5d4e3f2a1b";
const ETAG: &str = "\"1\"";

fn day() -> Result<Timestamp, Error> {
    Ok("2026-01-02T03:04:05.678Z".parse()?)
}

fn order_of(body: NewOrder) -> Result<Order, Error> {
    Ok(Order {
        id: ID.to_owned(),
        sku: body.sku,
        count: body.count as f64,
        ordered_at: day()?,
    })
}

/// Returns the headers that every reply 201 has.
fn required() -> Result<CreatedHeaders, Error> {
    Ok(CreatedHeaders {
        location: format!("/orders/{ID}"),
        etag: ETAG.to_owned(),
        x_remaining: 7.0,
        x_expires: day()?,
        x_total: None,
        x_cached: None,
        x_kind: None,
        vary: None,
        x_sizes: None,
        set_cookie: None,
    })
}

fn created(body: NewOrder, headers: CreatedHeaders) -> Result<CreateOrderReply, Error> {
    let body = order_of(body)?;
    Ok(CreateOrderReply::Created { body, headers })
}

fn accepted(job: String) -> Result<CreateOrderReply, Error> {
    let body = Job { job };
    Ok(CreateOrderReply::Accepted { body })
}

fn texts(items: &[&str]) -> Option<Vec<String>> {
    Some(items.iter().map(|item| (*item).to_owned()).collect())
}

impl ContractRoutes for App {
    async fn create_order(&self, input: CreateOrder) -> Result<CreateOrderReply, Error> {
        let (body, context) = (input.body, input.context);
        let required = required()?;
        match body.sku.as_str() {
            "headers" => accepted(to_text(&input.headers)?),
            "cookies" => accepted(to_text(&input.cookies)?),
            "moved" => Ok(CreateOrderReply::SeeOther {
                headers: PostOrdersReply303Headers {
                    location: "/orders/elsewhere".to_owned(),
                },
            }),
            "all headers" => {
                let headers = CreatedHeaders {
                    x_total: Some("18446744073709551616".parse::<BigInt>()?),
                    x_cached: Some(false),
                    x_kind: Some(CreatedHeadersXKind::Fast),
                    vary: texts(&["accept", "origin"]),
                    x_sizes: Some(vec![1.0, 2.5]),
                    set_cookie: texts(&["a=1", "b=2"]),
                    ..required
                };
                created(body, headers)
            }
            "own headers" => {
                let set = |name, value| context.append_header(name, HeaderValue::from_static(value));
                set(header::ETAG, "\"old\"");
                set(HeaderName::from_static("x-own"), "1");
                set(header::SET_COOKIE, "own=1");
                let set_cookie = texts(&["a=1"]);
                created(
                    body,
                    CreatedHeaders {
                        set_cookie,
                        ..required
                    },
                )
            }
            "own cookies" => {
                let set = |cookie| context.set_cookie(&cookie);
                set(Cookie::new("__Host-sid", "a b;ä").max_age_seconds(60))?;
                set(Cookie::new("theme", "dark").readable_by_scripts())?;
                set(Cookie::deleted("theme"))?;
                let lang = Cookie::new("lang", "de").same_site(SameSite::Strict);
                set(lang.path("/shop"))?;
                created(body, required)
            }
            "signed cookie" => {
                context.set_cookie(&Cookie::new("__Host-user", "u1 ü").signed())?;
                accepted("set".to_owned())
            }
            "read signed cookie" => {
                let user = context.signed_cookie("user")?;
                accepted(user.unwrap_or_else(|| "none".to_owned()))
            }
            "ignored cookie" => {
                context.set_cookie(&Cookie::new("__Host-user", "u1").domain("example.com"))?;
                accepted("set".to_owned())
            }
            "line break" => {
                let etag = "1\r\nx-split: 2".to_owned();
                created(body, CreatedHeaders { etag, ..required })
            }
            "latin-1" => {
                let etag = "\"\u{e9}\"".to_owned();
                created(body, CreatedHeaders { etag, ..required })
            }
            "outside of latin-1" => {
                let etag = "\"\u{20ac}\"".to_owned();
                created(body, CreatedHeaders { etag, ..required })
            }
            "ctx.status" => {
                context.set_status(StatusCode::OK);
                accepted("1".to_owned())
            }
            "sold out" => {
                let again = Some(day()?);
                Err(AppError::SoldOut(SoldOut { left: 0, again }).with("Sold out"))
            }
            "unpaid with cookie" => {
                context.set_cookie(&Cookie::new("tried", "1"))?;
                Err(AppError::PaymentFailed.with("Not paid"))
            }
            "unpaid" => Err(AppError::PaymentFailed.with("Not paid")),
            "slow" => std::future::pending().await,
            _ => created(body, required),
        }
    }

    async fn get_orders_by_id(&self, input: GetOrdersById) -> Result<GetOrdersByIdReply, Error> {
        let etag = ETAG.to_owned();
        let known = input.headers.if_none_match.unwrap_or_default();
        if known.contains(&etag) {
            let headers = GetOrdersByIdReply304Headers { etag };
            return Ok(GetOrdersByIdReply::NotModified { headers });
        }
        let body = Order {
            id: input.params.id,
            sku: "a".to_owned(),
            count: 1.0,
            ordered_at: day()?,
        };
        let headers = GetOrdersByIdReply200Headers { etag };
        Ok(GetOrdersByIdReply::Ok { body, headers })
    }

    async fn cancel_order(&self, input: CancelOrder) -> Result<CancelOrderReply, Error> {
        let id = input.params.id;
        if id == ID {
            return Ok(CancelOrderReply::NoContent);
        }
        Err(AppError::OrderNotFound(OrderId { id }).with("No such order"))
    }

    async fn get_session(&self, input: GetSession) -> Result<Session, Error> {
        Ok(Session {
            user: format!("{} {}", input.headers.x_tenant, input.cookies.sid),
            visits: 1.0,
        })
    }

    async fn put_session(&self, input: PutSession) -> Result<Session, Error> {
        Ok(Session {
            user: input.body.x_tenant,
            visits: 2.0,
        })
    }

    async fn get_stock(&self, input: GetStock) -> Result<GetStockResponse, Error> {
        let pieces = if input.query.sku.is_some() { 1.0 } else { 0.0 };
        Ok(GetStockResponse { pieces })
    }
}

//! Contract tests: requests that the contracts accept, and requests that they refuse. `cargo test` runs them.

#[path = "../.kit/contract_tests.rs"]
mod generated;

use std::process::ExitCode;

use kit_runtime::testing::{Fixture, TestClient, TestSetup, unique_id};
use kit_runtime::{Error, Value, value};
use shop_rust::app::App;
use shop_rust::router::router;
use sqlx::PgPool;

const PASSWORD: &str = "correct horse battery staple";

/// Routes of a product that exists.
const OF_A_PRODUCT: [&str; 3] = ["GET /products/:slug", "PUT /cart/:slug", "DELETE /cart/:slug"];

/// Routes of a delivery that exists.
const OF_A_DELIVERY: [&str; 3] = [
    "GET /deliveries/:id",
    "PATCH /deliveries/:id",
    "DELETE /deliveries/:id",
];

fn main() -> ExitCode {
    generated::contract_tests()
        .variable(
            "KIT_COOKIE_KEYS",
            "a key that only tests use and that is long enough",
        )
        // The tests send many requests from one address.
        .variable("LOGINS_PER_MINUTE", "100000")
        .variable("WRITES_PER_MINUTE", "100000")
        .run(async || {
            let app = App::connect().await?;
            let pool = app.pool.clone();
            let setup = TestSetup::new(router(app));
            let customer = log_in(setup.client(), &pool, "customer").await?;
            let staff = log_in(setup.client(), &pool, "staff").await?;
            let blocked = log_in(setup.client(), &pool, "blocked").await?;
            let mut setup = setup
                .header("cookie", customer)
                .header_without_scopes("cookie", blocked)
                .fixture("POST /accounts", {
                    let pool = pool.clone();
                    move |client| registration(client, pool.clone())
                })
                .fixture("POST /session", {
                    let pool = pool.clone();
                    move |client| login(client, pool.clone())
                })
                .fixture("DELETE /session", {
                    let pool = pool.clone();
                    move |client| other_customer(client, pool.clone())
                })
                .fixture("PUT /products/:slug/stock", {
                    let (pool, staff) = (pool.clone(), staff.clone());
                    move |_client| product(pool.clone(), Some(staff.clone()))
                })
                .fixture("POST /deliveries", {
                    let (pool, staff) = (pool.clone(), staff.clone());
                    move |_client| new_delivery(pool.clone(), staff.clone())
                })
                .fixture("GET /deliveries", {
                    let staff = staff.clone();
                    move |_client| std::future::ready(Ok(Fixture::new().header("cookie", staff.clone())))
                })
                .fixture("POST /orders", {
                    let pool = pool.clone();
                    move |client| filled_cart(client, pool.clone())
                })
                .fixture("GET /orders/:id", {
                    let pool = pool.clone();
                    move |client| order(client, pool.clone())
                });
            for route in OF_A_PRODUCT {
                let pool = pool.clone();
                setup = setup.fixture(route, move |_client| product(pool.clone(), None));
            }
            for route in OF_A_DELIVERY {
                let (pool, staff) = (pool.clone(), staff.clone());
                setup = setup.fixture(route, move |client| delivery(client, pool.clone(), staff.clone()));
            }
            Ok(setup)
        })
}

fn new_address() -> String {
    format!("{}@example.com", unique_id())
}

/// Creates an account whose owner is not logged in. Returns the body of a login.
async fn register(client: &TestClient) -> Result<Value, Error> {
    let email = new_address();
    let account = value!({ "name": "Ada", "email": email, "password": PASSWORD });
    let request = client.request("POST", "/accounts").without_default_headers();
    request.json(&account).send().await?;
    Ok(value!({ "email": email, "password": PASSWORD }))
}

/// Creates an account with a role, and logs in. Returns the header `cookie` of its requests.
async fn log_in(client: &TestClient, pool: &PgPool, role: &str) -> Result<String, Error> {
    let login = register(client).await?;
    // No route changes a role.
    sqlx::query("UPDATE accounts SET role = $1 WHERE email = $2")
        .bind(role)
        .bind(login["email"].as_str())
        .execute(pool)
        .await?;
    let request = client.request("POST", "/session").without_default_headers();
    let answer = request.json(&login).send().await?;
    let cookie = answer
        .header("set-cookie")
        .and_then(|cookie| cookie.split(';').next());
    Ok(cookie.unwrap_or_default().to_owned())
}

/// Returns the registration of an account, sent by another customer: it ends the session of its caller.
async fn registration(client: TestClient, pool: PgPool) -> Result<Fixture, Error> {
    let body = value!({ "email": new_address() });
    Ok(other_customer(client, pool).await?.body(&body))
}

/// Returns a login of a new account, sent by another customer: a login ends the session of its caller, which the other tests need.
async fn login(client: TestClient, pool: PgPool) -> Result<Fixture, Error> {
    let body = register(&client).await?;
    Ok(other_customer(client, pool).await?.body(&body))
}

/// Logs another customer in. The route ends the session, which the other tests need.
async fn other_customer(client: TestClient, pool: PgPool) -> Result<Fixture, Error> {
    let cookie = log_in(&client, &pool, "customer").await?;
    Ok(Fixture::new().header("cookie", cookie))
}

/// Adds a product. Returns its slug.
async fn add_product(pool: &PgPool) -> Result<String, Error> {
    let slug = unique_id();
    sqlx::query(
        "INSERT INTO products (slug, name, description, price, stock) VALUES ($1, 'Chair', '', 4500, 10)",
    )
    .bind(&slug)
    .execute(pool)
    .await?;
    Ok(slug)
}

/// Adds a product. The caller is the customer, or the one with the cookie.
async fn product(pool: PgPool, cookie: Option<String>) -> Result<Fixture, Error> {
    let fixture = Fixture::new().param("slug", add_product(&pool).await?);
    Ok(match cookie {
        Some(cookie) => fixture.header("cookie", cookie),
        None => fixture,
    })
}

/// Returns the body of a request for a delivery of a new product, with a tracking number that no number of JavaScript has.
async fn delivery_body(pool: &PgPool) -> Result<Value, Error> {
    let slug = add_product(pool).await?;
    let (id,): (String,) = sqlx::query_as("SELECT id::text FROM products WHERE slug = $1")
        .bind(slug)
        .fetch_one(pool)
        .await?;
    let digits: String = unique_id()
        .chars()
        .filter(char::is_ascii_digit)
        .take(12)
        .collect();
    Ok(value!({
        "trackingNumber": format!("90071{digits}"),
        "freight": "12.50",
        "packing": { "kind": "pallet", "layers": 2, "stackable": true },
        "items": [{ "productId": id, "quantity": 3, "purchasePrice": "4.05" }],
    }))
}

async fn new_delivery(pool: PgPool, staff: String) -> Result<Fixture, Error> {
    let body = delivery_body(&pool).await?;
    Ok(Fixture::new().header("cookie", staff).body(&body))
}

/// Creates a delivery as the staff, and returns its id.
async fn delivery(client: TestClient, pool: PgPool, staff: String) -> Result<Fixture, Error> {
    let body = delivery_body(&pool).await?;
    let request = client.request("POST", "/deliveries").header("cookie", &staff);
    let created = request.json(&body).send().await?;
    Ok(Fixture::new()
        .header("cookie", staff)
        .param("id", &created.json()["id"]))
}

/// Logs another customer in, and fills the cart. Returns the header `cookie` of the customer.
async fn fill_cart(client: &TestClient, pool: &PgPool) -> Result<String, Error> {
    let cookie = log_in(client, pool, "customer").await?;
    let path = format!("/cart/{}", add_product(pool).await?);
    let request = client.request("PUT", &path).header("cookie", &cookie);
    request.json(&value!({ "quantity": 2 })).send().await?;
    Ok(cookie)
}

/// Fills the cart of another customer: that of the customer has more products than the shop, from the tests of the cart.
async fn filled_cart(client: TestClient, pool: PgPool) -> Result<Fixture, Error> {
    let cookie = fill_cart(&client, &pool).await?;
    Ok(Fixture::new()
        .header("cookie", cookie)
        .header("idempotency-key", unique_id()))
}

/// Creates an order of another customer.
async fn order(client: TestClient, pool: PgPool) -> Result<Fixture, Error> {
    let cookie = fill_cart(&client, &pool).await?;
    let request = client.request("POST", "/orders").header("cookie", &cookie);
    let order = request.header("idempotency-key", unique_id()).send().await?;
    Ok(Fixture::new()
        .header("cookie", cookie)
        .param("id", &order.json()["id"]))
}

//! Handlers of `PaymentRoutes`: each stores a payment in the transaction of the wrapper `once`.

use kit_runtime::postgres::RequestTransaction;
use kit_runtime::{Context, Cookie, HeaderName, HeaderValue, Reply};

use crate::app::App;
use crate::error::Error;
use crate::models::{PaymentNumber, PaymentText};
use crate::router::{PaymentRoutes, PostNothing, PostPayments, PostRefunds, PostStream, PostTransfers};

/// Stores a payment. The text `fail` fails afterwards, `slow` takes a second, `long` has a long answer, `cookie` sets a
/// cookie, and `none` stores nothing.
pub async fn pay(
    transaction: &RequestTransaction,
    context: &Context,
    body: PaymentText,
) -> Result<PaymentText, Error> {
    if body.text == "none" {
        return Ok(body);
    }
    let mut connection = transaction.connection().await?;
    let id: i32 = sqlx::query_scalar("insert into payments (text) values ($1) returning id")
        .bind(&body.text)
        .fetch_one(&mut *connection)
        .await?;
    match body.text.as_str() {
        "fail" => return Err(Error::conflict("SOLD_OUT", "There is no tea")),
        "slow" => {
            sqlx::query("select pg_sleep(1)").execute(&mut *connection).await?;
        }
        "long" => {
            let text = "x".repeat(2000);
            return Ok(PaymentText { text });
        }
        _ => {}
    }
    let value = HeaderValue::try_from(id.to_string())?;
    context.set_header(HeaderName::from_static("x-payment"), value);
    if body.text == "cookie" {
        context.set_cookie(&Cookie::new("a", "1"))?;
    }
    let text = format!("{} {id}", body.text);
    Ok(PaymentText { text })
}

impl PaymentRoutes for App {
    async fn post_payments(&self, input: PostPayments) -> Result<PaymentText, Error> {
        pay(&input.once.transaction, &input.context, input.body).await
    }

    async fn post_refunds(&self, input: PostRefunds) -> Result<PaymentText, Error> {
        pay(&input.once.transaction, &input.context, input.body).await
    }

    async fn post_transfers(&self, input: PostTransfers) -> Result<PaymentNumber, Error> {
        let mut connection = input.once.transaction.connection().await?;
        let id: i32 = sqlx::query_scalar("insert into payments (text) values ($1) returning id")
            .bind(&input.body.text)
            .fetch_one(&mut *connection)
            .await?;
        sqlx::query("update accounts set cents = cents - 1")
            .execute(&mut *connection)
            .await?;
        Ok(PaymentNumber { id: id.into() })
    }

    async fn post_nothing(&self, input: PostNothing) -> Result<(), Error> {
        pay(&input.once.transaction, &input.context, input.body).await?;
        Ok(())
    }

    async fn post_stream(&self, input: PostStream) -> Result<Reply, Error> {
        pay(&input.once.transaction, &input.context, input.body).await?;
        Ok(Reply::stream(async |mut chunks| chunks.send("a").await))
    }
}

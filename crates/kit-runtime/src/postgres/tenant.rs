//! Transactions that see only the rows of one tenant.

use sqlx::postgres::{PgConnection, Postgres};
use sqlx::{Executor as _, PgPool, Row as _, Transaction};

use super::{EndGuard, RequestTransaction};
use crate::{Error, Next, Passed, Replies, Wrapped};

/// Tenant to which all rows of a transaction belong. PostgreSQL adds the filter to the queries on tables with `@tenant`.
///
/// The tenant is a setting that ends with the transaction (`kit.tenant`), so connections may be shared, also by a pooler in
/// transaction mode. Queries outside of such a transaction find no rows of these tables.
///
/// A wrapper runs the requests of a route in such a transaction:
///
/// ```
/// use kit_runtime::postgres::{RequestTransaction, Tenant};
/// use kit_runtime::{Error, Never, Next, Request, Wrapped, Wrapper};
/// use sqlx::PgPool;
///
/// struct App {
///     pool: PgPool,
/// }
///
/// /// Tenant of the caller, which the middleware of the authentication has added to the context.
/// #[derive(Clone)]
/// struct Customer(String);
///
/// struct AsTenant {
///     /// Transaction in which the handler makes its queries.
///     transaction: RequestTransaction,
/// }
///
/// impl Wrapper<App> for AsTenant {
///     const NAME: &'static str = "asTenant";
///
///     type Reply = Never;
///
///     async fn run(app: &App, request: &Request, next: Next<'_, Self>) -> Result<Wrapped, Error> {
///         let customer = request.context().get::<Customer>();
///         let tenant = customer.as_ref().map_or("", |Customer(id)| id);
///         let adds = |transaction| Self { transaction };
///         Tenant::new(tenant).run(&app.pool, next, adds).await
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Tenant<'t> {
    id: &'t str,
    role: Option<&'t str>,
}

impl<'t> Tenant<'t> {
    /// Creates the tenant with an id: the text of the value of the column. An empty id is an error when a transaction begins.
    pub fn new(id: &'t str) -> Self {
        Self { id, role: None }
    }

    /// Sets the role of PostgreSQL that the transaction takes. Needed if the role of the connection ignores policies, as
    /// superusers do.
    ///
    /// ```
    /// let tenant = kit_runtime::postgres::Tenant::new("acme").role("tenant_user");
    /// # let _ = tenant;
    /// ```
    pub fn role(self, name: &'t str) -> Self {
        Self {
            role: Some(name),
            ..self
        }
    }

    /// Begins a transaction of the tenant, for code outside of requests.
    ///
    /// ```
    /// use kit_runtime::Error;
    /// use kit_runtime::postgres::Tenant;
    /// use sqlx::PgPool;
    ///
    /// async fn count(pool: &PgPool) -> Result<i64, Error> {
    ///     let mut transaction = Tenant::new("acme").begin(pool).await?;
    ///     let count = sqlx::query_scalar("SELECT count(*) FROM tasks")
    ///         .fetch_one(&mut *transaction)
    ///         .await?;
    ///     transaction.commit().await?;
    ///     Ok(count)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// 500 if the id is empty, or if the role ignores policies. 503 if the database cannot be reached.
    pub async fn begin(self, pool: &PgPool) -> Result<Transaction<'static, Postgres>, Error> {
        let mut transaction = pool.begin().await?;
        self.select(&mut transaction).await?;
        Ok(transaction)
    }

    /// Runs the rest of a request in a transaction of the tenant. `adds` creates the value that the wrapper adds to the
    /// request, with the transaction for the queries of the handler. If the wrapped code fails, everything is rolled back.
    ///
    /// # Errors
    ///
    /// - 500 if the id is empty, if the role ignores policies, or if the transaction cannot be committed.
    /// - 503 if the database cannot be reached.
    /// - The error of the wrapped code.
    pub async fn run<W, R: Replies>(
        self,
        pool: &PgPool,
        next: Next<'_, W>,
        adds: impl FnOnce(RequestTransaction) -> W + Send,
    ) -> Result<Wrapped<R>, Error> {
        let transaction = RequestTransaction::begin(pool, "BEGIN").await?;
        let _guard = EndGuard(transaction.clone());
        let answer = self.answer(&transaction, next, adds).await;
        transaction.end(answer).await.map(Wrapped::Passed)
    }

    async fn answer<W>(
        self,
        transaction: &RequestTransaction,
        next: Next<'_, W>,
        adds: impl FnOnce(RequestTransaction) -> W + Send,
    ) -> Result<Passed, Error> {
        self.select(&mut *transaction.own_connection().await?).await?;
        let answer = next.run(adds(transaction.clone())).await?;
        transaction.check_open().await?;
        Ok(answer)
    }

    /// Selects the rows of the tenant until the end of the transaction. The same statement reads if the role ignores policies.
    async fn select(self, connection: &mut PgConnection) -> Result<(), Error> {
        if self.id.is_empty() {
            return Err(Error::internal(
                "The tenant of a transaction is empty; name the tenant of the caller, or refuse the request before",
            ));
        }
        // These are not prepared statements, which not every pooler in transaction mode allows.
        if let Some(role) = self.role {
            let sql = format!("SET LOCAL ROLE {}", identifier(role)?);
            (&mut *connection).execute(sql.as_str()).await?;
        }
        let sql = format!(
            "SELECT rolname::text, rolsuper OR rolbypassrls, pg_catalog.set_config('kit.tenant', {}, true) \
             FROM pg_catalog.pg_roles WHERE rolname = current_user",
            literal(self.id)?
        );
        let rows = connection.fetch_all(sql.as_str()).await?;
        let own: Option<(String, bool)> = match rows.first() {
            Some(row) => Some((row.try_get(0)?, row.try_get(1)?)),
            None => None,
        };
        match own {
            Some((_, false)) => Ok(()),
            own => {
                let role = own.map_or("of the connection".to_owned(), |(role, _)| format!("\"{role}\""));
                Err(Error::internal(format!(
                    "The role {role} ignores the policies of tables with @tenant, so the transaction would see the rows of all \
                     tenants: connect as a role without SUPERUSER and BYPASSRLS, or name one with `Tenant::role`"
                )))
            }
        }
    }
}

/// Returns a text as a literal of SQL, for any setting of `standard_conforming_strings`.
fn literal(text: &str) -> Result<String, Error> {
    refuse_zero(text)?;
    Ok(format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''")))
}

/// Returns a name as an identifier of SQL.
fn identifier(name: &str) -> Result<String, Error> {
    refuse_zero(name)?;
    Ok(format!("\"{}\"", name.replace('"', "\"\"")))
}

/// Refuses a zero byte, which ends a message to PostgreSQL.
fn refuse_zero(text: &str) -> Result<(), Error> {
    if text.contains('\0') {
        return Err(Error::internal(
            "The tenant or the role of a transaction contains a zero byte, which PostgreSQL cannot store",
        ));
    }
    Ok(())
}

//! Handlers whose queries belong to the transaction of a wrapper: requests with idempotency keys, and rows of tenants.

use proc_macro2::TokenStream;
use quote::quote;

use super::{HandlerContext, Uses};
use crate::middleware::Middleware;
use crate::route_names::RouteNames;
use crate::source::ident;

impl HandlerContext<'_, '_> {
    /// Returns the wrapper in whose transaction the handler of a route makes its queries. Returns `None` if the handler uses the
    /// pool, or if types do not tell which of several wrappers has the transaction.
    pub(super) fn transaction_wrapper<'h>(self, handled: &'h RouteNames<'_>) -> Option<&'h Middleware> {
        let has_keys = handled.route.has_idempotency_keys();
        if !has_keys && !self.is_of_tenants(handled) {
            return None;
        }
        let wrappers = || {
            let middleware = handled.middleware.iter();
            middleware.filter(|middleware| middleware.wrapper.is_some())
        };
        let executes_once = |middleware: &&Middleware| {
            let mut wrappers = handled.route.wrappers.iter();
            wrappers.any(|wrapper| {
                wrapper.name == middleware.name
                    && wrapper.errors.iter().any(|code| code == "IDEMPOTENCY_KEY_IN_USE")
            })
        };
        if let Some(wrapper) = wrappers().find(executes_once) {
            return Some(wrapper);
        }
        let mut others = wrappers();
        others.next().filter(|_| others.next().is_none())
    }

    /// Returns true if the rows of a route belong to tenants.
    fn is_of_tenants(self, handled: &RouteNames<'_>) -> bool {
        if !self
            .database
            .tables
            .iter()
            .any(|stored| stored.table.tenant.is_some())
        {
            return false;
        }
        let listed = || Some(self.list_of(handled).ok()?.stored);
        let stored = self.resource(handled).or_else(listed);
        stored.is_some_and(|stored| stored.table.tenant.is_some())
    }
}

impl Uses {
    /// Starts a handler, whose queries belong to the transaction of a wrapper if `wrapper` is present.
    pub(super) fn start(&mut self, wrapper: Option<&Middleware>) {
        self.transaction = wrapper.map(|wrapper| {
            let module = ident(&wrapper.module);
            quote!(input.#module.transaction.connection().await?)
        });
    }

    /// Returns true if the queries of the handler belong to the transaction of a wrapper.
    pub(super) fn is_in_transaction(&self) -> bool {
        self.transaction.is_some()
    }

    /// Returns the statement that stores the transaction of the handler's queries in the variable `transaction`.
    pub(super) fn begin(&self) -> TokenStream {
        if let Some(connection) = &self.transaction {
            quote!(let mut transaction = #connection;)
        } else {
            quote!(let mut transaction = self.pool.begin().await?;)
        }
    }

    /// Returns the statement that commits the transaction. Returns `None` if a wrapper commits it.
    pub(super) fn commit(&self) -> Option<TokenStream> {
        (!self.is_in_transaction()).then(|| quote!(transaction.commit().await?;))
    }

    /// Denies a handler that reads several tables in the transaction of a wrapper, in which another request may change the rows
    /// between two of its queries.
    pub(super) fn deny_reads_of_several_tables(&mut self) {
        if self.is_in_transaction() {
            self.deny(
                "it reads several tables, which needs one state of the database, but the transaction of the wrapper may read \
                 later changes"
                    .to_owned(),
            );
        }
    }
}

//! Handlers of `CartRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::models::Cart;
use crate::router::{CartRoutes, DeleteCartBySlug, GetCart, PutCartBySlug};
use crate::services::cart;

impl CartRoutes for App {
    async fn get_cart(&self, input: GetCart) -> Result<Cart, Error> {
        cart::read(&self.pool, input.require_session.auth.subject()).await
    }

    async fn put_cart_by_slug(&self, input: PutCartBySlug) -> Result<Cart, Error> {
        let account_id = input.require_session.auth.subject();
        let (slug, quantity) = (&input.params.slug, input.body.quantity);
        cart::set_quantity(&self.pool, account_id, slug, quantity).await
    }

    async fn delete_cart_by_slug(&self, input: DeleteCartBySlug) -> Result<Cart, Error> {
        let account_id = input.require_session.auth.subject();
        cart::remove(&self.pool, account_id, &input.params.slug).await
    }
}

//! Layers of tower around some routes of an application.

use std::sync::Arc;

use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;

use super::normal_uri::make_normal;
use super::{Application, Error, Router};

impl<A: Application> Router<A> {
    /// Returns an axum router that passes the requests of some routes to other routers. These are usually this router with
    /// a layer of tower around it.
    ///
    /// The router of kit decides to which route a request belongs. So no spelling of a path, such as `/%65xports/7` or
    /// `/exports/7/`, bypasses a layer, and `HEAD` has the layer of `GET`. A layer runs outside of middleware and wrappers,
    /// and sees the response as it is sent, also that of an error.
    ///
    /// ```
    /// # use kit_runtime::{Application, Error, Request, Response, Routes, Segment, StatusCode};
    /// # #[derive(Clone)]
    /// # struct App;
    /// # impl Application for App {
    /// #     async fn ready(&self) -> Result<(), Error> { Ok(()) }
    /// # }
    /// # async fn export(_app: App, request: Request) -> Result<Response, Error> {
    /// #     Ok(Response::empty(request.context(), StatusCode::OK))
    /// # }
    /// use kit_runtime::axum::{self, middleware::map_response};
    ///
    /// # let router = Routes::new(App).route("GET /exports/:id", &[Segment::Static("exports"), Segment::Parameter("id")], export).into_router();
    /// async fn mark(response: axum::response::Response) -> impl axum::response::IntoResponse {
    ///     ([("x-layer", "1")], response)
    /// }
    ///
    /// let exports = axum::Router::from(router.clone()).layer(map_response(mark));
    /// let program: axum::Router = router.split([("GET /exports/:id", exports)])?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a route does not exist. Its name has the form of [`Context::route`](super::Context::route).
    pub fn split(
        self,
        parts: impl IntoIterator<Item = (&'static str, axum::Router)>,
    ) -> Result<axum::Router, Error> {
        // axum clones the function below for each request.
        let parts: Arc<[_]> = parts.into_iter().collect();
        let known: Vec<_> = (0..).map_while(|number| self.reference(number)).collect();
        for (route, _) in parts.iter() {
            if !known.contains(route) {
                return Err(Error::internal(format!(
                    "`{route}` is not a route of the application, so it cannot have a layer. The routes are: {}",
                    known.join(", ")
                )));
            }
        }
        let others = axum::Router::from(self.clone());
        Ok(
            axum::Router::new().fallback(move |mut request: axum::extract::Request| {
                make_normal(request.uri_mut());
                let number = self.find(request.method().as_str(), request.uri().path());
                let route = number.and_then(|number| self.reference(number));
                let part = parts.iter().find(|(name, _)| Some(*name) == route);
                let chosen = part.map_or(&others, |(_, router)| router).clone();
                async move {
                    match TowerToHyperService::new(chosen).call(request).await {
                        Ok(response) => response,
                        Err(never) => match never {},
                    }
                }
            }),
        )
    }
}

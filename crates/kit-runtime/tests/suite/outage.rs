//! Tests a PostgreSQL that refuses connections for a while.
#![cfg(feature = "sqlx")]
#![allow(clippy::incompatible_msrv)] // the minimum Rust version applies to the sources, not to the tests

use kit_test_postgres as support;

use std::sync::Arc;
use std::time::Duration;

use kit_runtime::postgres::connect;
use kit_runtime::{Error, StatusCode};
use sqlx::PgPool;
use support::own_server;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

/// Proxy that forwards connections from a port to PostgreSQL. Closing it looks like an outage of PostgreSQL.
struct Carrier {
    port: u16,
    listening: JoinSet<()>,
    connections: Arc<Mutex<JoinSet<()>>>,
}

impl Carrier {
    /// Opens the proxy on a port. Port 0 stands for any free port.
    async fn open(port: u16, target: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port))
            .await
            .expect("the port is free");
        let port = listener.local_addr().expect("an address").port();
        let connections = Arc::new(Mutex::new(JoinSet::new()));
        let accepted = Arc::clone(&connections);
        let mut listening = JoinSet::new();
        listening.spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                accepted.lock().await.spawn(async move {
                    let mut server = TcpStream::connect(("127.0.0.1", target))
                        .await
                        .expect("PostgreSQL");
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                });
            }
        });
        Self {
            port,
            listening,
            connections,
        }
    }

    /// Refuses new connections and breaks the open ones. Returns when all are broken.
    async fn close(mut self) {
        self.listening.shutdown().await;
        self.connections.lock().await.shutdown().await;
    }
}

async fn ask(pool: &PgPool) -> Result<i32, sqlx::Error> {
    sqlx::query_scalar("SELECT 1").fetch_one(pool).await
}

#[test]
fn requests_fail_immediately_while_the_database_refuses_connections() {
    let Some(server) = own_server(
        "requests_fail_immediately_while_the_database_refuses_connections",
        &[],
        &[],
    ) else {
        return;
    };
    let url = server.url();
    let target: u16 = url
        .rsplit(':')
        .next()
        .and_then(|end| end.split('/').next()?.parse().ok())
        .expect("a port");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let mut carrier = Carrier::open(0, target).await;
        let port = carrier.port;
        let url = url.replace(&target.to_string(), &port.to_string()) + "?sslmode=disable";
        let pool = connect(&url).await.expect("a pool");
        // The pool pings a connection only if it was idle for some time. A query on a broken connection fails before that.
        for idle in [Duration::ZERO, Duration::from_millis(200)] {
            for _ in 0..2 {
                assert_eq!(ask(&pool).await.expect("an answer"), 1);
            }
            // A connection returns to the pool in the background. Without an idle connection, only the timeout of the
            // pool would reveal the outage.
            while pool.num_idle() == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            tokio::time::sleep(idle).await;
            carrier.close().await;
            for _ in 0..3 {
                // The pool of sqlx would retry until its timeout and return `PoolTimedOut`.
                let error = ask(&pool).await.expect_err("nobody listens there");
                assert!(
                    matches!(error, sqlx::Error::Io(_)),
                    "idle for {idle:?}: {error:?}"
                );
                // Handlers return the error of a query to the server.
                assert_eq!(Error::from(error).status(), StatusCode::SERVICE_UNAVAILABLE);
            }
            carrier = Carrier::open(port, target).await;
            let mut answer = ask(&pool).await;
            while let Err(error) = answer {
                assert!(matches!(error, sqlx::Error::Io(_)), "{error:?}");
                tokio::time::sleep(Duration::from_millis(20)).await;
                answer = ask(&pool).await;
            }
            assert_eq!(answer.expect("an answer"), 1);
        }
    });
}

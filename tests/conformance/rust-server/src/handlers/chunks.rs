//! Handlers of `ChunkRoutes`.

use crate::app::App;
use crate::error::Error;
use crate::models::ChunksRead;
use crate::router::{ChunkRoutes, PutChunks, PutChunksFirst};

impl ChunkRoutes for App {
    async fn put_chunks(&self, mut input: PutChunks) -> Result<ChunksRead, Error> {
        let (mut bytes, mut sum) = (0.0, 0.0);
        while let Some(chunk) = input.body.next_chunk().await? {
            for byte in &chunk {
                bytes += 1.0;
                sum += f64::from(*byte);
            }
        }
        let r#type = input.body.media_type().to_owned();
        Ok(ChunksRead { r#type, bytes, sum })
    }

    async fn put_chunks_first(&self, mut input: PutChunksFirst) -> Result<ChunksRead, Error> {
        let chunk = input.body.next_chunk().await?.unwrap_or_default();
        let (mut bytes, mut sum) = (0.0, 0.0);
        for byte in &chunk {
            bytes += 1.0;
            sum += f64::from(*byte);
        }
        let r#type = input.body.media_type().to_owned();
        Ok(ChunksRead { r#type, bytes, sum })
    }
}

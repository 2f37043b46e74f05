//! Handlers of `PhotoRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::models::{Book, Photo, PostImportsResponse};
use crate::router::{
    GetBooks, GetEvents, GetEventsEvent, GetFilm, GetImage, GetReport, GetReportReply, GetTable,
    PhotoRoutes, PostArchives, PostAvatars, PostBlobs, PostComments, PostFiles, PostHooks,
    PostIcons, PostImages, PostImports, PostPhotos, PostSessions, PostTables, PostVideos,
};

impl PhotoRoutes for App {
    async fn post_sessions(&self, _input: PostSessions) -> Result<(), Error> {
        Err(Error::not_implemented(
            "POST /sessions",
            "src/handlers/photos.rs",
        ))
    }

    async fn post_photos(&self, _input: PostPhotos) -> Result<Photo, Error> {
        Err(Error::not_implemented(
            "POST /photos",
            "src/handlers/photos.rs",
        ))
    }

    async fn post_files(&self, _input: PostFiles) -> Result<(), Error> {
        Err(Error::not_implemented(
            "POST /files",
            "src/handlers/photos.rs",
        ))
    }

    async fn post_comments(&self, _input: PostComments) -> Result<(), Error> {
        Err(Error::not_implemented(
            "POST /comments",
            "src/handlers/photos.rs",
        ))
    }

    async fn post_videos(&self, _input: PostVideos) -> Result<(), Error> {
        Err(Error::not_implemented(
            "POST /videos",
            "src/handlers/photos.rs",
        ))
    }

    async fn post_archives(&self, _input: PostArchives) -> Result<(), Error> {
        Err(Error::not_implemented(
            "POST /archives",
            "src/handlers/photos.rs",
        ))
    }

    async fn post_avatars(&self, _input: PostAvatars) -> Result<(), Error> {
        Err(Error::not_implemented(
            "POST /avatars",
            "src/handlers/photos.rs",
        ))
    }

    async fn post_hooks(&self, _input: PostHooks) -> Result<(), Error> {
        Err(Error::not_implemented(
            "POST /hooks",
            "src/handlers/photos.rs",
        ))
    }

    async fn post_blobs(&self, _input: PostBlobs) -> Result<(), Error> {
        Err(Error::not_implemented(
            "POST /blobs",
            "src/handlers/photos.rs",
        ))
    }

    async fn post_tables(&self, _input: PostTables) -> Result<(), Error> {
        Err(Error::not_implemented(
            "POST /tables",
            "src/handlers/photos.rs",
        ))
    }

    async fn post_images(&self, _input: PostImages) -> Result<(), Error> {
        Err(Error::not_implemented(
            "POST /images",
            "src/handlers/photos.rs",
        ))
    }

    async fn post_icons(&self, _input: PostIcons) -> Result<(), Error> {
        Err(Error::not_implemented(
            "POST /icons",
            "src/handlers/photos.rs",
        ))
    }

    async fn post_imports(&self, _input: PostImports) -> Result<PostImportsResponse, Error> {
        Err(Error::not_implemented(
            "POST /imports",
            "src/handlers/photos.rs",
        ))
    }

    async fn get_table(&self, _input: GetTable) -> Result<kit_runtime::Content<String>, Error> {
        Err(Error::not_implemented(
            "GET /table",
            "src/handlers/photos.rs",
        ))
    }

    async fn get_image(
        &self,
        _input: GetImage,
    ) -> Result<kit_runtime::Content<kit_runtime::BodyBytes>, Error> {
        Err(Error::not_implemented(
            "GET /image",
            "src/handlers/photos.rs",
        ))
    }

    async fn get_books(&self, _input: GetBooks) -> Result<kit_runtime::Lines<Book>, Error> {
        Err(Error::not_implemented(
            "GET /books",
            "src/handlers/photos.rs",
        ))
    }

    async fn get_events(
        &self,
        _input: GetEvents,
    ) -> Result<kit_runtime::Events<GetEventsEvent>, Error> {
        Err(Error::not_implemented(
            "GET /events",
            "src/handlers/photos.rs",
        ))
    }

    async fn get_film(&self, _input: GetFilm) -> Result<kit_runtime::Download, Error> {
        Err(Error::not_implemented(
            "GET /film",
            "src/handlers/photos.rs",
        ))
    }

    async fn get_report(&self, _input: GetReport) -> Result<GetReportReply, Error> {
        Err(Error::not_implemented(
            "GET /report",
            "src/handlers/photos.rs",
        ))
    }
}

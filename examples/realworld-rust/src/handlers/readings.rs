//! Handlers of `ReadingRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::models::{
    ArticlePage, ArticleResponse, GetApiArticlesBySlugCommentsResponse, GetApiTagsResponse,
};
use crate::router::{
    GetApiArticles, GetApiArticlesBySlug, GetApiArticlesBySlugComments, GetApiTags, ReadingRoutes,
};
use crate::services::{articles, comments};

const TAGS: &str = "SELECT DISTINCT jsonb_array_elements_text(tag_list) AS tag FROM articles ORDER BY tag LIMIT 1000";

impl ReadingRoutes for App {
    async fn get_api_articles(&self, input: GetApiArticles) -> Result<ArticlePage, Error> {
        let reader_id = input.read_member.reader_id();
        articles::page(&self.pool, reader_id, &input.query.into()).await
    }

    async fn get_api_articles_by_slug(
        &self,
        input: GetApiArticlesBySlug,
    ) -> Result<ArticleResponse, Error> {
        let reader_id = input.read_member.reader_id();
        let article = articles::get(&self.pool, reader_id, &input.params.slug).await?;
        Ok(ArticleResponse { article })
    }

    async fn get_api_articles_by_slug_comments(
        &self,
        input: GetApiArticlesBySlugComments,
    ) -> Result<GetApiArticlesBySlugCommentsResponse, Error> {
        let reader_id = input.read_member.reader_id();
        let article = articles::find(&self.pool, &input.params.slug).await?;
        let comments = comments::of_article(&self.pool, reader_id, &article.id).await?;
        Ok(GetApiArticlesBySlugCommentsResponse { comments })
    }

    async fn get_api_tags(&self, _input: GetApiTags) -> Result<GetApiTagsResponse, Error> {
        let tags = sqlx::query_scalar(TAGS).fetch_all(&self.pool).await?;
        Ok(GetApiTagsResponse { tags })
    }
}

//! Handlers of `WritingRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::db::article::{self, ArticleChanges};
use crate::db::comment::{self, NewComment};
use crate::db::favorite;
use crate::error::{AppError, Error};
use crate::models::{
    ArticlePage, ArticleResponse, CommentResponse, NewArticle, PutApiArticlesBySlugBodyArticle,
};
use crate::router::{
    DeleteApiArticlesBySlug, DeleteApiArticlesBySlugCommentsById, DeleteApiArticlesBySlugFavorite,
    GetApiArticlesFeed, PostApiArticles, PostApiArticlesBySlugComments,
    PostApiArticlesBySlugFavorite, PutApiArticlesBySlug, WritingRoutes,
};
use crate::services::articles::{self, Selection};
use crate::services::comments;

const FAVORITE: &str = "INSERT INTO favorites (account_id, article_id) VALUES ($1::uuid, $2::uuid) ON CONFLICT DO NOTHING";

impl WritingRoutes for App {
    async fn get_api_articles_feed(&self, input: GetApiArticlesFeed) -> Result<ArticlePage, Error> {
        let user_id = input.require_member.user_id().to_owned();
        let selection = Selection {
            follower: Some(user_id.clone()),
            limit: input.query.limit,
            offset: input.query.offset,
            ..Selection::default()
        };
        articles::page(&self.pool, Some(&user_id), &selection).await
    }

    async fn post_api_articles(&self, input: PostApiArticles) -> Result<ArticleResponse, Error> {
        let NewArticle {
            title,
            description,
            body,
            tag_list,
        } = input.body.article;
        let new = article::NewArticle {
            id: None,
            slug: articles::slug_of(&title),
            author_id: input.require_member.user_id().to_owned(),
            title,
            description,
            body,
            tag_list: Some(tag_list),
            created_at: None,
        };
        article::insert(&self.pool, &new).await?;
        let reader_id = Some(input.require_member.user_id());
        let article = articles::get(&self.pool, reader_id, &new.slug).await?;
        Ok(ArticleResponse { article })
    }

    async fn put_api_articles_by_slug(
        &self,
        input: PutApiArticlesBySlug,
    ) -> Result<ArticleResponse, Error> {
        let user_id = input.require_member.user_id();
        let id = articles::own(&self.pool, user_id, &input.params.slug).await?;
        let PutApiArticlesBySlugBodyArticle {
            title,
            description,
            body,
            tag_list,
        } = input.body.article;
        let slug = match &title {
            Some(title) => articles::slug_of(title),
            None => input.params.slug,
        };
        let changes = ArticleChanges {
            slug: Some(slug.clone()),
            author_id: None,
            title,
            description,
            body,
            tag_list,
        };
        article::update(&self.pool, &id, &changes).await?;
        let article = articles::get(&self.pool, Some(user_id), &slug).await?;
        Ok(ArticleResponse { article })
    }

    async fn delete_api_articles_by_slug(
        &self,
        input: DeleteApiArticlesBySlug,
    ) -> Result<(), Error> {
        let user_id = input.require_member.user_id();
        let id = articles::own(&self.pool, user_id, &input.params.slug).await?;
        article::delete(&self.pool, &id).await?;
        Ok(())
    }

    async fn post_api_articles_by_slug_favorite(
        &self,
        input: PostApiArticlesBySlugFavorite,
    ) -> Result<ArticleResponse, Error> {
        let user_id = input.require_member.user_id();
        let found = articles::find(&self.pool, &input.params.slug).await?;
        let insert = sqlx::query(FAVORITE).bind(user_id).bind(found.id);
        insert.execute(&self.pool).await?;
        let article = articles::get(&self.pool, Some(user_id), &found.slug).await?;
        Ok(ArticleResponse { article })
    }

    async fn delete_api_articles_by_slug_favorite(
        &self,
        input: DeleteApiArticlesBySlugFavorite,
    ) -> Result<ArticleResponse, Error> {
        let user_id = input.require_member.user_id();
        let found = articles::find(&self.pool, &input.params.slug).await?;
        favorite::delete(&self.pool, user_id, &found.id).await?;
        let article = articles::get(&self.pool, Some(user_id), &found.slug).await?;
        Ok(ArticleResponse { article })
    }

    async fn post_api_articles_by_slug_comments(
        &self,
        input: PostApiArticlesBySlugComments,
    ) -> Result<CommentResponse, Error> {
        let user_id = input.require_member.user_id().to_owned();
        let article = articles::find(&self.pool, &input.params.slug).await?;
        let new = NewComment {
            article_id: article.id,
            author_id: user_id.clone(),
            body: input.body.comment.body,
            created_at: None,
        };
        let added = comment::insert(&self.pool, &new).await?;
        let comment = comments::get(&self.pool, Some(&user_id), added.id).await?;
        Ok(CommentResponse { comment })
    }

    async fn delete_api_articles_by_slug_comments_by_id(
        &self,
        input: DeleteApiArticlesBySlugCommentsById,
    ) -> Result<(), Error> {
        let article = articles::find(&self.pool, &input.params.slug).await?;
        let comment = comment::get(&self.pool, input.params.id).await?;
        let Some(comment) = comment.filter(|comment| comment.article_id == article.id) else {
            return Err(AppError::CommentNotFound.with("not found"));
        };
        if comment.author_id != input.require_member.user_id() {
            return Err(AppError::CommentForbidden.with("forbidden"));
        }
        comment::delete(&self.pool, comment.id).await?;
        Ok(())
    }
}

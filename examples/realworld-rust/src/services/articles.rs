//! Articles as the reader sees them.

use kit_runtime::sql;
use sqlx::postgres::PgRow;
use sqlx::{PgPool, Postgres, QueryBuilder, Row as _};
use unicode_normalization::UnicodeNormalization as _;

use super::errors::article_not_found;
use super::profiles;
use crate::error::{AppError, Error};
use crate::models::{Article, ArticleFilter, ArticlePage, ArticleSummary, ArticleView};

/// Maximum length of a slug.
const SLUG: usize = 100;

/// Articles of a list. An omitted condition selects all articles.
#[derive(Default)]
pub struct Selection {
    /// Tag of the articles.
    pub tag: Option<String>,
    /// Name of the author.
    pub author: Option<String>,
    /// Name of an account that likes the articles.
    pub favorited: Option<String>,
    /// Id of an account that follows the authors.
    pub follower: Option<String>,
    /// Maximum number of articles on the page.
    pub limit: Option<i64>,
    /// Number of articles before the page.
    pub offset: Option<i64>,
}

impl From<ArticleFilter> for Selection {
    fn from(filter: ArticleFilter) -> Self {
        Self {
            tag: filter.tag,
            author: filter.author,
            favorited: filter.favorited,
            follower: None,
            limit: filter.limit,
            offset: filter.offset,
        }
    }
}

impl Selection {
    /// Adds the conditions to a query.
    fn add_to<'q>(&'q self, query: &mut QueryBuilder<'q, Postgres>) {
        query.push(" WHERE true");
        if let Some(tag) = &self.tag {
            query
                .push(" AND tag_list @> ")
                .push_bind(sqlx::types::Json([tag]));
        }
        if let Some(author) = &self.author {
            query.push(" AND author_id IN (SELECT id FROM accounts WHERE username = ");
            query.push_bind(author).push(")");
        }
        if let Some(favorited) = &self.favorited {
            query.push(" AND articles.id IN (SELECT article_id FROM favorites JOIN accounts ON accounts.id = account_id");
            query
                .push(" WHERE username = ")
                .push_bind(favorited)
                .push(")");
        }
        if let Some(follower) = &self.follower {
            query.push(" AND author_id IN (SELECT followed_id FROM follows WHERE follower_id = ");
            query.push_bind(follower).push("::uuid)");
        }
    }
}

/// Returns the part of the URL that names an article: words of its title, and a random end, because titles may be equal.
pub fn slug_of(title: &str) -> String {
    let title: String = title.nfkd().flat_map(char::to_lowercase).collect();
    let words = title.split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit());
    let mut slug = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        slug.push_str(word);
        slug.push('-');
    }
    slug.push_str(&format!("{:08x}", rand::random::<u32>()));
    slug.split_off(slug.len().saturating_sub(SLUG))
}

/// Returns one page of articles, the newest first.
pub async fn page(
    pool: &PgPool,
    reader_id: Option<&str>,
    selection: &Selection,
) -> Result<ArticlePage, Error> {
    let mut rows = select(reader_id);
    selection.add_to(&mut rows);
    rows.push(" ORDER BY articles.created_at DESC, articles.id DESC LIMIT ");
    rows.push_bind(selection.limit.unwrap_or(20))
        .push(" OFFSET ");
    rows.push_bind(selection.offset.unwrap_or(0));
    let mut count = QueryBuilder::new("SELECT count(*) FROM articles");
    selection.add_to(&mut count);
    let (articles, articles_count) = tokio::try_join!(
        rows.build().try_map(|row| summary(&row)).fetch_all(pool),
        count.build_query_scalar().fetch_one(pool),
    )?;
    Ok(ArticlePage {
        articles,
        articles_count,
    })
}

/// Returns the article with this slug.
pub async fn get(pool: &PgPool, reader_id: Option<&str>, slug: &str) -> Result<ArticleView, Error> {
    let mut query = select(reader_id);
    query.push(" WHERE slug = ").push_bind(slug);
    let found = query
        .build()
        .try_map(|row| view(&row))
        .fetch_optional(pool)
        .await?;
    found.ok_or_else(article_not_found)
}

/// Returns the row of the article with this slug.
pub async fn find(pool: &PgPool, slug: &str) -> Result<Article, Error> {
    let query = sqlx::query_as("SELECT * FROM articles WHERE slug = $1").bind(slug);
    query
        .fetch_optional(pool)
        .await?
        .ok_or_else(article_not_found)
}

/// Returns the id of an article that the user wrote.
pub async fn own(pool: &PgPool, user_id: &str, slug: &str) -> Result<String, Error> {
    let article = find(pool, slug).await?;
    if article.author_id != user_id {
        return Err(AppError::ArticleForbidden.with("forbidden"));
    }
    Ok(article.id)
}

/// Returns the query for articles. Its first argument is the id of the reader.
fn select(reader_id: Option<&str>) -> QueryBuilder<'_, Postgres> {
    let mut query = QueryBuilder::new(
        "SELECT slug, title, description, body, tag_list, created_at, updated_at,
        (SELECT count(*) FROM favorites WHERE article_id = articles.id) AS favorites_count,
        EXISTS (SELECT FROM favorites WHERE article_id = articles.id AND account_id = ",
    );
    query.push_bind(reader_id).push("::uuid) AS favorited, ");
    query.push(profiles::COLUMNS);
    query.push(" FROM articles JOIN accounts ON accounts.id = author_id");
    query
}

fn summary(row: &PgRow) -> Result<ArticleSummary, sqlx::Error> {
    Ok(ArticleSummary {
        slug: row.try_get("slug")?,
        title: row.try_get("title")?,
        description: row.try_get("description")?,
        tag_list: sql::json(row, "tag_list")?,
        created_at: row.try_get("created_at")?,
        updated_at: row.try_get("updated_at")?,
        favorited: row.try_get("favorited")?,
        favorites_count: row.try_get("favorites_count")?,
        author: profiles::from_row(row)?,
    })
}

fn view(row: &PgRow) -> Result<ArticleView, sqlx::Error> {
    let article = summary(row)?;
    Ok(ArticleView {
        slug: article.slug,
        title: article.title,
        description: article.description,
        body: row.try_get("body")?,
        tag_list: article.tag_list,
        created_at: article.created_at,
        updated_at: article.updated_at,
        favorited: article.favorited,
        favorites_count: article.favorites_count,
        author: article.author,
    })
}

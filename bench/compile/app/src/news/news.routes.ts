import type { RouteContract } from "@kit/types";
import type { Paginated } from "../shared/common.types.ts";
import type {
  NewsItem,
  CreateNewsItem,
  UpdateNewsItem,
  NewsItemDetails,
  NewsItemFilter,
  NewsItemSummary,
  NewsRecord,
  CreateNewsRecord,
  UpdateNewsRecord,
  NewsRecordDetails,
  NewsRecordFilter,
  NewsRecordSummary,
  NewsTopic,
  CreateNewsTopic,
  UpdateNewsTopic,
  NewsTopicDetails,
  NewsTopicFilter,
  NewsTopicSummary,
} from "./news.types.ts";

/** Routes of news. */
export interface NewsRoutes {
  /**
   * Newest first.
   *
   * @summary Lists news
   * @tag news
   */
  "GET /items": RouteContract<void, NewsItemFilter, void, Paginated<NewsItemSummary>>;
  /**
   * @summary Adds to news
   * @tag news
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /items": RouteContract<void, void, CreateNewsItem, NewsItem>;
  /**
   * @summary Reads of news
   * @tag news
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /items/:id": RouteContract<{ id: string }, void, void, NewsItemDetails>;
  /**
   * @summary Changes news
   * @tag news
   */
  "PATCH /items/:id": RouteContract<{ id: string }, void, UpdateNewsItem, NewsItem>;
  /** @tag news */
  "DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists news
   * @tag news
   */
  "GET /records": RouteContract<void, NewsRecordFilter, void, Paginated<NewsRecordSummary>>;
  /**
   * @summary Adds to news
   * @tag news
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /records": RouteContract<void, void, CreateNewsRecord, NewsRecord>;
  /**
   * @summary Reads of news
   * @tag news
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /records/:id": RouteContract<{ id: string }, void, void, NewsRecordDetails>;
  /**
   * @summary Changes news
   * @tag news
   */
  "PATCH /records/:id": RouteContract<{ id: string }, void, UpdateNewsRecord, NewsRecord>;
  /** @tag news */
  "DELETE /records/:id": RouteContract<{ id: string }, void, void, void>;
  /**
   * Newest first.
   *
   * @summary Lists news
   * @tag news
   */
  "GET /topics": RouteContract<void, NewsTopicFilter, void, Paginated<NewsTopicSummary>>;
  /**
   * @summary Adds to news
   * @tag news
   * @throws CONFLICT 409 The slug is taken.
   */
  "POST /topics": RouteContract<void, void, CreateNewsTopic, NewsTopic>;
  /**
   * @summary Reads of news
   * @tag news
   * @throws NOT_FOUND 404 There is none.
   */
  "GET /topics/:id": RouteContract<{ id: string }, void, void, NewsTopicDetails>;
  /**
   * @summary Changes news
   * @tag news
   */
  "PATCH /topics/:id": RouteContract<{ id: string }, void, UpdateNewsTopic, NewsTopic>;
  /** @tag news */
  "DELETE /topics/:id": RouteContract<{ id: string }, void, void, void>;
}

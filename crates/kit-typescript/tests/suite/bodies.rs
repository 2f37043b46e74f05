//! Tests of formats of bodies: `Json`, `Form`, `Multipart`, `Raw`, `Chunks`, `Text`, `Bytes`, `Download`, `Lines`
//! and `Events`, and unions of them.

use crate::support::{check, check_mistakes};

const HEAD: &str = "import type { Bytes, Chunks, Download, Events, Failure, Form, Json, Lines, Multipart, Raw, Reply, Route, RouteContract as RC, Text, Upload, Uploads } from \"@kit/types\";\n";

fn routes(text: &str) -> String {
    format!("{HEAD}{}", crate::support::dedent(text))
}

#[track_caller]
fn read(text: &str, expected: &str) {
    check(&[("src/a.routes.ts", &routes(text))], expected);
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    check_mistakes(&[("src/a.routes.ts", &routes(text))], expected);
}

#[test]
fn reads_every_format_of_a_request() {
    read(
        r#"
        interface Meta { album: string }
        interface NewPhoto {
          title: string;
          tags?: string[];
          meta: Meta;
          /**
           * Picture.
           * @maxBytes 5 MiB
           * @mime image/png, image/jpeg
           */
          photo: File;
          /** @maxItems 3 */
          more?: File[];
        }
        export interface PhotoRoutes {
          "POST /login": Route<{ body: Form<{ name: string; remember?: boolean }> }>;
          "POST /photos": Route<{ body: Multipart<NewPhoto> }>;
          "POST /files": Route<{ body: Multipart<{ file: File }> }>;
          "POST /texts": Route<{ body: Multipart<{ text: string }> }>;
          "POST /videos": Route<{ body: Multipart<{
            title: string;
            /** @maxBytes 1 GiB @mime video/* */
            video?: Upload;
          }> }>;
          "POST /archives": Route<{ body: Multipart<{
            /** @minItems 1 @maxItems 3 */
            files: Uploads;
          }> }>;
          "POST /hook": Route<{ body: Raw<"application/json"> }>;
          "POST /any": Route<{ body: Raw }>;
          "POST /csv": RC<void, void, Text<"text/csv" | "text/tab-separated-values">, void>;
          "POST /image": Route<{ body: Bytes<"image/*"> }>;
          "POST /import": Route<{ body: Lines<Meta> }>;
          "PUT /film": Route<{ body: Chunks<"video/mp4" | "video/webm"> }>;
          "PUT /bytes": Route<{ body: Chunks }>;
        }
        "#,
        r"
        type Meta = {
          album: string;
        }
        type PostLoginBody = {
          name: string;
          remember?: boolean;
        }
        type PostPhotosBody = {
          title: string;
          tags?: string[];
          meta: Meta;
        }
        type PostTextsBody = {
          text: string;
        }
        type PostVideosBody = {
          title: string;
        }
        route POST /login 204 body: PostLoginBody body as Form
        route POST /photos 204 body: PostPhotosBody body as Multipart photo: File (at most 5242880 bytes, image/png, image/jpeg) more?: File[] (at most 3)
        route POST /files 204 body as Multipart file: File
        route POST /texts 204 body: PostTextsBody body as Multipart
        route POST /videos 204 body: PostVideosBody body as Multipart video?: Upload (at most 1073741824 bytes, video/*)
        route POST /archives 204 body as Multipart files: Uploads (at least 1, at most 3)
        route POST /hook 204 body as Raw application/json
        route POST /any 204 body as Raw */*
        route POST /csv 204 body as Text text/csv text/tab-separated-values
        route POST /image 204 body as Bytes image/*
        route POST /import 204 body: Meta body as Lines
        route PUT /film 204 body as Chunks video/mp4 video/webm
        route PUT /bytes 204 body as Chunks */*
        ",
    );
}

#[test]
fn reads_every_format_of_a_response_and_of_replies() {
    read(
        r#"
        interface Progress { percent: number }
        export interface ExportRoutes {
          "GET /csv": Route<{ response: Text<"text/csv"> }>;
          "POST /image": Route<{ response: Bytes<"image/png"> }>;
          "GET /film": Route<{ response: Download<"video/mp4"> }>;
          "GET /file": RC<void, void, void, Download>;
          "GET /rows": Route<{ response: Lines<{ id: number }> }>;
          "GET /watch": Route<{ response: Events<{ progress: Progress; done: void }> }>;
          "GET /either": Route<{ response: Reply<200, Text> | Reply<202, Progress> }>;
        }
        "#,
        r"
        type Progress = {
          percent: number;
        }
        type GetRowsResponseLine = {
          id: number;
        }
        route GET /csv 200 response as Text text/csv
        route POST /image 200 response as Bytes image/png
        route GET /film 200 response as Download video/mp4
        route GET /file 200 response as Download application/octet-stream
        route GET /rows 200 response: GetRowsResponseLine response as Lines
        route GET /watch 200 response as Events progress: Progress done
        route GET /either 200 reply 200 as Text text/plain reply 202 Progress
        ",
    );
}

#[test]
fn reads_unions_of_formats_of_requests() {
    read(
        r#"
        interface Order { title: string }
        interface Other { name: string }
        type Anything = Json<Order> | Form<Order>;
        export interface OrderRoutes {
          "POST /json": Route<{ body: Json<Order> }>;
          "POST /alias": Route<{ body: Anything }>;
          "POST /plain": Route<{ body: Text<"text/csv"> | Order | Other }>;
          "POST /inline": Route<{ body: Json<{ a: string }> | Form<{ b: string }> | Multipart<{ c: string; d: File }> }>;
          "POST /flag": Route<{ body: boolean | Bytes<"image/*"> | Raw<"application/pdf"> }>;
        }
        "#,
        r"
        type Order = {
          title: string;
        }
        type Other = {
          name: string;
        }
        type PostPlainBodyJson = Order | Other
        type PostInlineBodyJson = {
          a: string;
        }
        type PostInlineBodyForm = {
          b: string;
        }
        type PostInlineBodyMultipart = {
          c: string;
        }
        type PostFlagBodyJson = boolean
        route POST /json 204 body: Order
        route POST /alias 204 body as OneOf Json Order | Form Order
        route POST /plain 204 body as OneOf Text text/csv | Json PostPlainBodyJson
        route POST /inline 204 body as OneOf Json PostInlineBodyJson | Form PostInlineBodyForm | Multipart d: File PostInlineBodyMultipart
        route POST /flag 204 body as OneOf Json PostFlagBodyJson | Bytes image/* | Raw application/pdf
        ",
    );
}

#[test]
fn reads_unions_of_formats_of_responses_and_of_replies() {
    read(
        r#"
        interface Order { title: string }
        export interface OrderRoutes {
          "GET /json": Route<{ response: Json<Order> }>;
          "POST /report": Route<{ response: Json<Order> | Text<"text/csv"> | Bytes<"application/pdf"> }>;
          "GET /lines": Route<{ response: Order[] | Lines<Order> }>;
          "GET /watch": Route<{ response: Events<{ changed: Order }> | Json<Order> }>;
          "GET /reply": Route<{ response: Reply<200, Text | Json<Order>> | Reply<202, Order> }>;
        }
        "#,
        r"
        type Order = {
          title: string;
        }
        type GetLinesResponseJson = Order[]
        route GET /json 200 response: Order
        route POST /report 200 response as OneOf Json Order | Text text/csv | Bytes application/pdf
        route GET /lines 200 response as OneOf Json GetLinesResponseJson | Lines Order
        route GET /watch 200 response as OneOf Events changed: Order | Json Order
        route GET /reply 200 reply 200 as OneOf Text text/plain | Json Order reply 202 Order
        ",
    );
}

#[test]
fn refuses_unions_of_formats_that_a_media_type_cannot_distinguish() {
    refused(
        r#"
        export interface BadRoutes {
          "POST /twice": Route<{ body: Json<{ a: string }> | { b: string } }>;
          "POST /raw": Route<{ body: Json<{ a: string }> | Raw }>;
          "POST /range": Route<{ body: Bytes<"image/*"> | Raw<"image/png"> }>;
          "GET /texts": Route<{ response: Text<"text/csv"> | Bytes<"Text/CSV"> }>;
          "POST /none": Route<{ body: Text | void }>;
          "GET /none": Route<{ response: Text | Json<number> | undefined }>;
          "POST /lines": Route<{ body: Json<{ a: string }> | Lines<{ a: string }> }>;
          "POST /upload": Route<{ body: Json<{ a: string }> | Multipart<{ video: Upload }> }>;
          "GET /form": Route<{ response: Json<{ a: string }> | Form<{ a: string }> }>;
          "POST /empty": Route<{ body: Json<void> }>;
          "POST /inside": Route<{ body: { a: Json<string> } }>;
        }
        "#,
        r"
        src/a.routes.ts:3:32 KIT1416 the body of `POST /twice` has two formats with the media type `application/json`
          help: give each format media types of its own, because the media type chooses the format
        src/a.routes.ts:4:30 KIT1416 the body of `POST /raw` has two formats with the media type `application/json`
          help: give each format media types of its own, because the media type chooses the format
        src/a.routes.ts:5:32 KIT1416 the body of `POST /range` has two formats with the media type `image/png`
          help: give each format media types of its own, because the media type chooses the format
        src/a.routes.ts:6:35 KIT1416 the response of `GET /texts` has two formats with the media type `text/csv`
          help: give each format media types of its own, because the media type chooses the format
        src/a.routes.ts:7:31 KIT1416 the body of `POST /none` is a union of formats with `void` or `undefined`
          help: remove `void` and `undefined`: a request of a union of formats has a body
        src/a.routes.ts:8:34 KIT1416 the response of `GET /none` is a union of formats with `void` or `undefined`
          help: remove `void` and `undefined`, or declare replies: `Reply<200, Text> | Reply<204>`
        src/a.routes.ts:9:32 KIT1416 the body of `POST /lines` is a union of formats, but a handler reads `Lines<{ a: string }>` while the body arrives
          help: declare a route of its own for this format: the other formats are read before the handler starts
        src/a.routes.ts:10:33 KIT1416 the body of `POST /upload` is a union of formats, but a handler reads `Multipart<{ video: Upload }>` while the body arrives
          help: declare a route of its own for this format: the other formats are read before the handler starts
        src/a.routes.ts:11:34 KIT1416 the response of `GET /form` cannot be `Form`
          help: a response can be `Json`, `Text`, `Bytes`, `Download`, `Lines` or `Events`
        src/a.routes.ts:12:32 KIT1416 the JSON of the body of `POST /empty` has no type
          help: name the type of the value: `Json<Order>`
        src/a.routes.ts:13:38 KIT1416 `Json<…>` is not a type of values
          help: write `Json` only as the whole body or response of a contract: `Route<{ body: Json<…> }>`
        ",
    );
}

#[test]
fn refuses_formats_in_the_wrong_direction_and_inside_of_types() {
    refused(
        r#"
        export interface BadRoutes {
          "GET /form": Route<{ response: Form<{ a: string }> }>;
          "POST /events": Route<{ body: Events<{ a: string }> }>;
          "GET /range": Route<{ response: Bytes<"image/*"> }>;
          "GET /many": Route<{ response: Text<"text/csv" | "text/plain"> }>;
          "GET /type": Route<{ response: Text<"csv"> }>;
          "POST /inside": Route<{ body: { photo: Bytes } }>;
          "GET /empty": Route<{ response: Reply<204, Text> }>;
        }
        "#,
        r#"
        src/a.routes.ts:3:34 KIT1416 the response of `GET /form` cannot be `Form`
          help: a response can be `Json`, `Text`, `Bytes`, `Download`, `Lines` or `Events`
        src/a.routes.ts:4:33 KIT1416 the body of `POST /events` cannot be `Events`
          help: a request can be `Json`, `Form`, `Multipart`, `Raw`, `Chunks`, `Text`, `Bytes` or `Lines`
        src/a.routes.ts:5:41 KIT1416 the media type of the response of `GET /range` is the range `image/*`
          help: write one media type, because it is the content type of the response
        src/a.routes.ts:6:39 KIT1416 the response of `GET /many` has several media types: text/csv, text/plain
          help: write one media type, because it is the content type of the response
        src/a.routes.ts:7:39 KIT1416 `csv` is not a media type without parameters
          help: write the type and the subtype, such as `"text/csv"`; kit adds `charset=utf-8` to text
        src/a.routes.ts:8:42 KIT1416 `Bytes<…>` is not a type of values
          help: write `Bytes` only as the whole body or response of a contract: `Route<{ body: Bytes<…> }>`
        src/a.routes.ts:9:41 KIT1411 a response with the status 204 cannot have a body, but this reply has a body type
          help: write `void` as the body: `Reply<204, void>`, or choose another status
        "#,
    );
}

#[test]
fn refuses_downloads_that_are_not_the_whole_response_of_a_get_route() {
    refused(
        r#"
        export interface BadRoutes {
          "POST /film": Route<{ response: Download<"video/mp4"> }>;
          "HEAD /film": Route<{ response: Download<"video/mp4"> }>;
          "PUT /film": Route<{ body: Download }>;
          "GET /either": Route<{ response: Reply<200, Download> | Reply<202> }>;
          "GET /both": Route<{ response: Json<{ a: string }> | Download<"text/csv"> }>;
          "GET /inside": Route<{ response: { film: Download } }>;
          "GET /range": Route<{ response: Download<"video/*"> }>;
          /** @status 203 */
          "GET /status": Route<{ response: Download }>;
          "GET /two": Route<{ response: Download<"video/mp4", "video/webm"> }>;
          "GET /gone": Route<{ response: Download; errors: Failure<410, "NOT_FOUND"> }>;
          "GET /details": Route<{ response: Download; errors: Failure<404, "NOT_FOUND", { id: string }> }>;
        }
        "#,
        r#"
        src/a.routes.ts:3:3 KIT1416 the response of `POST /film` cannot be `Download`
          help: write `Bytes`, or declare a GET route: only GET has ranges (RFC 9110, section 14.2)
        src/a.routes.ts:4:3 KIT1416 the response of `HEAD /film` cannot be `Download`
          help: declare a GET route, which also answers HEAD
        src/a.routes.ts:5:30 KIT1416 the body of `PUT /film` cannot be `Download`
          help: a request can be `Json`, `Form`, `Multipart`, `Raw`, `Chunks`, `Text`, `Bytes` or `Lines`
        src/a.routes.ts:6:47 KIT1416 the reply 200 cannot be `Download`
          help: a reply can be `Json`, `Text`, `Bytes`, `Lines` or `Events`
        src/a.routes.ts:7:34 KIT1416 the response of `GET /both` is a union of formats with `Download`
          help: declare a route of its own for the download, or write `Bytes`, which has no ranges
        src/a.routes.ts:8:44 KIT1416 `Download<…>` is not a type of values
          help: write `Download` only as the whole response of a contract: `Route<{ response: Download<…> }>`
        src/a.routes.ts:9:44 KIT1416 the media type of the response of `GET /range` is the range `video/*`
          help: write one media type, because it is the content type of the response
        src/a.routes.ts:10:7 KIT1304 `@status` has no effect on a contract with a `Download`
          help: remove the tag: a download has the status 200, or 206 for a range
        src/a.routes.ts:12:33 KIT1308 `Download` takes at most 1 type argument, not 2
          help: write `Download<"application/pdf">`
        src/a.routes.ts:13:3 KIT1412 `GET /gone` has the error `NOT_FOUND` with the status 410, but kit sends it with the status 404 and without details for a file that does not exist
          help: declare the status 404 without details, or give the error another code
        src/a.routes.ts:14:3 KIT1412 `GET /details` has the error `NOT_FOUND` with own details, but kit sends it with the status 404 and without details for a file that does not exist
          help: declare the status 404 without details, or give the error another code
        "#,
    );
}

#[test]
fn refuses_form_fields_that_text_cannot_represent_and_doc_tags_that_do_not_fit_the_field() {
    refused(
        r#"
        export interface BadRoutes {
          "POST /form": Route<{ body: Form<{ nested: { a: string } }> }>;
          "POST /file": Route<{ body: { file: File } }>;
          "POST /parts": Route<{ body: Multipart<{ bytes: Uint8Array; either: string | null }> }>;
          "POST /tags": Route<{ body: Multipart<{
            /** @maxBytes 5mb */ a: File;
            /** @mime png */ b: File;
            /** @maxLength 3 */ c: File;
            /** @minItems 3 @maxItems 2 */ d: File[];
            /** @maxBytes 5 KB */ e: string;
          }> }>;
        }
        "#,
        r"
        src/a.routes.ts:3:38 KIT1407 text cannot be coerced to `{ a: string }`, the type of `nested` in the form of `POST /form`
          help: use a string, number, boolean, bigint, `Date`, a union of literals, or an array of one of these
        src/a.routes.ts:4:39 KIT1306 `File` has no JSON form
          help: send a file in a multipart body, not in JSON: `Route<{ body: Multipart<{ photo: File }> }>`
        src/a.routes.ts:5:44 KIT1407 text cannot be coerced to `Uint8Array`, the type of `bytes` in the multipart body of `POST /parts`
          help: use a string, number, boolean, bigint, `Date`, a union of literals, an array of one of these, `File`, `File[]`, `Upload`, `Uploads`, or an object type, which is sent as JSON
        src/a.routes.ts:5:63 KIT1407 text cannot be coerced to `string | null`, the type of `either` in the multipart body of `POST /parts`
          help: use a string, number, boolean, bigint, `Date`, a union of literals, an array of one of these, `File`, `File[]`, `Upload`, `Uploads`, or an object type, which is sent as JSON
        src/a.routes.ts:7:9 KIT1303 `@maxBytes 5mb` is not valid
          help: write `@maxBytes 5 MiB`
        src/a.routes.ts:8:9 KIT1303 `@mime png` is not valid
          help: write `@mime image/png, image/jpeg`
        src/a.routes.ts:9:9 KIT1304 `@maxLength` has no effect on a file
          help: the tags of a file are `@maxBytes` and `@mime`, and of `File[]` and `Uploads` `@minItems` and `@maxItems` too
        src/a.routes.ts:10:9 KIT1313 `d` cannot have at least 3 and at most 2 files
          help: swap the two numbers
        src/a.routes.ts:11:9 KIT1304 `@maxBytes` has no effect on a property that is not a file
          help: the tag belongs on a `File`, `File[]`, `Upload` or `Uploads` in `Multipart<{ photo: File }>`
        ",
    );
}

#[test]
fn refuses_several_uploads_and_uploads_outside_of_multipart_bodies() {
    refused(
        r#"
        export interface BadRoutes {
          "POST /two": Route<{ body: Multipart<{ video: Upload; poster: Upload }> }>;
          "POST /list": Route<{ body: Multipart<{ videos: Upload[] }> }>;
          "POST /whole": Route<{ body: Upload }>;
          "POST /json": Route<{ body: { video: Upload; others: Uploads } }>;
          "POST /nested": Route<{ body: Multipart<{ film: { video: Upload } }> }>;
          "POST /form": Route<{ body: Form<{ video: Upload }> }>;
          "GET /response": Route<{ response: Upload }>;
          "POST /arguments": Route<{ body: Multipart<{ video: Upload<string> }> }>;
        }
        "#,
        r"
        src/a.routes.ts:3:57 KIT1416 the body of `POST /two` has two uploads, `video` and `poster`
          help: write `File` for the smaller one, or `Uploads` for several files with one name; a handler reads only one part while it arrives
        src/a.routes.ts:4:43 KIT1416 `videos` is a list of uploads, but uploads arrive one after the other
          help: write `Uploads`, an async iterable of uploads
        src/a.routes.ts:5:32 KIT1416 `Upload` is not a type of values
          help: write `Upload` only as a part of a multipart body: `Route<{ body: Multipart<{ video: Upload }> }>`
        src/a.routes.ts:6:40 KIT1416 `Upload` is not a type of values
          help: write `Upload` only as a part of a multipart body: `Route<{ body: Multipart<{ video: Upload }> }>`
        src/a.routes.ts:6:56 KIT1416 `Uploads` is not a type of values
          help: write `Uploads` only as a part of a multipart body: `Route<{ body: Multipart<{ video: Uploads }> }>`
        src/a.routes.ts:7:60 KIT1416 `Upload` is not a type of values
          help: write `Upload` only as a part of a multipart body: `Route<{ body: Multipart<{ video: Upload }> }>`
        src/a.routes.ts:8:38 KIT1407 text cannot be coerced to `unknown`, the type of `video` in the form of `POST /form`
          help: use a string, number, boolean, bigint, `Date`, a union of literals, or an array of one of these
        src/a.routes.ts:8:45 KIT1416 `Upload` is not a type of values
          help: write `Upload` only as a part of a multipart body: `Route<{ body: Multipart<{ video: Upload }> }>`
        src/a.routes.ts:9:38 KIT1416 `Upload` is not a type of values
          help: write `Upload` only as a part of a multipart body: `Route<{ body: Multipart<{ video: Upload }> }>`
        src/a.routes.ts:10:48 KIT1407 text cannot be coerced to `unknown`, the type of `video` in the multipart body of `POST /arguments`
          help: use a string, number, boolean, bigint, `Date`, a union of literals, an array of one of these, `File`, `File[]`, `Upload`, `Uploads`, or an object type, which is sent as JSON
        src/a.routes.ts:10:55 KIT1308 `Upload` takes no type arguments, not 1
          help: write `Upload`
        ",
    );
}

//! Tests of bodies that are not JSON: `Form`, `Multipart`, `Raw`, `Text`, `Bytes`, `Lines` and `Events`.

mod support;

use support::{check, check_mistakes};

const HEAD: &str = "import type { Bytes, Events, Form, Lines, Multipart, Raw, Reply, Route, RouteContract as RC, Text, Upload, Uploads } from \"@kit/types\";\n";

fn routes(text: &str) -> String {
    format!("{HEAD}{}", support::dedent(text))
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
        route GET /rows 200 response: GetRowsResponseLine response as Lines
        route GET /watch 200 response as Events progress: Progress done
        route GET /either 200 reply 200 as Text text/plain reply 202 Progress
        ",
    );
}

#[test]
fn refuses_formats_in_the_wrong_direction_in_unions_and_inside_of_types() {
    refused(
        r#"
        export interface BadRoutes {
          "GET /form": Route<{ response: Form<{ a: string }> }>;
          "POST /events": Route<{ body: Events<{ a: string }> }>;
          "POST /both": Route<{ body: Text | { a: string } }>;
          "GET /range": Route<{ response: Bytes<"image/*"> }>;
          "GET /many": Route<{ response: Text<"text/csv" | "text/plain"> }>;
          "GET /type": Route<{ response: Text<"csv"> }>;
          "POST /inside": Route<{ body: { photo: Bytes } }>;
          "GET /empty": Route<{ response: Reply<204, Text> }>;
        }
        "#,
        r#"
        src/a.routes.ts:3:34 KIT1416 the response of `GET /form` cannot be `Form`
          help: the formats here are `Text`, `Bytes`, `Lines` and `Events`
        src/a.routes.ts:4:33 KIT1416 the body of `POST /events` cannot be `Events`
          help: the formats here are `Form`, `Multipart`, `Raw`, `Text`, `Bytes` and `Lines`
        src/a.routes.ts:5:31 KIT1416 the body of `POST /both` is `Text | { a: string }`, but kit does not support a union of formats of bodies
          help: write one format. `Text`, `Bytes` and `Raw` of a request take a union of media types: `Bytes<"image/png" | "image/jpeg">`
        src/a.routes.ts:6:41 KIT1416 the media type of the response of `GET /range` is the range `image/*`
          help: write one media type, because it is the content type of the response
        src/a.routes.ts:7:39 KIT1416 the response of `GET /many` has several media types: text/csv, text/plain
          help: write one media type, because it is the content type of the response
        src/a.routes.ts:8:39 KIT1416 `csv` is not a media type without parameters
          help: write the type and the subtype, such as `"text/csv"`; kit adds `charset=utf-8` to text
        src/a.routes.ts:9:42 KIT1416 `Bytes<…>` is not a type of values
          help: write `Bytes` only as the whole body or response of a contract: `Route<{ body: Bytes<…> }>`
        src/a.routes.ts:10:41 KIT1411 a response with the status 204 cannot have a body, but this reply has a body type
          help: write `void` as the body: `Reply<204, void>`, or choose another status
        "#,
    );
}

#[test]
fn refuses_fields_that_text_cannot_hold_and_tags_that_do_not_fit() {
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

import { extname } from "node:path";

/**
 * Media types by file extension, from mime-db 1.54.0 (MIT licence) with the types of WHATWG MIME Sniffing for JavaScript.
 * `crates/kit-static/src/media-types.txt` has the same lines, which `tests/twins.test.ts` compares.
 */
const table = `
3g2 video/3gpp2
3gp video/3gpp
7z application/x-7z-compressed
aac audio/aac
apng image/apng
asc application/pgp-keys
atom application/atom+xml
avi video/x-msvideo
avif image/avif
azw application/vnd.amazon.ebook
bmp image/bmp
bz2 application/x-bzip2
cjs text/javascript
css text/css
csv text/csv
dae model/vnd.collada+xml
dart application/vnd.dart
deb application/x-debian-package
dmg application/x-apple-diskimage
doc application/msword
docx application/vnd.openxmlformats-officedocument.wordprocessingml.document
dot application/msword
dtd application/xml-dtd
eot application/vnd.ms-fontobject
epub application/epub+zip
exe application/x-msdos-program
flac audio/x-flac
flv video/x-flv
geojson application/geo+json
gif image/gif
glb model/gltf-binary
gltf model/gltf+json
gz application/gzip
heic image/heic
heif image/heif
htm text/html
html text/html
ico image/x-icon
ics text/calendar
ini text/plain
iso application/x-iso9660-image
jar application/java-archive
jpe image/jpeg
jpeg image/jpeg
jpg image/jpeg
js text/javascript
json application/json
json5 application/json5
jsonl application/jsonl
jsonld application/ld+json
jxl image/jxl
kml application/vnd.google-earth.kml+xml
kmz application/vnd.google-earth.kmz
less text/less
log text/plain
m2ts video/mp2t
m3u8 application/vnd.apple.mpegurl
m4a audio/mp4
m4v video/x-m4v
map application/json
markdown text/markdown
md text/markdown
mid audio/midi
midi audio/midi
mjs text/javascript
mkv video/x-matroska
mov video/quicktime
mp3 audio/mpeg
mp4 video/mp4
mpd application/dash+xml
mpeg video/mpeg
mpg video/mpeg
msi application/x-msdownload
mts video/mp2t
ndjson application/x-ndjson
numbers application/vnd.apple.numbers
obj model/obj
odp application/vnd.oasis.opendocument.presentation
ods application/vnd.oasis.opendocument.spreadsheet
odt application/vnd.oasis.opendocument.text
oga audio/ogg
ogg audio/ogg
ogv video/ogg
opus audio/ogg
otf font/otf
p7s application/pkcs7-signature
pages application/vnd.apple.pages
pbf application/vnd.mapbox-vector-tile
pdf application/pdf
pem application/x-x509-ca-cert
pgp application/pgp-encrypted
pl application/x-perl
png image/png
ppt application/vnd.ms-powerpoint
pptx application/vnd.openxmlformats-officedocument.presentationml.presentation
ps application/postscript
psd image/vnd.adobe.photoshop
qt video/quicktime
rar application/vnd.rar
rdf application/rdf+xml
rss application/rss+xml
rtf application/rtf
sass text/x-sass
scss text/x-scss
sh application/x-sh
shtml text/html
sig application/pgp-signature
sql application/sql
stl model/stl
svg image/svg+xml
svgz image/svg+xml
tar application/x-tar
tif image/tiff
tiff image/tiff
toml application/toml
topojson application/json
torrent application/x-bittorrent
ts video/mp2t
tsv text/tab-separated-values
ttc font/collection
ttf font/ttf
txt text/plain
usdz model/vnd.usdz+zip
vcard text/vcard
vcf text/x-vcard
vtt text/vtt
wasm application/wasm
wav audio/wav
weba audio/webm
webm video/webm
webmanifest application/manifest+json
webp image/webp
wma audio/x-ms-wma
wmv video/x-ms-wmv
woff font/woff
woff2 font/woff2
xhtml application/xhtml+xml
xls application/vnd.ms-excel
xlsx application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
xml application/xml
xsd application/xml
xsl application/xml
xslt application/xslt+xml
xz application/x-xz
yaml text/yaml
yml text/yaml
zip application/zip
zst application/zstd
`;

const types: ReadonlyMap<string, string> = new Map(
  table
    .trim()
    .split("\n")
    .map((line) => line.split(" ") as [extension: string, type: string]),
);

/** Returns the content type of a file, from the extension of its name. Text is UTF-8. */
export function contentTypeOf(name: string): string {
  const type = types.get(extname(name).slice(1).toLowerCase()) ?? "application/octet-stream";
  return type.startsWith("text/") ? `${type}; charset=utf-8` : type;
}

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { isCalendarDate, isDateTime, isEmail, isIpv4, isIpv6, isUri, isUuid } from "@kit/core/codec";

/** Every format with texts that have it and texts that do not. */
const CASES: readonly (readonly [
  name: string,
  is: (text: string) => boolean,
  yes: readonly string[],
  no: readonly string[],
])[] = [
  [
    "email",
    isEmail,
    [
      "a@b",
      "first.last+tag@sub.example.com",
      "o'neil@example.com",
      "x@1.2.3.4",
      `${"a".repeat(64)}@b.example`,
    ],
    [
      "",
      "a",
      "@b",
      "a@",
      "a@b@c",
      "a b@c",
      ".a@b",
      "a.@b",
      "a..b@c",
      "a@b.",
      "a@.b",
      "a@-b",
      "a@b-",
      "ä@b",
      "a@b\n",
      `${"a".repeat(65)}@b.example`,
      `a@${"b".repeat(64)}`,
      `a@${"b.".repeat(130)}c`,
    ],
  ],
  [
    "uri",
    isUri,
    [
      "https://example.com",
      "http://user:pw@[2001:db8::1]:8080/a%20b?q=1&r#f/?",
      "mailto:a@b",
      "urn:isbn:0451450523",
      "file:///etc/hosts",
      "x:",
      "a+b-c.d:e",
      "http://[v1.a]/",
      "http://host:/",
    ],
    [
      "",
      "/a",
      "a",
      "//host/a",
      "1a:b",
      "http://a b",
      "http://ä",
      "http://a/%zz",
      "http://a:port/",
      "http://[::1",
      "http://[1.2.3.4]/",
      "http://a/#b#c",
      "http://a/\n",
      "http://a\\b",
    ],
  ],
  [
    "uuid",
    isUuid,
    ["123e4567-e89b-12d3-a456-426614174000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"],
    [
      "",
      "123e4567e89b12d3a456426614174000",
      "{123e4567-e89b-12d3-a456-426614174000}",
      "123e4567-e89b-12d3-a456-42661417400g",
      "123e4567-e89b-12d3-a456-4266141740000",
    ],
  ],
  [
    "date",
    isCalendarDate,
    ["2024-02-29", "2000-02-29", "0000-01-01", "9999-12-31"],
    [
      "",
      "2023-02-29",
      "1900-02-29",
      "2024-13-01",
      "2024-00-01",
      "2024-04-31",
      "2024-1-1",
      "2024-01-00",
      "24-01-01",
      "2024-01-01 ",
    ],
  ],
  [
    "date-time",
    isDateTime,
    [
      "2026-01-31T12:00:00Z",
      "2026-01-31t12:00:00z",
      "2026-01-31T12:00:00.123456789+05:30",
      "2026-01-31T12:00:00-00:00",
      "2026-01-31T23:59:59.9-23:59",
      "2016-12-31T23:59:60Z",
      "2016-12-31T15:59:60.5-08:00",
      "2017-01-01T00:59:60+01:00",
    ],
    [
      "",
      "2026-01-31",
      "2026-01-31T12:00:00",
      "2026-01-31 12:00:00Z",
      "2026-01-31T24:00:00Z",
      "2026-01-31T12:60:00Z",
      "2026-01-31T12:00:61Z",
      "2026-01-31T12:00:00.Z",
      "2026-01-31T12:00Z",
      "2026-01-31T12:00:00+24:00",
      "2026-01-31T12:00:00+01:60",
      "2026-01-31T12:00:00+0100",
      "2026-01-31T12:00:00ZZ",
      "2026-02-30T12:00:00Z",
      "2016-12-31T22:59:60Z",
      "2016-12-31T23:58:60Z",
      "2016-12-31T23:59:60+01:00",
      "+002026-01-31T12:00:00Z",
      "２026-01-31T12:00:00Z",
    ],
  ],
  [
    "ipv4",
    isIpv4,
    ["0.0.0.0", "255.255.255.255", "192.0.2.1"],
    [
      "",
      "1.2.3",
      "1.2.3.4.5",
      "256.0.0.1",
      "01.2.3.4",
      "1.2.3.4.",
      ".1.2.3.4",
      "1..2.3",
      "1.2.3.4\n",
      "0x1.2.3.4",
    ],
  ],
  [
    "ipv6",
    isIpv6,
    [
      "::",
      "::1",
      "1::",
      "1:2:3:4:5:6:7:8",
      "2001:db8::ff00:42:8329",
      "::ffff:192.0.2.1",
      "1:2:3:4:5:6:192.0.2.1",
      "1:2:3:4:5:6:7::",
    ],
    [
      "",
      ":",
      ":::",
      "1",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "1::2::3",
      "1:2:3:4:5:6:7:8::",
      "12345::",
      "g::",
      "::1%eth0",
      "[::1]",
      "1.2.3.4",
      "::1.2.3",
      "1.2.3.4::",
      ":1::2",
      "1:2:3:4:5:6:7:192.0.2.1",
    ],
  ],
];

for (const [name, is, yes, no] of CASES) {
  describe(name, () => {
    for (const text of yes)
      test(`takes ${JSON.stringify(text.slice(0, 60))}`, () => assert.equal(is(text), true));
    for (const text of no)
      test(`refuses ${JSON.stringify(text.slice(0, 60))}`, () => assert.equal(is(text), false));
  });
}

test("no format takes more than linear time", () => {
  const hostile = [
    "a.".repeat(50_000),
    `${"a".repeat(100_000)}@`,
    `http:${"/".repeat(100_000)}\n`,
    ":".repeat(100_000),
    `http://${"%41".repeat(50_000)}%`,
  ];
  const start = performance.now();
  for (const [, is] of CASES) for (const text of hostile) is(text);
  assert.ok(performance.now() - start < 500);
});

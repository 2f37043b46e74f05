-- Database of a library, as a team would write it without kit.
CREATE EXTENSION citext;

CREATE TYPE loan_state AS ENUM ('open', 'returned', 'lost');
CREATE DOMAIN isbn AS text CHECK (VALUE ~ '^[0-9]{13}$');
CREATE SEQUENCE invoice_numbers START WITH 1000 INCREMENT BY 10;

CREATE FUNCTION set_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at := now();
  RETURN NEW;
END
$$;

CREATE TABLE branches (
  id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name varchar(80) NOT NULL CONSTRAINT one_name UNIQUE,
  place point
);

CREATE TABLE authors (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  "fullName" text NOT NULL,
  email citext UNIQUE,
  born date,
  website varchar,
  created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE authors IS 'People who write books.';
COMMENT ON COLUMN authors.born IS 'Day of birth.';

CREATE TABLE books (
  id bigserial PRIMARY KEY,
  author_id uuid NOT NULL REFERENCES authors ON DELETE CASCADE,
  isbn isbn,
  title text NOT NULL,
  price numeric(10, 2) DEFAULT 9.99 CHECK (price >= 0.01 AND price < 1000),
  pages integer NOT NULL DEFAULT 1 CHECK (pages > 0),
  kind text NOT NULL DEFAULT 'novel' CHECK (kind IN ('novel', 'poem', 'essay')),
  tags text[] NOT NULL DEFAULT '{}',
  details jsonb,
  cover bytea,
  weight real,
  updated_at timestamp NOT NULL DEFAULT now(),
  search tsvector GENERATED ALWAYS AS (to_tsvector('simple', title)) STORED,
  CONSTRAINT one_title_per_author UNIQUE (author_id, title)
);
CREATE INDEX books_kind_index ON books (kind);
CREATE INDEX books_search ON books USING gin (search);
CREATE INDEX books_cheap ON books (price) WHERE price < 5;
CREATE INDEX books_author_and_kind ON books (author_id, kind);
CREATE UNIQUE INDEX books_isbn ON books (isbn);
CREATE TRIGGER books_updated BEFORE UPDATE ON books FOR EACH ROW EXECUTE FUNCTION set_updated_at();

CREATE TABLE loans (
  book_id bigint NOT NULL REFERENCES books,
  branch smallint NOT NULL REFERENCES branches ON UPDATE CASCADE,
  since timestamptz(3) NOT NULL DEFAULT now(),
  state loan_state NOT NULL DEFAULT 'open',
  fee integer,
  CONSTRAINT loan PRIMARY KEY (book_id, since),
  CONSTRAINT fee_or_open CHECK (fee IS NOT NULL OR state = 'open')
);
CREATE UNIQUE INDEX one_open_loan ON loans (book_id) WHERE state = 'open';
CREATE INDEX newest_loans ON loans (since DESC, branch) INCLUDE (fee);
CREATE INDEX loans_branch ON loans (branch);
CREATE INDEX loans_open_branch ON loans (branch) WHERE state <> 'returned';
ALTER TABLE loans ENABLE ROW LEVEL SECURITY;
CREATE POLICY open_loans ON loans USING (state = 'open');

CREATE TABLE events (
  happened timestamptz NOT NULL,
  id bigint NOT NULL,
  what text NOT NULL,
  PRIMARY KEY (id, happened)
) PARTITION BY RANGE (happened);
CREATE TABLE events_2026 PARTITION OF events FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');

CREATE TABLE shelves (
  branch smallint NOT NULL REFERENCES branches,
  number integer NOT NULL CHECK (number > 0),
  width double precision CHECK (width >= 10 AND width < 400),
  label varchar(20) NOT NULL CHECK (char_length(label) >= 2),
  code text NOT NULL,
  CONSTRAINT shelf PRIMARY KEY (branch, number)
);
CREATE UNIQUE INDEX shelves_code ON shelves (code);
CREATE INDEX shelves_label ON shelves (label varchar_pattern_ops);
CREATE TABLE places (
  book_id bigint PRIMARY KEY REFERENCES books ON DELETE CASCADE,
  branch smallint,
  shelf integer,
  former_shelf text REFERENCES shelves (code) ON UPDATE CASCADE ON DELETE SET NULL,
  pages int4range,
  FOREIGN KEY (branch, shelf) REFERENCES shelves ON UPDATE CASCADE,
  CHECK ((branch IS NULL) = (shelf IS NULL)),
  CHECK (former_shelf <> 'a@b'),
  EXCLUDE USING gist (pages WITH &&)
);
CREATE INDEX places_pages ON places USING gist (pages);

CREATE UNLOGGED TABLE cache (key text PRIMARY KEY, value jsonb);
CREATE TABLE without_key (what text);
CREATE TABLE authors_of_books (author_id uuid NOT NULL REFERENCES authors, book_id bigint NOT NULL, share integer);
CREATE UNIQUE INDEX ON authors_of_books (author_id, book_id);
CREATE TABLE settings (name text NOT NULL UNIQUE, value text, level varchar(10) CHECK (level IN ('low', 'high')));

CREATE VIEW open_books AS SELECT books.id, title FROM books JOIN loans ON book_id = books.id WHERE state = 'open';
CREATE MATERIALIZED VIEW counts AS SELECT kind, count(*) AS number FROM books GROUP BY kind;
CREATE UNIQUE INDEX counts_kind ON counts (kind);
CREATE STATISTICS books_statistics ON author_id, kind FROM books;
CREATE VIEW kinds_of_things AS SELECT * FROM (SELECT title AS name, 1 AS size FROM books UNION ALL SELECT NULL, NULL FROM loans) AS things;

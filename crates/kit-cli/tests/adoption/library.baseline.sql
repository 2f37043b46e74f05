SET LOCAL check_function_bodies = off;

CREATE EXTENSION IF NOT EXISTS citext;

CREATE DOMAIN isbn AS text CONSTRAINT isbn_check CHECK (VALUE ~ '^[0-9]{13}$'::text);

CREATE TYPE loan_state AS ENUM ('open', 'returned', 'lost');

CREATE SEQUENCE books_id_seq AS bigint START WITH 1 INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE invoice_numbers AS bigint START WITH 1000 INCREMENT BY 10 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE OR REPLACE FUNCTION set_updated_at()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.updated_at := now();
  RETURN NEW;
END
$function$;

CREATE TABLE authors (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  "fullName" text NOT NULL,
  email citext,
  born date,
  website character varying,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE authors_of_books (
  author_id uuid NOT NULL,
  book_id bigint NOT NULL,
  share integer
);

CREATE TABLE books (
  id bigint DEFAULT nextval('books_id_seq'::regclass) NOT NULL,
  author_id uuid NOT NULL,
  isbn isbn,
  title text NOT NULL,
  price numeric(10,2) DEFAULT 9.99,
  pages integer DEFAULT 1 NOT NULL,
  kind text DEFAULT 'novel'::text NOT NULL,
  tags text[] DEFAULT '{}'::text[] NOT NULL,
  details jsonb,
  cover bytea,
  weight real,
  updated_at timestamp without time zone DEFAULT now() NOT NULL,
  search tsvector GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, title)) STORED
);

CREATE TABLE branches (
  id smallint GENERATED ALWAYS AS IDENTITY NOT NULL,
  name character varying(80) NOT NULL,
  place point
);

CREATE UNLOGGED TABLE cache (
  key text NOT NULL,
  value jsonb
);

CREATE TABLE events (
  happened timestamp with time zone NOT NULL,
  id bigint NOT NULL,
  what text NOT NULL
) PARTITION BY RANGE (happened);

CREATE TABLE events_2026 PARTITION OF events FOR VALUES FROM ('2026-01-01 00:00:00+00') TO ('2027-01-01 00:00:00+00');

CREATE TABLE loans (
  book_id bigint NOT NULL,
  branch smallint NOT NULL,
  since timestamp(3) with time zone DEFAULT now() NOT NULL,
  state loan_state DEFAULT 'open'::loan_state NOT NULL,
  fee integer
);

ALTER TABLE loans ENABLE ROW LEVEL SECURITY;

CREATE TABLE places (
  book_id bigint NOT NULL,
  branch smallint,
  shelf integer,
  former_shelf text,
  pages int4range
);

CREATE TABLE settings (
  name text NOT NULL,
  value text,
  level character varying(10)
);

CREATE TABLE shelves (
  branch smallint NOT NULL,
  number integer NOT NULL,
  width double precision,
  label character varying(20) NOT NULL,
  code text NOT NULL
);

CREATE TABLE without_key (
  what text
);

ALTER TABLE authors ADD CONSTRAINT authors_email_key UNIQUE (email);

ALTER TABLE authors ADD CONSTRAINT authors_pkey PRIMARY KEY (id);

ALTER TABLE books ADD CONSTRAINT books_kind_check CHECK (kind = ANY (ARRAY['novel'::text, 'poem'::text, 'essay'::text]));

ALTER TABLE books ADD CONSTRAINT books_pages_check CHECK (pages > 0);

ALTER TABLE books ADD CONSTRAINT books_pkey PRIMARY KEY (id);

ALTER TABLE books ADD CONSTRAINT books_price_check CHECK (price >= 0.01 AND price < 1000::numeric);

ALTER TABLE books ADD CONSTRAINT one_title_per_author UNIQUE (author_id, title);

ALTER TABLE branches ADD CONSTRAINT branches_pkey PRIMARY KEY (id);

ALTER TABLE branches ADD CONSTRAINT one_name UNIQUE (name);

ALTER TABLE cache ADD CONSTRAINT cache_pkey PRIMARY KEY (key);

ALTER TABLE events ADD CONSTRAINT events_pkey PRIMARY KEY (id, happened);

ALTER TABLE loans ADD CONSTRAINT fee_or_open CHECK (fee IS NOT NULL OR state = 'open'::loan_state);

ALTER TABLE loans ADD CONSTRAINT loan PRIMARY KEY (book_id, since);

ALTER TABLE places ADD CONSTRAINT places_check CHECK ((branch IS NULL) = (shelf IS NULL));

ALTER TABLE places ADD CONSTRAINT places_former_shelf_check CHECK (former_shelf <> 'a@b'::text);

ALTER TABLE places ADD CONSTRAINT places_pages_excl EXCLUDE USING gist (pages WITH &&);

ALTER TABLE places ADD CONSTRAINT places_pkey PRIMARY KEY (book_id);

ALTER TABLE settings ADD CONSTRAINT settings_level_check CHECK (level::text = ANY (ARRAY['low'::character varying::text, 'high'::character varying::text]));

ALTER TABLE settings ADD CONSTRAINT settings_name_key UNIQUE (name);

ALTER TABLE shelves ADD CONSTRAINT shelf PRIMARY KEY (branch, number);

ALTER TABLE shelves ADD CONSTRAINT shelves_label_check CHECK (char_length(label::text) >= 2);

ALTER TABLE shelves ADD CONSTRAINT shelves_number_check CHECK (number > 0);

ALTER TABLE shelves ADD CONSTRAINT shelves_width_check CHECK (width >= 10::double precision AND width < 400::double precision);

CREATE UNIQUE INDEX authors_of_books_author_id_book_id_idx ON authors_of_books USING btree (author_id, book_id);

CREATE INDEX books_author_and_kind ON books USING btree (author_id, kind);

CREATE INDEX books_cheap ON books USING btree (price) WHERE price < 5::numeric;

CREATE UNIQUE INDEX books_isbn ON books USING btree (isbn);

CREATE INDEX books_kind_index ON books USING btree (kind);

CREATE INDEX books_search ON books USING gin (search);

CREATE INDEX loans_branch ON loans USING btree (branch);

CREATE INDEX loans_open_branch ON loans USING btree (branch) WHERE state <> 'returned'::loan_state;

CREATE INDEX newest_loans ON loans USING btree (since DESC, branch) INCLUDE (fee);

CREATE UNIQUE INDEX one_open_loan ON loans USING btree (book_id) WHERE state = 'open'::loan_state;

CREATE INDEX places_pages ON places USING gist (pages);

CREATE UNIQUE INDEX shelves_code ON shelves USING btree (code);

CREATE INDEX shelves_label ON shelves USING btree (label varchar_pattern_ops);

CREATE MATERIALIZED VIEW counts AS
 SELECT kind,
    count(*) AS number
   FROM books
  GROUP BY kind;

CREATE UNIQUE INDEX counts_kind ON counts USING btree (kind);

ALTER TABLE authors_of_books ADD CONSTRAINT authors_of_books_author_id_fkey FOREIGN KEY (author_id) REFERENCES authors(id);

ALTER TABLE books ADD CONSTRAINT books_author_id_fkey FOREIGN KEY (author_id) REFERENCES authors(id) ON DELETE CASCADE;

ALTER TABLE loans ADD CONSTRAINT loans_book_id_fkey FOREIGN KEY (book_id) REFERENCES books(id);

ALTER TABLE loans ADD CONSTRAINT loans_branch_fkey FOREIGN KEY (branch) REFERENCES branches(id) ON UPDATE CASCADE;

ALTER TABLE places ADD CONSTRAINT places_book_id_fkey FOREIGN KEY (book_id) REFERENCES books(id) ON DELETE CASCADE;

ALTER TABLE places ADD CONSTRAINT places_branch_shelf_fkey FOREIGN KEY (branch, shelf) REFERENCES shelves(branch, number) ON UPDATE CASCADE;

ALTER TABLE places ADD CONSTRAINT places_former_shelf_fkey FOREIGN KEY (former_shelf) REFERENCES shelves(code) ON UPDATE CASCADE ON DELETE SET NULL;

ALTER TABLE shelves ADD CONSTRAINT shelves_branch_fkey FOREIGN KEY (branch) REFERENCES branches(id);

CREATE VIEW kinds_of_things AS
 SELECT name,
    size
   FROM ( SELECT books.title AS name,
            1 AS size
           FROM books
        UNION ALL
         SELECT NULL::text,
            NULL::integer
           FROM loans) things;

CREATE VIEW open_books AS
 SELECT books.id,
    books.title
   FROM books
     JOIN loans ON loans.book_id = books.id
  WHERE loans.state = 'open'::loan_state;

CREATE TRIGGER books_updated BEFORE UPDATE ON books FOR EACH ROW EXECUTE FUNCTION set_updated_at();

CREATE POLICY open_loans ON loans USING (state = 'open'::loan_state);

CREATE STATISTICS books_statistics ON author_id, kind FROM books;

COMMENT ON TABLE authors IS 'People who write books.';

COMMENT ON COLUMN authors.born IS 'Day of birth.';

ALTER SEQUENCE books_id_seq OWNED BY books.id;

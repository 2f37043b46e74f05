CREATE TABLE kit_idempotency (
  id text PRIMARY KEY,
  fingerprint text NOT NULL,
  status integer NOT NULL,
  content_type text,
  headers text NOT NULL,
  body bytea,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX kit_idempotency_expires_at ON kit_idempotency (expires_at);

CREATE UNLOGGED TABLE kit_rate_limits (
  key text PRIMARY KEY,
  count bigint NOT NULL,
  ends_at timestamptz(3) NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX kit_rate_limits_ends_at ON kit_rate_limits (ends_at);

CREATE TABLE kit_sessions (
  id text PRIMARY KEY,
  subject text NOT NULL,
  data text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  idle_until timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX kit_sessions_subject ON kit_sessions (subject);
CREATE INDEX kit_sessions_idle_until ON kit_sessions (idle_until);

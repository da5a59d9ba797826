/** Records of runs as other daemons see them: what is needed to find one, and the record as JSON. */
export const runsOfAll = `
  CREATE TABLE runs (
    host text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL, state text COLLATE "C" NOT NULL, queued_at bigint NOT NULL, record text NOT NULL,
    PRIMARY KEY (host, id)
  ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
  CREATE INDEX runs_newest ON runs (id DESC);
  CREATE INDEX runs_by_age ON runs (queued_at);
  CREATE INDEX runs_going_on ON runs (host) WHERE state IN ('queued', 'running');`;

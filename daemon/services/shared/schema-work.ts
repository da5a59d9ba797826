/** How jobs are ended and claimed, in the database itself: one question and one answer for a batch of both. */
import { requeueSql } from "./schema-jobs.js";

/**
 * `awaited`: another daemon waits for the key of this job and wants a notification of its end. The unique index enforces one
 * running job per key; a claim checks before, so that it does not violate the index.
 */
export const workColumns = `
  ALTER TABLE jobs ADD COLUMN awaited boolean NOT NULL DEFAULT false;
  DROP INDEX jobs_running;
  CREATE INDEX jobs_leases ON jobs (plugin, queue, leased_until) WHERE state = 'running';
  CREATE UNIQUE INDEX jobs_keys ON jobs (plugin, queue, key) WHERE state = 'running' AND key IS NOT NULL;`;

const ofQueue = "plugin = of_plugin AND queue = of_queue";
const due = `${ofQueue} AND state = 'waiting' AND run_at <= now_ms`;

/**
 * Claims do not wait for each other: a claim skips jobs and keys that another daemon is claiming. It skips locked rows, and keys
 * whose lock is held until the other claim is visible.
 *
 * The last row holds no job where there was room for more: it says in how many milliseconds another claim may find something.
 * Until then the worker that ends an awaited job notifies the others, because of \`awaited\`.
 *
 * Rows come and go faster than statistics about them, so the plans are fixed: by index, in order, without a copy of all that is
 * dead. Jobs are ended in the order of their ids, which the caller has sorted, so two callers never deadlock.
 */
export const finishAndClaimSql = `
  CREATE FUNCTION work_jobs(of_plugin text, of_queue text, done_ids text[], done_claims text[], now_ms bigint,
    room integer, lease_ms double precision, by_daemon text, by_claim text)
  RETURNS TABLE (id text, payload text, progress text, attempt integer, wait double precision)
  LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET enable_sort = off SET jit = off SET plan_cache_mode = force_generic_plan
  AS $$
  #variable_conflict use_column
  DECLARE
    moment timestamptz := clock_timestamp();
    rest integer := room;
    asked integer;
    got integer;
    late text[];
    seen text[];
    their_keys text[];
    keys text[];
    free text[];
    blocked text[] := '{}';
    is_awaited boolean;
  BEGIN
    IF done_ids <> '{}' THEN
      WITH gone AS (
        DELETE FROM jobs USING unnest(done_ids, done_claims) AS held (id, claim)
        WHERE jobs.id = held.id AND jobs.claim = held.claim RETURNING jobs.awaited)
      SELECT bool_or(awaited) INTO is_awaited FROM gone;
      IF is_awaited THEN PERFORM pg_notify('reeve_jobs', json_build_array(of_plugin, of_queue, by_daemon)::text); END IF;
    END IF;
    IF room <= 0 THEN RETURN; END IF;

    IF EXISTS (SELECT FROM jobs WHERE ${ofQueue} AND state = 'running' AND leased_until < moment) THEN
      late := ARRAY(SELECT id FROM jobs WHERE ${ofQueue} AND state = 'running' AND leased_until < moment FOR UPDATE SKIP LOCKED);
      DELETE FROM jobs WHERE id = ANY (late) AND cancelled;
      UPDATE jobs SET ${requeueSql} WHERE id = ANY (late);
    END IF;

    LOOP
      asked := rest;
      SELECT coalesce(array_agg(next.id), '{}'), coalesce(array_agg(next.key), '{}') INTO seen, their_keys FROM (
        SELECT id, key FROM jobs WHERE ${due} AND (key IS NULL OR key <> ALL (blocked))
        ORDER BY priority DESC, id LIMIT asked FOR UPDATE SKIP LOCKED) AS next;
      got := cardinality(seen);
      EXIT WHEN got = 0;
      keys := ARRAY(SELECT DISTINCT key FROM unnest(their_keys) AS key WHERE key IS NOT NULL);
      IF keys <> '{}' THEN
        free := ARRAY(SELECT key FROM unnest(keys) AS key
          WHERE pg_try_advisory_xact_lock(hashtextextended(of_plugin || ' ' || of_queue || ' ' || key, 3)));
        free := ARRAY(SELECT wanted FROM unnest(free) AS wanted WHERE NOT EXISTS (
          SELECT FROM jobs WHERE ${ofQueue} AND state = 'running' AND key = wanted));
        seen := ARRAY(SELECT each.id
          FROM (SELECT id, key, place, row_number() OVER (PARTITION BY key ORDER BY place) AS turn
                FROM unnest(seen, their_keys) WITH ORDINALITY AS one (id, key, place)) AS each
          WHERE key IS NULL OR (turn = 1 AND key = ANY (free)) ORDER BY place);
        blocked := blocked || keys;
      END IF;
      RETURN QUERY WITH claimed AS (
        UPDATE jobs SET state = 'running', attempt = attempt + 1, claim = by_claim, daemon = by_daemon, awaited = false,
          leased_until = moment + lease_ms * interval '1 millisecond'
        WHERE jobs.id = ANY (seen) RETURNING jobs.id, jobs.payload, jobs.progress, jobs.attempt)
      SELECT claimed.*, NULL::double precision FROM claimed ORDER BY array_position(seen, claimed.id);
      rest := rest - cardinality(seen);
      EXIT WHEN rest = 0 OR got < asked;
    END LOOP;
    IF rest = 0 THEN RETURN; END IF;

    IF blocked <> '{}' THEN
      WITH holders AS (
        SELECT id FROM jobs WHERE ${ofQueue} AND state = 'running' AND key = ANY (blocked) AND daemon <> by_daemon AND NOT awaited
        FOR UPDATE SKIP LOCKED)
      UPDATE jobs SET awaited = true FROM holders WHERE jobs.id = holders.id;
    END IF;
    RETURN QUERY SELECT NULL, NULL, NULL, NULL::integer, least(
      -- Somebody is about to claim or to end what is in the way: whether that comes to pass is soon to be seen.
      (SELECT 100 WHERE EXISTS (
        SELECT FROM jobs AS job WHERE ${due} AND NOT EXISTS (
          SELECT FROM jobs AS other WHERE other.plugin = job.plugin AND other.queue = job.queue AND other.state = 'running'
            AND other.key = job.key AND (other.awaited OR other.daemon = by_daemon))))::double precision,
      (SELECT min(run_at) - now_ms FROM jobs WHERE ${ofQueue} AND state = 'waiting' AND run_at > now_ms)::double precision,
      (SELECT extract(epoch FROM leased_until - moment) * 1000 + 20 FROM jobs
       WHERE ${ofQueue} AND state = 'running' AND daemon <> by_daemon ORDER BY leased_until LIMIT 1)::double precision);
  END $$;`;

/** What a daemon says bears its name, so that it need not listen to itself. */
export const notifySql = `
  CREATE FUNCTION add_jobs(of_plugin text, of_queue text, ids text[], payloads text[], keys text[], dedupes text[],
    priorities double precision[], times bigint[], by_daemon text)
  RETURNS text[] LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    found text;
  BEGIN
    IF array_remove(dedupes, NULL) = '{}' THEN
      INSERT INTO jobs (plugin, queue, state, id, payload, key, priority, run_at)
        SELECT of_plugin, of_queue, 'waiting', each.* FROM unnest(ids, payloads, keys, priorities, times) AS each;
    ELSE
      PERFORM pg_advisory_xact_lock(hashtextextended(of_plugin || ' ' || of_queue, 2));
      FOR at IN 1 .. cardinality(ids) LOOP
        found := NULL;
        IF dedupes[at] IS NOT NULL THEN
          SELECT id INTO found FROM jobs
            WHERE plugin = of_plugin AND queue = of_queue AND dedupe = dedupes[at] AND state = 'waiting' LIMIT 1;
        END IF;
        IF found IS NULL THEN
          INSERT INTO jobs (plugin, queue, state, id, payload, key, dedupe, priority, run_at)
            VALUES (of_plugin, of_queue, 'waiting', ids[at], payloads[at], keys[at], dedupes[at], priorities[at], times[at]);
        ELSE
          ids[at] := found;
        END IF;
      END LOOP;
    END IF;
    PERFORM pg_notify('reeve_jobs', json_build_array(of_plugin, of_queue, by_daemon)::text);
    RETURN ids;
  END $$;`;

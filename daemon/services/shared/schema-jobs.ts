/** How jobs were claimed at first, in the database itself. Daemons of that version still do, until they are restarted. */

/** Daemons and plugins that may die over a job before the job is blamed. */
const mostInterruptions = 5;

/** What becomes of a job whose worker is gone. */
export const requeueSql = `state = CASE WHEN interruptions + 1 >= ${mostInterruptions} THEN 'failed' ELSE 'waiting' END,
    reason = CASE WHEN interruptions + 1 >= ${mostInterruptions}
      THEN 'It was interrupted ${mostInterruptions} times: whoever works on it dies.' ELSE reason END,
    failed_at = CASE WHEN interruptions + 1 >= ${mostInterruptions} THEN now() END,
    attempt = attempt - 1, interruptions = interruptions + 1, claim = NULL, daemon = NULL, leased_until = NULL`;

/** Waits again, or is given up. `which` says which of those that run. */
const releaseLease = (which: string): string => `
    DELETE FROM jobs WHERE state = 'running' AND cancelled AND ${which};
    UPDATE jobs SET ${requeueSql} WHERE state = 'running' AND ${which};`;

/** Adds a batch and returns its ids. Callers that may add the same job are serialized. */
export const enqueueSql = `
  CREATE FUNCTION add_jobs(of_plugin text, of_queue text, ids text[], payloads text[], keys text[], dedupes text[],
    priorities double precision[], times bigint[])
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
    PERFORM pg_notify('reeve_jobs', json_build_array(of_plugin, of_queue)::text);
    RETURN ids;
  END $$;`;

/**
 * Claims of one queue take turns, so that two jobs of one key never run at the same time. The last row holds no job: it
 * says in how many milliseconds another claim may find something, by a job's time or the end of a lease.
 */
export const claimSql = `
  CREATE FUNCTION claim_jobs(of_plugin text, of_queue text, now_ms bigint, room integer, lease_ms double precision, by_daemon text)
  RETURNS TABLE (id text, payload text, progress text, attempt integer, claim text, wait double precision)
  LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    candidate record;
    busy text[];
    chosen text[] := '{}';
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(of_plugin || ' ' || of_queue, 1));
    IF EXISTS (SELECT FROM jobs WHERE plugin = of_plugin AND queue = of_queue AND state = 'running' AND leased_until < clock_timestamp()) THEN
      ${releaseLease("plugin = of_plugin AND queue = of_queue AND leased_until < clock_timestamp()")}
    END IF;
    SELECT coalesce(array_agg(key), '{}') INTO busy FROM jobs
      WHERE plugin = of_plugin AND queue = of_queue AND state = 'running' AND key IS NOT NULL;
    FOR candidate IN
      SELECT job.id, job.key FROM jobs AS job
      WHERE job.plugin = of_plugin AND job.queue = of_queue AND job.state = 'waiting' AND job.run_at <= now_ms
      ORDER BY job.priority DESC, job.id
    LOOP
      EXIT WHEN cardinality(chosen) >= room;
      CONTINUE WHEN candidate.key IS NOT NULL AND candidate.key = ANY (busy);
      chosen := chosen || candidate.id;
      IF candidate.key IS NOT NULL THEN busy := busy || candidate.key; END IF;
    END LOOP;
    IF cardinality(chosen) > 0 THEN
      RETURN QUERY WITH claimed AS (
        UPDATE jobs SET state = 'running', attempt = attempt + 1, claim = gen_random_uuid()::text, daemon = by_daemon,
          leased_until = clock_timestamp() + lease_ms * interval '1 millisecond'
        WHERE jobs.id = ANY (chosen) AND state = 'waiting'
        RETURNING jobs.id, jobs.payload, jobs.progress, jobs.attempt, jobs.claim)
      SELECT claimed.id, claimed.payload, claimed.progress, claimed.attempt, claimed.claim, NULL::double precision FROM claimed
      ORDER BY array_position(chosen, claimed.id);
    END IF;
    IF cardinality(chosen) < room THEN
      RETURN QUERY SELECT NULL, NULL, NULL, NULL::integer, NULL, least(
        (SELECT min(run_at) - now_ms FROM jobs
         WHERE plugin = of_plugin AND queue = of_queue AND state = 'waiting' AND run_at > now_ms)::double precision,
        (SELECT extract(epoch FROM min(leased_until) - clock_timestamp()) * 1000 + 20 FROM jobs
         WHERE plugin = of_plugin AND queue = of_queue AND state = 'running' AND daemon <> by_daemon)::double precision);
    END IF;
  END $$;

  CREATE FUNCTION release_jobs(ids text[], claims text[]) RETURNS void LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  BEGIN
    ${releaseLease("(id, claim) IN (SELECT * FROM unnest(ids, claims))")}
  END $$;`;

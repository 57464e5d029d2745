/** The overview of the instance as the API returns it. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields } from '../../../core/auth/records.js'
import { nullable } from '../../../core/nullable.js'

const count = (example: number, description: string) => Type.Integer({ minimum: 0, examples: [example], description })
const text = (example: string, description: string) => Type.String({ examples: [example], description })
const date = (description: string) => Type.String({ format: 'date', examples: ['2026-11-23'], description })

const COUNTS = {
  analysis_runs: count(48210, 'Events and cases that were run: units of the plans.'),
  api_requests: count(51877, 'Requests that were authenticated in an organization.'),
  deliveries_delivered: count(912, 'Deliveries to webhooks and chats that were accepted.'),
  deliveries_failed: count(3, 'Deliveries to webhooks and chats that failed finally.'),
}

const JobsOfKind = Type.Object(
  {
    kind: text('webhook.deliver', 'Kind of the jobs.'),
    waiting: count(2, 'Jobs that are due and wait for an instance.'),
    waiting_since: nullable(fields.timestamp('Since when the oldest of them is due.'), 'Since when the oldest of them is due; null: none waits.'),
    running: count(1, 'Jobs that an instance runs. For some minutes, those of an instance that crashed are among them.'),
    scheduled: count(14, 'Jobs that are due later, those that are retried included.'),
    retrying: count(1, 'Jobs whose last attempt failed and that are retried.'),
    failed: count(0, 'Jobs that were given up, see `GET /platform/admin/jobs`.'),
  },
  { $id: 'PlatformJobCounts', description: 'Jobs of a kind.' },
)

const InstanceRecord = Type.Object(
  {
    id: text(EXAMPLE_ID, 'Identifier, which is new at each start.'),
    is_current: Type.Boolean({ description: 'Whether this instance answers the request. Its figures are of now, those of others up to 10 seconds old.' }),
    version: text('0.2.0', 'Version of the service.'),
    engine_version: text('4.14.7-1', 'Version of the engine.'),
    node_version: text('v20.19.0', 'Version of Node.js.'),
    started_at: fields.timestamp('When it was started.'),
    seen_at: fields.timestamp('When it reported these figures.'),
    uptime_seconds: count(86400, 'Seconds since its start.'),
    pool: Type.Object(
      {
        threads: count(2, 'Analysis threads.'),
        busy: count(1, 'Threads that run a task.'),
        queue_length: count(0, 'Tasks that wait for a thread.'),
        queue_limit: count(1024, 'Maximum number of waiting tasks.'),
      },
      { description: 'The thread pool of this instance.' },
    ),
    ruleset_cache: Type.Object(
      {
        rulesets: count(12, 'Compiled rulesets in all threads.'),
        used_bytes: count(96_000_000, 'Memory of these rulesets.'),
        limit_bytes: count(268_435_456, 'Limit of this memory (`RULESET_CACHE_MB`).'),
        hits: count(40210, 'Tasks since the start whose ruleset was in the cache.'),
        misses: count(96, 'Tasks since the start that compiled their ruleset.'),
      },
      { description: 'The cache of compiled rulesets of this instance.' },
    ),
  },
  { $id: 'PlatformInstance', description: 'A running instance of the service. All its figures are of its own process.' },
)

export const PlatformOverview = Type.Object(
  {
    read_at: fields.timestamp('When the figures were read; at most 5 seconds ago.'),
    organizations: Type.Object({ active: count(41, 'Active organizations.'), suspended: count(1, 'Suspended organizations.') }, { description: 'Organizations.' }),
    users: Type.Object({ active: count(318, 'Active users.'), inactive: count(12, 'Deactivated users.') }, { description: 'Users.' }),
    members: count(352, 'Memberships in all organizations.'),
    period: Type.Object(
      { from: date('First day, in UTC.'), to: date('Last day: today.'), ...COUNTS },
      { description: 'Counts of the last 30 days, of all instances, up to about a second old.' },
    ),
    days: Type.Array(Type.Object({ date: date('The day, in UTC.'), ...COUNTS }), {
      description: 'The same by day, the oldest first. Days before the first start of a version that counts them are zero.',
    }),
    deliveries: Type.Object(
      { waiting: count(17, 'Deliveries that are to be sent, or sent again.'), failed: COUNTS.deliveries_failed },
      { description: 'Deliveries to webhooks and chats; `failed` is of the last 30 days.' },
    ),
    jobs: Type.Array(JobsOfKind, { description: 'Jobs in the store, of all instances, by kind.' }),
    store: Type.Object(
      {
        kind: text('mongodb', '`embedded` or `mongodb`.'),
        version: text('8.0.4', 'Version of MongoDB, or of the format of the embedded store.'),
        migrations: count(5, 'Number of the last migration that was applied.'),
        is_up: Type.Boolean({ description: 'Whether the store responds and accepts writes, as far as known.' }),
      },
      { description: 'The store, which all instances share.' },
    ),
    instances: Type.Array(InstanceRecord, { description: 'Instances that have reported within 45 seconds, at most 100, the oldest first.' }),
  },
  { $id: 'PlatformOverview', description: 'Figures of the whole service.' },
)
export type PlatformOverview = Static<typeof PlatformOverview>

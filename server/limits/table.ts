/**
 * THE table of what one organization, one user and one address may hold at once in an instance. It is what `Limits` enforces, what `/metrics` shows, and
 * what the table in server/README.md is held against. A caller that reaches a limit is answered 503 with `Retry-After`; nobody else is.
 */

/** Whose share a limit is. An address counts for callers without a credential, and for connections. */
export const SCOPES = ['organization', 'user', 'address', 'instance'] as const
export type LimitScope = (typeof SCOPES)[number]

export interface Limit {
  readonly unit: 'count' | 'bytes'
  /** What is held, from when to when. One sentence, for server/README.md and `/metrics`. */
  readonly help: string
  /** At the limit so many wait for their turn, and holders have turns alternately; absent: what is over the limit is refused. */
  readonly waiting?: number
  readonly organization?: number
  readonly user?: number
  readonly address?: number
  readonly instance: number
}

/** What the numbers depend on. */
export interface LimitSettings {
  readonly workers: number
  readonly maxRequestBytes: number
}

const MB = 1024 * 1024
/** What 10,000 connections ask for at once as a rule, and more. */
const REQUESTS = 4_096

export function limitTable({ workers, maxRequestBytes }: LimitSettings) {
  return {
    /** About 10 KB each. An address that is no trusted proxy leaves most of them to others; a company behind one address has fewer people. */
    connections: { unit: 'count', help: 'Open connections, but those of trusted proxies.', address: 2_500, instance: 10_000 },
    /** A browser opens six connections, a busy pipeline some dozen. */
    requests: {
      unit: 'count',
      help: 'Requests other than analyses, from their headers until the operating system has the answer.',
      organization: 256,
      user: 128,
      address: 64,
      instance: REQUESTS,
    },
    /** The driver has 64 connections to the database, and the background work needs some. */
    database_turns: { unit: 'count', help: 'Requests that use the database.', organization: 32, address: 32, instance: 56, waiting: REQUESTS },
    /** As many as wait for a tenth of a second when each takes a millisecond. Four organizations share a queue. */
    analyses: {
      unit: 'count',
      help: 'Validations and logtests, until the operating system has the answer.',
      organization: 256 * workers,
      instance: 1_024 * workers,
    },
    /** A batch keeps all threads busy by itself; more of them at once are for callers that send slowly. */
    batches: { unit: 'count', help: 'Open batches.', organization: 16, instance: 256 },
    /** Each runs cases or measures a ruleset, and holds megabytes of results. */
    runs: { unit: 'count', help: 'Case runs, overviews, reports, impacts and publications.', organization: 4, instance: 256, waiting: REQUESTS },
    exports: { unit: 'count', help: 'Exports, until the operating system has the answer.', organization: 4, instance: 256 },
    /** Half of the connections at most. `SSE_CONNECTIONS_PER_USER` is a user's share, over all instances (`server/sse`). */
    event_streams: { unit: 'count', help: 'Open event streams.', organization: 1_000, instance: 5_000 },
    /** Sixteen of the largest bodies. */
    body_bytes: {
      unit: 'bytes',
      help: 'Bodies over 64 KB, by their announced length, until their request is answered; of bodies without a length what has come.',
      organization: 16 * maxRequestBytes,
      address: maxRequestBytes,
      instance: 64 * maxRequestBytes,
    },
    /** Uploads are read ahead of the threads; past that they are read as fast as they are run. */
    batch_bytes: {
      unit: 'bytes',
      help: 'Lines of batches that are read and not yet run.',
      organization: 4 * maxRequestBytes,
      instance: 16 * maxRequestBytes,
      waiting: Number.POSITIVE_INFINITY,
    },
    /** Findings are never cut, so that one answer may have 40 MB. */
    answer_bytes: { unit: 'bytes', help: 'Answers over 256 KB that the operating system has not taken.', organization: 128 * MB, instance: 512 * MB },
    run_bytes: { unit: 'bytes', help: 'Cases of runs, and their results.', organization: 256 * MB, instance: 512 * MB },
    /** argon2 works in libuv's pool of four threads, where files and host names wait as well. */
    password_hashes: { unit: 'count', help: 'Passwords that are hashed.', organization: 1, address: 1, instance: 2, waiting: 1_024 },
  } as const satisfies Readonly<Record<string, Limit>>
}

export type LimitTable = ReturnType<typeof limitTable>
/** What can be held. */
export type Resource = keyof LimitTable
/** What is waited for at its limit. */
export type WaitingResource = { [R in Resource]: LimitTable[R] extends { readonly waiting: number } ? R : never }[Resource]
/** What is refused at its limit. */
export type RefusedResource = Exclude<Resource, WaitingResource>

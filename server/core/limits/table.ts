/**
 * The table of what one organization, user and address may use at once in an instance. `Limits` enforces it, `/metrics` shows it, and a test compares it
 * with the table in server/README.md. A caller that reaches a limit is answered 503 with `Retry-After`; other callers are not affected.
 */

/** Scopes of limits. Addresses are counted for callers without a credential, and for connections. */
export const SCOPES = ['organization', 'user', 'address', 'instance'] as const
export type LimitScope = (typeof SCOPES)[number]

export interface Limit {
  readonly unit: 'count' | 'bytes'
  /** One sentence that says what is counted, and from when to when, for server/README.md and `/metrics`. */
  readonly help: string
  /** Maximum number of requests that wait at the limit; holders are served alternately. Absent: requests above the limit are refused. */
  readonly waiting?: number
  readonly organization?: number
  readonly user?: number
  readonly address?: number
  readonly instance: number
}

/** Settings that the limits depend on. */
export interface LimitSettings {
  /** Number of analysis threads of this process. */
  readonly workers: number
  readonly maxRequestBytes: number
  /** Number of processes among which bytes are divided. Default: one. Counts are those of a process, as its event loop is what they protect. */
  readonly processes?: number
}

const MB = 1024 * 1024
/** More requests than 10,000 connections normally send at once. */
const REQUESTS = 4_096

/** A pack of the maximum size (`FETCH_BYTES`) and its index. */
const PACK_BYTES = 80 * MB
/** Bodies of the maximum size that an organization may have in a process, with any number of processes. */
const LEAST_BODIES = 4

export function limitTable({ workers, maxRequestBytes, processes = 1 }: LimitSettings) {
  /** The part of one process. */
  const part = (bytes: number, least = LEAST_BODIES * maxRequestBytes): number => Math.min(bytes, Math.max(Math.ceil(bytes / processes), least))
  return {
    /** About 10 KB each. One address can use a part of them only, unless it is a trusted proxy; a company behind one address has fewer users. */
    connections: { unit: 'count', help: 'Open connections, except those of trusted proxies.', address: 2_500, instance: 10_000 },
    /** A browser opens six connections, a busy pipeline some dozens. */
    requests: {
      unit: 'count',
      help: 'Requests other than analyses, from their headers until the operating system has the response.',
      organization: 256,
      user: 128,
      address: 64,
      instance: REQUESTS,
    },
    /** The driver has 64 connections to the database; background work needs some of them. */
    database_turns: { unit: 'count', help: 'Requests that use the database.', organization: 32, address: 32, instance: 56, waiting: REQUESTS },
    /** The number that waits a tenth of a second if each takes a millisecond. Four organizations can share a queue. */
    analyses: {
      unit: 'count',
      help: 'Validations and logtests, until the operating system has the response.',
      organization: 256 * workers,
      instance: 1_024 * workers,
    },
    /** One batch keeps all threads busy; more are useful only for callers that send slowly. */
    batches: { unit: 'count', help: 'Open batches.', organization: 16, instance: 256 },
    /** Each runs cases or measures a ruleset, and holds megabytes of results. */
    runs: { unit: 'count', help: 'Case runs, overviews, reports, impacts and publications.', organization: 4, instance: 256, waiting: REQUESTS },
    /** Each may hold a repository that was fetched over plain Git (`FETCH_BYTES`), and what it inflates to. */
    repository_reads: { unit: 'count', help: 'Imports, publications to Git, and other reads of repositories.', organization: 4, instance: 32, waiting: REQUESTS },
    /** Each waits for a server that may be slow, with at most some megabytes of lists and files. */
    provider_requests: { unit: 'count', help: 'Requests that wait for a forge, a CI system or a chat.', organization: 16, instance: 256 },
    /** Beside the packs of two repositories of the maximum size, most answers have some kilobytes. */
    provider_bytes: {
      unit: 'bytes',
      help: 'Answers of forges and CI systems until they are read, and packs of Git until they were not read for 15 seconds.',
      organization: part(160 * MB, PACK_BYTES),
      instance: part(640 * MB, PACK_BYTES),
    },
    exports: { unit: 'count', help: 'Exports, until the operating system has the response.', organization: 4, instance: 256 },
    /** At most half of the connections. `SSE_CONNECTIONS_PER_USER` limits a user over all instances (`server/core/sse`). */
    event_streams: { unit: 'count', help: 'Open event streams.', organization: 1_000, instance: 5_000 },
    /** Sixteen bodies of the maximum size. */
    body_bytes: {
      unit: 'bytes',
      help: 'Bodies over 64 KB until their request is answered, by declared length or else by received bytes.',
      organization: part(16 * maxRequestBytes),
      address: maxRequestBytes,
      instance: part(64 * maxRequestBytes),
    },
    /** Uploads are read ahead of the threads up to this limit; beyond it they are read as fast as they are processed. */
    batch_bytes: {
      unit: 'bytes',
      help: 'Lines of batches that were read and not run yet.',
      organization: part(4 * maxRequestBytes),
      instance: part(16 * maxRequestBytes),
      waiting: Number.POSITIVE_INFINITY,
    },
    /** Diagnostics are never truncated, so one response may have 40 MB. */
    answer_bytes: { unit: 'bytes', help: 'Responses over 256 KB that the operating system has not taken.', organization: part(128 * MB), instance: part(512 * MB) },
    run_bytes: { unit: 'bytes', help: 'Cases and results of runs.', organization: part(256 * MB), instance: part(512 * MB) },
    /** argon2 uses libuv's pool of four threads, which file access and DNS lookups need too. */
    password_hashes: { unit: 'count', help: 'Passwords that are being hashed.', organization: 1, address: 1, instance: 2, waiting: 1_024 },
  } as const satisfies Readonly<Record<string, Limit>>
}

export type LimitTable = ReturnType<typeof limitTable>
/** Resources with a limit. */
export type Resource = keyof LimitTable
/** Resources whose requests wait at the limit. */
export type WaitingResource = { [R in Resource]: LimitTable[R] extends { readonly waiting: number } ? R : never }[Resource]
/** Resources whose requests are refused at the limit. */
export type RefusedResource = Exclude<Resource, WaitingResource>

/**
 * The log: JSON, one line an entry, so that no value can begin a line of its own. Invariants:
 *  1. secrets, tokens, passwords, cookies, bodies and event texts are in no entry: known names are cut out at any of the usual depths, faults are
 *     described without the values in their messages, and the access log has a fixed set of fields
 *  2. writing never blocks a request: lines are gathered and written behind it
 */
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino'

/** Takes entries: `log.info({ field }, 'what happened')`. An error goes under `err`, and is described by `describeFault`. */
export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  readonly access: AccessLog
  /** Writes out what is gathered; at the end of the process that happens by itself. */
  flush(): void
}

export interface AccessEntry {
  readonly request_id: string
  readonly method: string
  /** As the route writes it, with its parameters unfilled. */
  readonly route: string
  readonly status: number
  readonly ms: number
  readonly subject: string | null
  readonly organization: string | null
  /** Reason of a refusal. */
  readonly refusal: string | null
}

/** Where requests are written down. */
export interface AccessLog {
  isEnabled(): boolean
  write(entry: AccessEntry): void
}

/** Names under which nothing is ever logged. */
export const SECRET_NAMES = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'api_key',
  'apiKey',
  'password',
  'new_password',
  'newPassword',
  'secret',
  'client_secret',
  'clientSecret',
  'secretKey',
  'webhook_secret',
  'credentials',
  'token',
  'access_token',
  'accessToken',
  'refresh_token',
  'private_key',
  'event',
  'event_text',
  'eventText',
  'body',
  'content',
  'rules_xml',
  'decoders_xml',
  'current_xml',
  'metricsToken',
  'smtpUrl',
  'mongodbUrl',
] as const

/** At the top, and in objects one to three deep. */
const PATHS = SECRET_NAMES.flatMap((name) => {
  const step = `["${name}"]`
  return [step, `*${step}`, `*.*${step}`, `*.*.*${step}`]
})
/** Written together. A crash loses at most that; `fatal` is written at once. */
const BUFFER_BYTES = 4096
/** A quiet service shows its last lines this late. */
const FLUSH_MS = 1000

/** The log of a process. @param destination default: standard output, asynchronously */
export function createLog({ logLevel }: { readonly logLevel: string }, destination?: DestinationStream): Log {
  const buffered = destination === undefined ? pino.destination({ dest: 1, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_MS }) : null
  const sink = destination ?? (buffered as DestinationStream)
  const base: LoggerOptions = { level: logLevel, base: null, timestamp: isoTime, formatters: { level: (label) => ({ level: label }) } }
  const log = pino({ ...base, serializers: { err: (error: unknown) => describeFault(error) }, redact: { paths: PATHS, censor: '[redacted]' } }, sink)
  // Its fields are known to hold nothing, and cutting costs more than writing.
  const access = pino(base, sink)
  return Object.assign(log, {
    access: { isEnabled: () => access.isLevelEnabled('info'), write: (entry: AccessEntry) => access.info(entry, 'request') },
    flush: () => buffered?.flushSync(),
  }) as Log
}

/** At a thousand lines a second and more, formatting the same millisecond again would be most of a line's cost. */
let lastTime = Number.NaN
let lastText = ''
function isoTime(): string {
  const now = Date.now()
  if (now !== lastTime) {
    lastTime = now
    lastText = `,"time":"${new Date(now).toISOString()}"`
  }
  return lastText
}

export interface FaultDescription {
  readonly name: string
  readonly code?: string
  readonly message: string
  readonly frames: readonly string[]
  readonly cause?: FaultDescription
}

const FRAMES_LIMIT = 20
const CAUSES_LIMIT = 3
const MESSAGE_LIMIT = 300
/** Messages quote what they choke on, and name keys and tokens. */
const QUOTED = /"[^"]*"?|'[^']*'?|`[^`]*`?/g
const SECRET_SHAPES = /\bsvk_\w+|\bwhsec_\S+|\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?|\b[\w.+-]+@[\w-]+\.[\w.-]+|:\/\/[^\s/@]+@/g

/** The stack begins with the message, and a message may hold lines that look like frames. */
function stackBelow({ stack = '', message }: Error): string {
  const at = stack.indexOf(message)
  return at === -1 ? stack : stack.slice(at + message.length)
}

/** An error for the log: what and where, without the values that its message may quote. */
export function describeFault(error: unknown, depth = 0): FaultDescription {
  if (!(error instanceof Error)) return { name: 'not an error', message: typeof error, frames: [] }
  const frames = stackBelow(error)
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, FRAMES_LIMIT)
    .map((line) => line.trim())
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    message: error.message.slice(0, MESSAGE_LIMIT).replace(QUOTED, '…').replace(SECRET_SHAPES, '…'),
    frames,
    ...(error.cause instanceof Error && depth < CAUSES_LIMIT ? { cause: describeFault(error.cause, depth + 1) } : {}),
  }
}

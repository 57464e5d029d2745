/**
 * The log: JSON, one line an entry, so that no value can begin a line of its own. Invariants:
 *  1. secrets, tokens, passwords, cookies, bodies and event texts are in no entry: known names are cut out at any of the usual depths, faults are
 *     described without the values in their messages, and the access log has a fixed set of fields
 *  2. writing never blocks a request: lines are gathered and written behind it
 *  3. whoever reads it may be slow, or gone: lines are lost then, but the service goes on, and ends when it is told to
 *  4. a store that is away is one line a minute (`store-failures.ts`)
 */
import pino, { type DestinationStream, type Level, type Logger, type LoggerOptions } from 'pino'
import { LineBuffer } from './line-buffer.js'
import { StoreFailures } from './store-failures.js'

/** Takes entries: `log.info({ field }, 'what happened')`. An error goes under `err`, and is described by `describeFault`. */
export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  readonly access: AccessLog
  /** Entries of each level, also those that were left out while the store is away. */
  readonly counts: Readonly<Record<CountedLevel, number>>
  /** Writes out what is gathered, before the process ends. Resolves when it is written, or nobody reads it. */
  flush(): Promise<void>
}

/** Levels that somebody should look at. */
export const COUNTED_LEVELS = ['warn', 'error', 'fatal'] as const
export type CountedLevel = (typeof COUNTED_LEVELS)[number]

export interface AccessEntry {
  readonly request_id: string
  /** Of the caller, as trusted proxies tell it. */
  readonly address: string
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
  'lists',
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

/** The log of a process. @param destination default: standard output, asynchronously */
export function createLog({ logLevel }: { readonly logLevel: string }, destination?: DestinationStream): Log {
  const output = destination === undefined ? new LineBuffer() : null
  const sink = destination ?? (output as LineBuffer)
  const base: LoggerOptions = { level: logLevel, base: null, timestamp: isoTime, formatters: { level: (label) => ({ level: label }) } }
  const counts = { warn: 0, error: 0, fatal: 0 }
  /** What is told of entries that were counted is none more. */
  let isTelling = false
  const ofStore = new StoreFailures((leftOut, level) => {
    isTelling = true
    log[labelOf(level)](leftOut, 'failures of the store were left out')
    isTelling = false
  })
  const hooks: LoggerOptions['hooks'] = {
    logMethod(args, method, level) {
      const label = labelOf(level)
      if (isCounted(label) && !isTelling) {
        counts[label]++
        if (!ofStore.admit(args[0], level)) return
      }
      method.apply(this, args)
    },
  }
  const log = pino({ ...base, hooks, serializers: { err: (error: unknown) => describeFault(error) }, redact: { paths: PATHS, censor: '[redacted]' } }, sink)
  return Object.assign(log, {
    access: { isEnabled: () => log.isLevelEnabled('info'), write: (entry: AccessEntry) => sink.write(accessLine(entry)) },
    counts,
    flush: () => {
      ofStore.flush()
      return output?.flush() ?? Promise.resolve()
    },
  }) as Log
}

function labelOf(level: number): Level {
  return pino.levels.labels[level] as Level
}

function isCounted(label: Level): label is CountedLevel {
  return (COUNTED_LEVELS as readonly Level[]).includes(label)
}

/**
 * The line that pino would write, at a third of its cost: there is one a request. Its fields are known, and hold nothing that would have to be cut out.
 */
function accessLine({ request_id, address, method, route, status, ms, subject, organization, refusal }: AccessEntry): string {
  const who = `"subject":${textOf(subject)},"organization":${textOf(organization)},"refusal":${textOf(refusal)}`
  return `{"level":"info"${isoTime()},"request_id":${textOf(request_id)},"address":${textOf(address)},"method":${textOf(method)},"route":${textOf(route)},"status":${status},"ms":${ms},${who},"msg":"request"}\n`
}

/** Nearly all are plain words and ids. */
const PLAIN = /^[\w /:.{}+=@-]*$/

function textOf(text: string | null): string {
  if (text === null) return 'null'
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
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

/** The stack begins with the message, and a message may hold lines that look like frames. */
function stackBelow({ stack = '', message }: Error): string {
  const at = stack.indexOf(message)
  return at === -1 ? stack : stack.slice(at + message.length)
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

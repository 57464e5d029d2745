/**
 * The log: JSON, one line per entry, so that no value can begin a line. Invariants:
 *  1. no entry contains secrets, tokens, passwords, cookies, bodies or event texts: known names are removed at the usual depths, errors are described without
 *     the values in their messages, and the access log has a fixed set of fields
 *  2. writing never blocks a request: lines are buffered and written later
 *  3. a slow or closed reader loses lines, but the service continues and stops on request
 *  4. an unavailable store causes one line a minute (`store-failures.ts`)
 */
import pino, { type DestinationStream, type Level, type Logger, type LoggerOptions } from 'pino'
import { LineBuffer } from './line-buffer.js'
import { StoreFailures } from './store-failures.js'

/** Writes entries: `log.info({ field }, 'what happened')`. An error belongs under `err` and is described by `describeFault`. */
export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  readonly access: AccessLog
  /** Number of entries by level, including those suppressed while the store is unavailable. */
  readonly counts: Readonly<Record<CountedLevel, number>>
  /** Writes lines of the log of another process. */
  passOn(lines: string): void
  /** Writes the buffered lines at the end of the process. Resolves when they are written or the reader is gone. */
  flush(): Promise<void>
}

/** Levels that an operator should look at. */
export const COUNTED_LEVELS = ['warn', 'error', 'fatal'] as const
export type CountedLevel = (typeof COUNTED_LEVELS)[number]

export interface AccessEntry {
  readonly request_id: string
  /** IP address of the caller, from trusted proxies where there are some. */
  readonly address: string
  readonly method: string
  /** Path template of the route. */
  readonly route: string
  readonly status: number
  readonly ms: number
  readonly subject: string | null
  readonly organization: string | null
  /** Reason of an error; null: none. */
  readonly refusal: string | null
}

/** Writes the access log. */
export interface AccessLog {
  isEnabled(): boolean
  write(entry: AccessEntry): void
}

/** Field names whose values are never logged. */
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

/** At the top level, and in objects up to three levels deep. */
const PATHS = SECRET_NAMES.flatMap((name) => {
  const step = `["${name}"]`
  return [step, `*${step}`, `*.*${step}`, `*.*.*${step}`]
})

/** Fields of every log entry, except those of the access log. */
export interface LogFields {
  /** Number of the process that writes, of a service of several processes. */
  readonly process?: number
}

/** Creates the log of a process. @param destination default: standard output, asynchronously */
export function createLog({ logLevel }: { readonly logLevel: string }, destination?: DestinationStream, fields: LogFields | null = null): Log {
  const output = destination === undefined ? new LineBuffer() : null
  const sink = destination ?? (output as LineBuffer)
  const base: LoggerOptions = { level: logLevel, base: fields, timestamp: isoTime, formatters: { level: (label) => ({ level: label }) } }
  const counts = { warn: 0, error: 0, fatal: 0 }
  /** True while the summary of suppressed entries is written: those were counted before. */
  let isSummary = false
  const ofStore = new StoreFailures((suppressed, level) => {
    isSummary = true
    log[labelOf(level)](suppressed, 'failures of the store were left out')
    isSummary = false
  })
  const hooks: LoggerOptions['hooks'] = {
    logMethod(args, method, level) {
      const label = labelOf(level)
      if (isCounted(label) && !isSummary) {
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
    passOn: (lines: string) => void sink.write(lines),
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

/** Formats the line that pino would write, at a third of the cost: every request has one. Its fields are fixed and contain nothing to redact. */
function accessLine({ request_id, address, method, route, status, ms, subject, organization, refusal }: AccessEntry): string {
  const who = `"subject":${textOf(subject)},"organization":${textOf(organization)},"refusal":${textOf(refusal)}`
  return `{"level":"info"${isoTime()},"request_id":${textOf(request_id)},"address":${textOf(address)},"method":${textOf(method)},"route":${textOf(route)},"status":${status},"ms":${ms},${who},"msg":"request"}\n`
}

/** Texts that need no escaping, which most are. */
const PLAIN = /^[\w /:.{}+=@-]*$/

function textOf(text: string | null): string {
  if (text === null) return 'null'
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** Caches the formatted time: at a thousand lines a second, formatting the same millisecond again would be most of a line's cost. */
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

/** The stack without the message, which may contain lines that look like frames. */
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
/** Quoted parts of messages: they may contain input, keys and tokens. */
const QUOTED = /"[^"]*"?|'[^']*'?|`[^`]*`?/g
const SECRET_SHAPES = /\bsvk_\w+|\bwhsec_\S+|\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?|\b[\w.+-]+@[\w-]+\.[\w.-]+|:\/\/[^\s/@]+@/g

/** Describes an error for the log, without the values that its message may quote. */
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

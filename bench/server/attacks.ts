/**
 * Attacks of one caller on the service, for `fairness.bench.ts`. Each runs in its own process: `node attacks.js NAME TARGET SECONDS`, with the target as JSON. At
 * the end it prints the bytes sent and the number of responses by status. An attack has a time limit and connects to 127.0.0.1 only.
 */
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { pathToFileURL } from 'node:url'

export interface Target {
  readonly port: number
  /** API key of an organization, with all permissions. */
  readonly key: string
  readonly token: string
  readonly organizationId: string
  /** A project with cases. */
  readonly projectId: string
  /** A corpus in it; null: the attack needs none. */
  readonly corpusId: string | null
}

const EVENT = 'Jan  5 10:11:12 web1 sshd[1]: Failed password for root from 192.0.2.4 port 2 ssh2'
const JSON_TYPE = 'Content-Type: application/json'
const NDJSON_TYPE = 'Content-Type: application/x-ndjson'
const CHUNKED = 'Transfer-Encoding: chunked'
const API = '/api/v1'

let until = 0
let sentBytes = 0
const statuses = new Map<string, number>()

function count(status: string): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
}

/** Opens connections and reopens them when they are closed. */
function connections(port: number, many: number, begin: (socket: Socket) => void): void {
  for (let i = 0; i < many; i++) open()
  function open(): void {
    const socket = connect(port, '127.0.0.1', () => begin(socket))
    socket.on('error', () => {})
    // The status line of the first response in each read: enough to see how the service answers.
    socket.on('data', (data) => {
      const status = /HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))
      if (status !== null) count(status[1])
    })
    socket.on('close', () => {
      count('closed')
      if (performance.now() < until) setTimeout(open, 20)
    })
  }
}

/** Writes the same bytes repeatedly, as fast as they are accepted. */
function writeRepeatedly(socket: Socket, block: Buffer): void {
  if (socket.destroyed || performance.now() > until) return
  sentBytes += block.byteLength
  if (socket.write(block)) setImmediate(writeRepeatedly, socket, block)
  else socket.once('drain', () => writeRepeatedly(socket, block))
}

function head(method: string, path: string, ...headers: readonly string[]): string {
  return `${[`${method} ${path} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`
}

function writing(many: number, first: string, block: string, reads = true): (target: Target) => void {
  return ({ port }) =>
    connections(port, many, (socket) => {
      if (!reads) socket.pause()
      socket.write(first)
      writeRepeatedly(socket, Buffer.from(block))
    })
}

/** Sends requests in a loop on the given number of connections. After a refusal it pauses, as clients do. */
function repeating(many: number, of: (target: Target, index: number) => { method: string; path: string; type?: string; body?: string | Buffer; session?: boolean }) {
  return (target: Target): void => {
    const agent = new Agent({ keepAlive: true, maxSockets: many })
    let index = 0
    const sendNext = (): void => {
      if (performance.now() > until) return
      const { method, path, type = 'application/json', body, session = false } = of(target, index++)
      const headers = {
        ...(session ? { Authorization: `Bearer ${target.token}` } : { 'X-API-Key': target.key }),
        ...(body === undefined ? {} : { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }),
      }
      const sent = request({ host: '127.0.0.1', port: target.port, method, path: API + path, agent, headers }, (response) => {
        count(String(response.statusCode))
        response.resume().on('end', () => setTimeout(sendNext, (response.statusCode ?? 0) >= 429 ? 50 : 0))
        response.on('error', () => setTimeout(sendNext, 20))
      })
      sent.on('error', () => setTimeout(sendNext, 20))
      sent.end(body)
      sentBytes += body === undefined ? 0 : Buffer.byteLength(body)
    }
    for (let i = 0; i < many; i++) sendNext()
  }
}

function rules(many: number, first: number, match: (index: number) => string): { filename: string; kind: string; content: string }[] {
  const content = Array.from({ length: many }, (_, i) => `<rule id="${100_000 + first + i}" level="3">${match(first + i)}<description>d</description></rule>`)
  return [{ filename: 'local_rules.xml', kind: 'rules', content: `<group name="local,">${content.join('')}</group>` }]
}

const once = <T>(create: () => T): (() => T) => {
  let cached: T | undefined
  return () => {
    cached ??= create()
    return cached
  }
}
const deep = once(() => `{"files":${'['.repeat(3_900_000)}${']'.repeat(3_900_000)}}`)
const keys = once(() => `{${Array.from({ length: 560_000 }, (_, i) => `"k${i}":1`).join()}}`)
const files = once(() => JSON.stringify({ files: Array.from({ length: 100_000 }, (_, i) => ({ filename: `f${i}`, kind: 'rules', content: '' })) }))
const thousandFiles = once(() =>
  JSON.stringify({ files: Array.from({ length: 1_000 }, (_, i) => ({ ...rules(1, i, (id) => `<match>m${id}</match>`)[0], filename: `f${i}.xml` })) }),
)
const bigRuleset = once(() => JSON.stringify({ files: rules(70_000, 0, (i) => `<match>m${i}</match>`) }))
const heavyLogtest = once(() => JSON.stringify({ files: rules(18_000, 0, (i) => `<regex type="pcre2">a.*b${i}.*c</regex>`), input: { event: 'app: aaaa bbbb' } }))
const batch = once(() => `{"trace": false}\n${`{"event":"${EVENT}"}\n`.repeat(80_000)}`)
const attachment = once(() =>
  JSON.stringify({
    kind: 'bug',
    title: 'Slow',
    attachments: [{ filename: 'log.txt', content_type: 'text/plain', content: Buffer.alloc(500_000, 'x').toString('base64') }],
  }),
)

const VALIDATE = '/analysis/validate'
const LOGTEST = '/analysis/logtest-native'
const BATCH = '/analysis/logtest-batch'
const project = ({ projectId }: Target): string => `/platform/projects/${projectId}`
const posting = (path: string, body: () => string, type?: string) => () => ({ method: 'POST', path, body: body(), ...(type === undefined ? {} : { type }) })

/** The attacks, by name. */
export const ATTACKS = {
  'chunks of one byte, /livez': writing(40, head('GET', '/livez', CHUNKED), '1\r\n \r\n'.repeat(4_000)),
  'chunks of one byte, 404': writing(40, head('POST', '/nope', CHUNKED), '1\r\n \r\n'.repeat(4_000)),
  'chunks of one byte, login': writing(40, head('POST', `${API}/auth/login`, JSON_TYPE, CHUNKED), '1\r\n \r\n'.repeat(4_000)),
  'chunks of two bytes, validate': (target) => writing(10, head('POST', API + VALIDATE, `X-API-Key: ${target.key}`, JSON_TYPE, CHUNKED), '2\r\n  \r\n'.repeat(4_000))(target),
  'chunks of one byte, batch': (target) => writing(10, head('POST', API + BATCH, `X-API-Key: ${target.key}`, NDJSON_TYPE, CHUNKED), '1\r\n \r\n'.repeat(4_000))(target),
  'chunk extensions': (target) =>
    writing(10, head('POST', API + VALIDATE, `X-API-Key: ${target.key}`, JSON_TYPE, CHUNKED), `40;${'x'.repeat(8_000)}\r\n${' '.repeat(64)}\r\n`.repeat(20))(target),
  trailers: writing(40, '', `${head('POST', '/nope', CHUNKED)}0\r\n${'X-Trailer: y\r\n'.repeat(500)}\r\n`),
  'pipelined /livez, never read': writing(50, '', head('GET', '/livez').repeat(2_000), false),
  'pipelined lists, never read': (target) => writing(5, '', head('GET', `${API}/platform/projects?limit=200`, `X-API-Key: ${target.key}`).repeat(500), false)(target),
  'pipelined bodies': (target) => {
    const body = JSON.stringify({ input: { event: EVENT } })
    writing(20, '', `${head('POST', API + LOGTEST, `X-API-Key: ${target.key}`, JSON_TYPE, `Content-Length: ${body.length}`)}${body}`.repeat(200))(target)
  },
  'slow readers of large answers': (target) => {
    const body = bigRuleset()
    const sent = `${head('POST', `${API}${VALIDATE}`, `X-API-Key: ${target.key}`, JSON_TYPE, `Content-Length: ${Buffer.byteLength(body)}`)}${body}`
    connections(target.port, 16, (socket) => {
      socket.pause()
      socket.write(sent)
      sentBytes += sent.length
    })
  },
  'deep JSON': repeating(6, posting(VALIDATE, deep)),
  'many members': repeating(8, posting(VALIDATE, keys)),
  'many files': repeating(8, posting(VALIDATE, files)),
  'a thousand files': repeating(8, posting(VALIDATE, thousandFiles)),
  'a large ruleset': repeating(4, posting(VALIDATE, bigRuleset)),
  'heavy logtests': repeating(16, posting(LOGTEST, heavyLogtest)),
  'small rulesets, each another': repeating(16, (_, index) => ({
    method: 'POST',
    path: LOGTEST,
    body: JSON.stringify({ files: rules(20, index, (i) => `<match>m${i}</match>`), input: { event: EVENT } }),
  })),
  'sessions, each another': repeating(16, (_, index) => ({ method: 'POST', path: LOGTEST, body: JSON.stringify({ input: { event: EVENT, session_id: `s${index}` } }) })),
  batches: repeating(16, posting(BATCH, batch, 'application/x-ndjson')),
  'trickling batches': ({ port, key }) =>
    connections(port, 520, (socket) => {
      socket.write(`${head('POST', API + BATCH, `X-API-Key: ${key}`, NDJSON_TYPE, CHUNKED)}11\r\n{"trace": false}\n\r\n`)
      const timer = setInterval(() => {
        if (socket.destroyed || performance.now() > until) clearInterval(timer)
        else socket.write('10\r\n{"event":"abcd"}\r\n1\r\n\n\r\n')
      }, 100)
    }),
  'runs of 5,000 events': repeating(8, (target) => ({ method: 'POST', path: `${project(target)}/cases/run`, body: '{}' })),
  exports: repeating(32, (target) => ({ method: 'GET', path: `${project(target)}/cases/export` })),
  // Most are refused, because only so many may run; each that ends makes room for another one.
  replays: repeating(8, (target) => ({ method: 'POST', path: `${project(target)}/replays`, body: JSON.stringify({ corpus_id: target.corpusId }) })),
  attachments: repeating(8, ({ organizationId }) => ({ method: 'POST', path: `/platform/organizations/${organizationId}/feedback-reports`, body: attachment() })),
  'event streams': repeating(200, () => ({ method: 'GET', path: '/notifications/stream', session: true })),
} as const satisfies Readonly<Record<string, (target: Target) => void>>
export type AttackName = keyof typeof ATTACKS

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [name, target, seconds] = process.argv.slice(2)
  until = performance.now() + Number(seconds) * 1000
  setTimeout(
    () => {
      process.stdout.write(JSON.stringify({ sentMb: Math.round(sentBytes / 1e5) / 10, statuses: Object.fromEntries(statuses) }))
      process.exit(0)
    },
    Number(seconds) * 1000 + 300,
  )
  ATTACKS[name as AttackName](JSON.parse(target) as Target)
}

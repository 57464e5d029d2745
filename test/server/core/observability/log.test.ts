/** What the log contains, and what it never contains. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { createLog, describeFault, SECRET_NAMES } from '../../../../server/core/observability/log.js'

function collect(level = 'debug'): { log: ReturnType<typeof createLog>; lines: string[] } {
  const lines: string[] = []
  return { log: createLog({ logLevel: level }, { write: (line) => void lines.push(line) }), lines }
}

test('secrets are removed under all of their names, at the usual depths', () => {
  const { log, lines } = collect()
  for (const name of SECRET_NAMES) {
    log.info({ [name]: 'hidden-1' }, 'flat')
    log.info({ request: { headers: { [name]: 'hidden-2' } }, a: { b: { c: { [name]: 'hidden-3' } } } }, 'deep')
  }
  assert.equal(lines.length, 2 * SECRET_NAMES.length)
  assert.doesNotMatch(lines.join(''), /hidden/)
})

test('an entry is one line, whatever its values', () => {
  const { log, lines } = collect()
  log.info({ name: 'a\n{"level":"fatal","msg":"forged"}\r\n\u2028' }, 'text\nwith\nlines')
  log.access.write({ request_id: 'a\nb', address: '203.0.113.7', method: 'GET', route: '/x', status: 200, ms: 1, subject: null, organization: null, refusal: null })
  assert.equal(lines.length, 2)
  for (const line of lines) assert.equal(line.trimEnd().split(/\r|\n/).length, 1)
  assert.equal(JSON.parse(lines[0]).level, 'info')
  assert.match(JSON.parse(lines[0]).time, /^\d{4}-\d\d-\d\dT/)
})

test('lines of a message are not taken for stack frames', () => {
  const { frames } = describeFault(new Error('first line of an event\n    at hidden (event:1:1)'))
  assert.doesNotMatch(frames.join(), /hidden/)
  assert.match(frames[0], /log\.test/)
})

test('an error is described by its type and stack, without the values in its message', () => {
  const cause = new SyntaxError('Unexpected token \'a\', "a secret event" is not valid JSON')
  const { name, message, frames, cause: inner } = describeFault(new TypeError('for eyJhbGciOi.eyJzdWIi.c2ln at mongodb://user:pass@host/db', { cause }))
  assert.equal(name, 'TypeError')
  assert.doesNotMatch(message, /eyJ|pass/)
  assert.match(frames[0], /log\.test/)
  assert.equal(inner?.message, 'Unexpected token …, … is not valid JSON')
  assert.equal(describeFault('text').message, 'string')
  const { log, lines } = collect()
  log.error({ err: cause }, 'failed')
  assert.doesNotMatch(lines[0], /secret event/)
})

test('a cause that refers to itself ends the description', () => {
  const error = new Error('round')
  error.cause = error
  assert.ok(JSON.stringify(describeFault(error)).length < 20_000)
})

test('a line of the access log equals what the log itself would write', () => {
  const { log, lines } = collect()
  const entry = {
    request_id: 'quote " and \u2028',
    address: '2001:db8::7',
    method: 'GET',
    route: '/api/v1/things/{id}',
    status: 404,
    ms: 1.25,
    subject: 'api_key:a-b',
    organization: null,
    refusal: 'ünknown\\',
  }
  log.access.write(entry)
  log.info(entry, 'request')
  const [own, pinos] = lines.map((line) => Object.entries(JSON.parse(line) as Record<string, unknown>).filter(([name]) => name !== 'time'))
  assert.deepEqual(own, pinos)
  assert.match(lines[0], /^[^\n]+\n$/)
})

test('the level applies to the access log as well', () => {
  const { log, lines } = collect('warn')
  log.info('quiet')
  assert.equal(log.access.isEnabled(), false)
  log.warn('heard')
  assert.equal(lines.length, 1)
})

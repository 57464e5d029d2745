/** Chunks of a batch: those whose ruleset could not be compiled need no thread, and many at once add no listeners. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { validatorFor } from '#requests'
import { BATCH_ANSWER } from '../../../server/analysis/schema.js'
import { AnalysisPool } from '#workers'
import { lineTexts } from '../../../server/analysis/refusal.js'
import { timedOut } from '../../../workers/shared/failure.js'
import { answerStopped, type LineItem, type LineChunk } from '../../../workers/runs/line-batch.js'
import { parseLines } from '../support/batch.js'
import { AT, BASE, group, rule, rulesFile, syslog } from '../support/rulesets.js'

const STOP = timedOut(1500, { index: null, ruleId: null, decoder: 'slow' }, 'en-US')
const lines = (text: string): LineItem => ({ lines: Buffer.from(text) })
const answered = (text: string): LineItem => ({ answers: Buffer.from(`${text}\n`), count: 1 })

async function piecesOf(...items: LineItem[]): Promise<LineChunk[]> {
  const left = [...items]
  const pieces: LineChunk[] = []
  for await (const piece of answerStopped({ next: async () => left.shift() ?? null }, STOP)) {
    assert.ok(piece.outcome === 'ok')
    pieces.push(piece.value)
  }
  return pieces
}

describe('a batch whose ruleset could not be compiled', () => {
  it('has the reason on every line, and as a diagnostic of the ruleset on the first event only', async () => {
    const pieces = await piecesOf(lines('\n \n'), answered('{"code":"plan_quota_exceeded"}'), lines('\na\n\nb\n'), lines('c\nd'))
    const told = pieces.flatMap(({ bytes }) => parseLines(bytes))
    assert.deepEqual(
      told.map(({ diagnostics }) => diagnostics?.map(({ code }) => code)),
      [undefined, ['engine_timeout'], undefined, undefined, undefined],
    )
    for (const line of told.slice(1)) {
      assert.deepEqual([line.ok, line.rule], [false, null])
      assert.match(line.insights[0], /^The analysis was stopped after 1\.5 seconds \(decoder slow\)\. Try fewer files/)
      assert.deepEqual(validatorFor(BATCH_ANSWER).check(structuredClone(line)), [])
    }
    const sum = (count: (piece: LineChunk) => number): number => pieces.reduce((total, piece) => total + count(piece), 0)
    assert.deepEqual([sum(({ count }) => count), sum(({ failed }) => failed), sum(({ events }) => events)], [5, 5, 4])
  })

  it('answers each of very many lines once', async () => {
    const pieces = await piecesOf(lines('x\n'.repeat(5000)))
    const told = pieces.flatMap(({ bytes }) => parseLines(bytes))
    assert.equal(told.length, 5000)
    assert.equal(told.filter(({ diagnostics }) => diagnostics !== undefined).length, 1)
  })
})

describe('a batch with more chunks at once than Node permits listeners', () => {
  it('causes no warning', async () => {
    const warnings: Error[] = []
    const note = (warning: Error): void => void warnings.push(warning)
    process.on('warning', note)
    const pool = new AnalysisPool({ workers: 4, taskTimeoutMs: 60_000, defaultRulesetDir: null })
    try {
      let left = 60
      const source = { next: async () => (left-- > 0 ? lines(`{"event":"${'a'.repeat(left === 30 ? 200_000 : 1)}"}\n`.repeat(20)) : null) }
      const request = { ruleset: { files: BASE, includeDefaults: false, includeCustom: false }, source, texts: lineTexts('en-US'), at: AT }
      let count = 0
      for await (const chunk of pool.lines(request, { signal: new AbortController().signal })) {
        if (chunk.outcome !== 'ok') assert.fail(JSON.stringify(chunk))
        count += chunk.value.count
        chunk.value.release()
      }
      assert.equal(count, 60 * 20)
      // Warnings are emitted in a later tick.
      await new Promise((resolve) => setImmediate(resolve))
      assert.deepEqual(warnings, [])
    } finally {
      await pool.close()
      process.off('warning', note)
    }
  })
})

describe('memory of lines that are answered', () => {
  it('may be reused at once', async () => {
    const pool = new AnalysisPool({ workers: 2, defaultRulesetDir: null })
    try {
      const free: Buffer[] = []
      let made = 0
      let sent = 0
      const source = {
        next: async () => {
          if (sent === 300) return null
          const line = `${JSON.stringify({ event: `say ${sent++}` })}\n`
          if (free.length === 0) {
            made++
            free.push(Buffer.alloc(64))
          }
          const memory = free.pop() as Buffer
          return { lines: memory.subarray(0, memory.write(line)) }
        },
        reuse: (some: Uint8Array) => {
          some.fill(0)
          free.push(Buffer.from(some.buffer, some.byteOffset, 64))
        },
      }
      const events: string[] = []
      for await (const chunk of pool.lines({ ruleset: { files: BASE, includeDefaults: false, includeCustom: false }, source, texts: lineTexts('en-US'), at: AT })) {
        if (chunk.outcome !== 'ok') assert.fail(JSON.stringify(chunk))
        events.push(...parseLines(chunk.value.bytes).map(({ predecoded }) => predecoded?.raw_message ?? ''))
        chunk.value.release()
      }
      assert.deepEqual(
        events,
        Array.from({ length: 300 }, (_, index) => `say ${index}`),
      )
      assert.equal(free.length, made)
      assert.ok(made < 50, `${made} pieces of memory`)
    } finally {
      await pool.close()
    }
  })
})

describe('lines that are run before others are printed', () => {
  it('have the answers that each has alone, with descriptions that only its own event has, and the time of each', async () => {
    const decoder = rulesFile(
      '<decoder name="word"><prematch>^say </prematch><regex offset="after_prematch">^(\\w+)</regex><order>word</order></decoder>',
      'word.xml',
      'adhoc',
      'decoders',
    )
    const parent = '<rule id="100100" level="3"><decoded_as>word</decoded_as><description>Said $(word)</description></rule>'
    const rules = rulesFile(group(parent, rule(100101, '<if_sid>100100</if_sid><match>7|21</match>')))
    const ruleset = { files: [...BASE, decoder, rules], includeDefaults: false, includeCustom: false }
    const events = Array.from({ length: 70 }, (_, index) => (index % 9 === 4 ? `nothing ${index}` : `say w${index}`))
    const blank = ' \n'.repeat(20_000)
    const text = events.map((event, index) => `${index % 30 === 10 ? blank : ''}${JSON.stringify({ event })}\n${index % 20 === 3 ? 'no JSON\n' : ''}`).join('')
    const pool = new AnalysisPool({ workers: 1, defaultRulesetDir: null })
    try {
      const left = [lines(text)]
      const told: ReturnType<typeof parseLines>[number][] = []
      const counts = { count: 0, matched: 0, failed: 0, events: 0 }
      for await (const chunk of pool.lines({ ruleset, source: { next: async () => left.shift() ?? null }, texts: lineTexts('en-US'), at: AT })) {
        if (chunk.outcome !== 'ok') assert.fail(JSON.stringify(chunk))
        told.push(...parseLines(chunk.value.bytes))
        for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] += chunk.value[name]
        chunk.value.release()
      }
      const ran = told.filter((line) => 'rule' in line)
      assert.equal(told.length, events.length + 4)
      assert.equal(told.indexOf(ran[4]), 5)
      assert.equal(ran.length, events.length)
      for (const [index, event] of events.entries()) {
        const answer = await pool.logtest({ ruleset, input: syslog(event), trace: false, at: AT })
        assert.ok(answer.outcome === 'ok')
        const { diagnostics: _, performance: __, summary: ___, ...alone } = JSON.parse(Buffer.from(answer.value.bytes).toString()) as Record<string, unknown>
        const { diagnostics: ____, performance: _____, summary: ______, ...line } = ran[index] as unknown as Record<string, unknown>
        assert.deepEqual(line, alone)
      }
      assert.deepEqual(counts, { count: 74, matched: 62, failed: 4, events: 70 })

      // Longer answers than fit one part, so that the times of later parts are those of their lines.
      const long = Array.from({ length: 400 }, (_, index) => (index % 50 === 7 ? '' : `say w${index} ${'x'.repeat(4000)}`))
      const seconds = [0, ...long.map((_, index) => 1_000 * index)]
      const items: LineItem[] = [{ lines: Buffer.from(long.join('\n')), from: 2 }]
      const request = {
        ruleset,
        source: { next: async () => items.shift() ?? null },
        texts: lineTexts('en-US'),
        select: ['line', 'time', 'log'],
        logs: { clock: { seconds }, fields: { event: null, location: null, time: null } },
      }
      const received: [number, number][] = []
      let parts = 0
      for await (const chunk of pool.lines(request)) {
        if (chunk.outcome !== 'ok') assert.fail(JSON.stringify(chunk))
        parts++
        for (const { line, time } of parseLines(chunk.value.bytes) as unknown as { line: number; time: string }[]) received.push([line, Date.parse(time) / 1000])
        chunk.value.release()
      }
      assert.ok(parts > 1)
      assert.deepEqual(
        received,
        long.flatMap((line, index) => (line === '' ? [] : [[index + 2, 1_000 * index]])),
      )
    } finally {
      await pool.close()
    }
  })
})

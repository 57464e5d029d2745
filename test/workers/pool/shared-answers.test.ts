/** Answers in shared memory: each stays unchanged until it is released, and is released whatever the caller does. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { lineTexts } from '../../../server/analysis/refusal.js'
import { AnalysisPool, type AnalysisOutcome, type LogtestAnswer, type LogtestDigest, type RequestOptions, type WrittenAnswer } from '#workers'
import { BUFFER_BYTES, BUFFERS } from '../../../workers/shared/buffers.js'
import { BASE, KNOCKS, syslog } from '../support/rulesets.js'

const HANG = 'please-hang'
const ruleset = { files: [...BASE, KNOCKS], includeDefaults: false, includeCustom: false }

/** A caller who keeps answers until it releases them. */
class SlowReader {
  readonly #releases: (() => void)[] = []

  keep<A extends Pick<WrittenAnswer, 'release'>>(outcome: AnalysisOutcome<A>): AnalysisOutcome<A> {
    if (outcome.outcome === 'ok') this.#releases.push(outcome.value.release)
    return outcome
  }

  get count(): number {
    return this.#releases.length
  }

  release(): void {
    for (const release of this.#releases.splice(0)) release()
  }
}

function messageOf(outcome: AnalysisOutcome<WrittenAnswer<LogtestDigest>>): string {
  if (outcome.outcome !== 'ok') assert.fail(JSON.stringify(outcome))
  return (JSON.parse(Buffer.from(outcome.value.bytes).toString()) as LogtestAnswer).predecoded.raw_message
}

describe('answers in shared memory', () => {
  let pool: AnalysisPool
  const logtest = async (event: string, reader: SlowReader, options: RequestOptions = {}) => reader.keep(await pool.logtest({ ruleset, input: syslog(event) }, options))

  before(async () => {
    pool = new AnalysisPool({ workers: 2, taskTimeoutMs: 1500, defaultRulesetDir: null, threadUrl: new URL('../support/thread-with-faults.js', import.meta.url).href })
    await pool.ready()
  })

  after(() => pool.close())

  it('are counted until they are released', async () => {
    const reader = new SlowReader()
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => logtest(`knock ${i}`, reader)))
    answers.forEach((answer, i) => assert.equal(messageOf(answer), `knock ${i}`))
    assert.equal(reader.count, 50)
    assert.equal(pool.metrics().unreleasedAnswers, 50)
    reader.release()
    assert.equal(pool.metrics().unreleasedAnswers, 0)
  })

  it('do not change while other answers are written and released', async () => {
    const keeper = new SlowReader()
    const kept = await Promise.all(Array.from({ length: 40 }, (_, i) => logtest(`knock kept ${i}`, keeper)))
    for (let round = 0; round < 20; round++) {
      const reader = new SlowReader()
      const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => logtest(`knock ${round} ${i}`, reader)))
      answers.forEach((answer, i) => assert.equal(messageOf(answer), `knock ${round} ${i}`))
      reader.release()
    }
    kept.forEach((answer, i) => assert.equal(messageOf(answer), `knock kept ${i}`))
    keeper.release()
    assert.equal(pool.metrics().unreleasedAnswers, 0)
  })

  it('are in separate memory when none are released', async () => {
    const slow = new SlowReader()
    const event = `knock ${'é'.repeat(4000)}`
    let received = 0
    // More than all buffers of all threads hold.
    for (let bytes = 0; bytes < 2.5 * BUFFERS * BUFFER_BYTES; bytes += 50 * event.length) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => logtest(event, slow)))
      for (const answer of answers) assert.equal(messageOf(answer), event)
      received += answers.length
    }
    const inBuffers = pool.metrics().unreleasedAnswers
    assert.ok(inBuffers < received, `${inBuffers} of ${received} are in shared buffers`)
    assert.ok(inBuffers > 100)
    assert.equal(slow.count, received)
    slow.release()
    assert.equal(pool.metrics().unreleasedAnswers, 0)
  })

  it('are released for callers who have cancelled', async () => {
    const reader = new SlowReader()
    const running = Array.from({ length: 60 }, (_, i) => {
      const controller = new AbortController()
      if (i % 2 === 0) setImmediate(() => setImmediate(() => controller.abort()))
      return logtest(`knock ${i}`, reader, { signal: controller.signal })
    })
    const answered = (await Promise.all(running)).filter(({ outcome }) => outcome === 'ok').length
    // Batches that run for callers who cancelled.
    while (pool.metrics().running > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(pool.metrics().unreleasedAnswers, answered)
    reader.release()
    assert.equal(pool.metrics().unreleasedAnswers, 0)
  })

  it('are released if a slow task kept its batch, and the others ran elsewhere', async () => {
    const reader = new SlowReader()
    const events = Array.from({ length: 40 }, (_, i) => (i === 11 ? HANG : `knock ${i}`))
    const outcomes = await Promise.all(events.map((event) => logtest(event, reader)))
    assert.equal(outcomes[11].outcome, 'timeout')
    outcomes.forEach((outcome, i) => i === 11 || assert.equal(messageOf(outcome), events[i]))
    reader.release()
    assert.equal(await pool.ready(), true)
    assert.equal(pool.metrics().unreleasedAnswers, 0)
  })

  it('are released for a batch as well, also when its reader leaves', async () => {
    const reader = new SlowReader()
    const event = JSON.stringify(syslog(`knock ${'x'.repeat(1000)}`))
    const chunk = Buffer.from(`${event}\n`.repeat(60))
    let left = 40
    const source = { next: async () => (left-- > 0 ? { lines: chunk } : null) }
    let lines = 0
    for await (const piece of pool.lines({ ruleset, source, texts: lineTexts('en-US') })) {
      if (piece.outcome !== 'ok') assert.fail(JSON.stringify(piece))
      reader.keep(piece)
      lines += piece.value.count
      for (const line of Buffer.from(piece.value.bytes).toString().trimEnd().split('\n')) assert.equal((JSON.parse(line) as LogtestAnswer).rule?.id, '100100')
      if (lines > 1000) break
    }
    assert.ok(reader.count > 0)
    while (pool.metrics().running > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    reader.release()
    assert.equal(pool.metrics().unreleasedAnswers, 0)
  })
})

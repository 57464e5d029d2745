/** Answers that the pool lends: each its caller's own until it is given back, and given back whatever becomes of the caller. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { lineTexts } from '../../server/resources/analysis/refusal.js'
import { AnalysisPool, type JsonAnswer, type LogtestAnswer, type LogtestDigest, type RequestOptions, type TaskOutcome } from '#workers'
import { SHEET_BYTES, SHEETS } from '../../workers/answer-sheets.js'
import { BASE, KNOCKS, syslog } from './support/rulesets.js'

const HANG = 'please-hang'
const ruleset = { files: [...BASE, KNOCKS], includeDefaults: false, includeCustom: false }

/** A caller who keeps what is lent until it says so. */
class Borrower {
  readonly #loans: (() => void)[] = []
  readonly options: RequestOptions = {
    lend: (giveBack) => {
      this.#loans.push(giveBack)
      return () => {}
    },
  }

  get count(): number {
    return this.#loans.length
  }

  giveBack(): void {
    for (const giveBack of this.#loans.splice(0)) giveBack()
  }
}

function messageOf(outcome: TaskOutcome<JsonAnswer<LogtestDigest>>): string {
  if (outcome.outcome !== 'ok') assert.fail(JSON.stringify(outcome))
  return (JSON.parse(Buffer.from(outcome.value.json).toString()) as LogtestAnswer).predecoded.raw_message
}

describe('lent answers', () => {
  let pool: AnalysisPool
  const logtest = (event: string, options: RequestOptions) => pool.logtestJson({ ruleset, input: syslog(event) }, options)

  before(async () => {
    pool = new AnalysisPool({ workers: 2, taskTimeoutMs: 1500, defaultRulesetDir: null, threadUrl: new URL('./support/thread-with-faults.js', import.meta.url).href })
    await pool.ready()
  })

  after(() => pool.close())

  it('are counted until they are given back', async () => {
    const borrower = new Borrower()
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => logtest(`knock ${i}`, borrower.options)))
    answers.forEach((answer, i) => assert.equal(messageOf(answer), `knock ${i}`))
    assert.equal(borrower.count, 50)
    assert.equal(pool.metrics().lentAnswers, 50)
    borrower.giveBack()
    assert.equal(pool.metrics().lentAnswers, 0)
  })

  it('stay as they are while others come and go', async () => {
    const keeper = new Borrower()
    const kept = await Promise.all(Array.from({ length: 40 }, (_, i) => logtest(`knock kept ${i}`, keeper.options)))
    for (let round = 0; round < 20; round++) {
      const borrower = new Borrower()
      const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => logtest(`knock ${round} ${i}`, borrower.options)))
      answers.forEach((answer, i) => assert.equal(messageOf(answer), `knock ${round} ${i}`))
      borrower.giveBack()
    }
    kept.forEach((answer, i) => assert.equal(messageOf(answer), `knock kept ${i}`))
    keeper.giveBack()
    assert.equal(pool.metrics().lentAnswers, 0)
  })

  it('come in memory of their own when nobody gives back', async () => {
    const slow = new Borrower()
    const event = `knock ${'é'.repeat(4000)}`
    let received = 0
    // More than all sheets of all threads hold.
    for (let bytes = 0; bytes < 2.5 * SHEETS * SHEET_BYTES; bytes += 50 * event.length) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => logtest(event, slow.options)))
      for (const answer of answers) assert.equal(messageOf(answer), event)
      received += answers.length
    }
    assert.ok(slow.count < received, `${slow.count} of ${received} were lent`)
    assert.ok(slow.count > 100)
    assert.equal(pool.metrics().lentAnswers, slow.count)
    slow.giveBack()
    assert.equal(pool.metrics().lentAnswers, 0)
  })

  it('are given back for callers who are gone', async () => {
    const borrower = new Borrower()
    const running = Array.from({ length: 60 }, (_, i) => {
      const controller = new AbortController()
      if (i % 2 === 0) setImmediate(() => setImmediate(() => controller.abort()))
      return logtest(`knock ${i}`, { ...borrower.options, signal: controller.signal })
    })
    const answered = (await Promise.all(running)).filter(({ outcome }) => outcome === 'ok').length
    // Turns that were under way for those who left.
    while (pool.metrics().running > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(pool.metrics().lentAnswers, answered)
    borrower.giveBack()
    assert.equal(pool.metrics().lentAnswers, 0)
  })

  it('are given back where a slow one had its turn alone, and the others ran elsewhere', async () => {
    const borrower = new Borrower()
    const events = Array.from({ length: 40 }, (_, i) => (i === 11 ? HANG : `knock ${i}`))
    const outcomes = await Promise.all(events.map((event) => logtest(event, borrower.options)))
    assert.equal(outcomes[11].outcome, 'timeout')
    outcomes.forEach((outcome, i) => i === 11 || assert.equal(messageOf(outcome), events[i]))
    borrower.giveBack()
    assert.equal(await pool.ready(), true)
    assert.equal(pool.metrics().lentAnswers, 0)
  })

  it('hold of a batch as well, also when its reader leaves', async () => {
    const borrower = new Borrower()
    const event = JSON.stringify(syslog(`knock ${'x'.repeat(1000)}`))
    const chunk = Buffer.from(`${event}\n`.repeat(60))
    let left = 40
    const source = { next: async () => (left-- > 0 ? { lines: chunk } : null) }
    let lines = 0
    for await (const piece of pool.lines({ ruleset, source, texts: lineTexts('en-US') }, borrower.options)) {
      if (piece.outcome !== 'ok') assert.fail(JSON.stringify(piece))
      lines += piece.value.count
      for (const line of Buffer.from(piece.value.json).toString().trimEnd().split('\n')) assert.equal((JSON.parse(line) as LogtestAnswer).rule?.id, '100100')
      if (lines > 1000) break
    }
    assert.ok(borrower.count > 0)
    while (pool.metrics().running > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    borrower.giveBack()
    assert.equal(pool.metrics().lentAnswers, 0)
  })
})

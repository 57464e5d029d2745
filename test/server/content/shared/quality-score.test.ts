/** The quality score: its terms, their maximums, and the maximum with errors. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { type QualityFacts, qualityScore, SCORE_TERMS, SCORE_WITH_ERRORS } from '../../../../server/content/shared/quality-score.js'

const FLAWLESS: QualityFacts = { errors: 0, warnings: 0, infos: 0, rules: 10, untestedRules: 0, cases: 10, failedCases: 0 }

const scoreOf = (facts: Partial<QualityFacts>): number => qualityScore({ ...FLAWLESS, ...facts }).score

test('content without diagnostics has the score 100, and so has empty content', () => {
  assert.equal(scoreOf({}), 100)
  assert.equal(scoreOf({ rules: 0, cases: 0 }), 100)
})

test('each term subtracts its points, up to its maximum', () => {
  assert.equal(scoreOf({ warnings: 1 }), 96)
  assert.equal(scoreOf({ warnings: 100 }), 76)
  assert.equal(scoreOf({ infos: 3 }), 97)
  assert.equal(scoreOf({ infos: 100 }), 94)
  assert.equal(scoreOf({ untestedRules: 5 }), 90)
  assert.equal(scoreOf({ untestedRules: 10 }), 80)
  assert.equal(scoreOf({ failedCases: 1 }), 97)
  assert.equal(scoreOf({ failedCases: 10 }), 70)
  assert.equal(scoreOf({ cases: 10_000, failedCases: 1 }), 99)
})

test('content with an error has at most the score 59, and is_capped is set', () => {
  const one = qualityScore({ ...FLAWLESS, errors: 1 })
  assert.equal(one.score, SCORE_WITH_ERRORS)
  assert.equal(one.is_capped, true)
  const many = qualityScore({ ...FLAWLESS, errors: 3 })
  assert.equal(many.score, 40)
  assert.equal(many.is_capped, false)
  assert.equal(qualityScore({ errors: 9, warnings: 99, infos: 99, rules: 1, untestedRules: 1, cases: 1, failedCases: 1 }).score, 0)
})

test('the terms add up to the score', () => {
  for (let i = 0; i < 500; i++) {
    const random = (max: number): number => Math.floor(Math.random() * max)
    const rules = random(20)
    const cases = random(20)
    const facts = { errors: random(3), warnings: random(10), infos: random(10), rules, untestedRules: random(rules + 1), cases, failedCases: random(cases + 1) }
    const { score, terms, is_capped } = qualityScore(facts)
    const left = Math.max(0, 100 - terms.reduce((sum, { points }) => sum + points, 0))
    assert.equal(score, is_capped ? SCORE_WITH_ERRORS : left, JSON.stringify(facts))
    assert.equal(is_capped, facts.errors > 0 && left > SCORE_WITH_ERRORS)
    assert.ok(score <= SCORE_WITH_ERRORS || facts.errors === 0)
    assert.deepEqual(
      terms.map(({ term }) => term),
      Object.keys(SCORE_TERMS),
    )
    for (const { points, most } of terms) assert.ok(points >= 0 && points <= most && Number.isInteger(points))
  }
})

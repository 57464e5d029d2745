/** Texts of the quality score and of the report: all placeholders are filled in. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { LOCALES } from '../../../../server/core/i18n/locale.js'
import { qualityTexts, reportTexts } from '../../../../server/core/i18n/translate.js'
import { qualityScore, SCORE_TERMS } from '../../../../server/content/shared/quality-score.js'

test('every term is explained in both languages, with all placeholders filled in', () => {
  const { terms } = qualityScore({ errors: 2, warnings: 3, infos: 4, rules: 10, untestedRules: 5, cases: 8, failedCases: 1 })
  assert.deepEqual(
    terms.map(({ term }) => term),
    Object.keys(SCORE_TERMS),
  )
  for (const locale of LOCALES) {
    for (const term of terms) {
      const { title, explanation } = qualityTexts(term, locale)
      assert.ok(title.length > 0)
      assert.doesNotMatch(explanation, /[{}]/)
      assert.ok(explanation.includes(String(term.count)) && explanation.includes(String(term.most)), explanation)
    }
  }
})

test('the report has texts in both languages', () => {
  const [english, portuguese] = [reportTexts('en-US'), reportTexts('pt-BR')]
  assert.notEqual(english.headings.title, portuguese.headings.title)
  assert.deepEqual(Object.keys(english), Object.keys(portuguese))
})

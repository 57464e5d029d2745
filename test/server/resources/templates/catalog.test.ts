/** Holds every template of the catalog to what it promises: it compiles without a finding, finds what it says, and leaves alone what only looks the same. */
import assert from 'node:assert/strict'
import test, { after, describe } from 'node:test'
import { type AnalysisPool, type CaseAnswer, createAnalysisPool, type SourceFile, type SuiteCase } from '#workers'
import { LOCALES } from '../../../../server/i18n/locale.js'
import { TEMPLATES } from '../../../../server/resources/templates/catalog/index.js'
import { CATEGORIES, type Events, type Expected, KINDS, type Template, type TimedEvent } from '../../../../server/resources/templates/catalog/template.js'
import { splitXml } from '../../../../server/resources/templates/split-xml.js'

/** A Wednesday, 12:00 local time: second 0 of every sample. */
const NOON = new Date(2026, 0, 7, 12).getTime() / 1000
const ATTACK_ID = /^T\d{4}(?:\.\d{3})?$/
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)+$/

const pool: AnalysisPool = createAnalysisPool({ workers: 1, taskTimeoutMs: 60_000 })
after(() => pool.close())

function filesOf({ xml }: Pick<Template, 'xml'>): SourceFile[] {
  const { decoders, rules } = splitXml(xml)
  return [
    ...(decoders === null ? [] : [{ filename: 'local_decoder.xml', kind: 'decoders', scope: 'adhoc', content: decoders } as const]),
    ...(rules === null ? [] : [{ filename: 'local_rules.xml', kind: 'rules', scope: 'adhoc', content: rules } as const]),
  ]
}

function caseOf(name: string, events: Events, { rule, level, decoder, fields }: Expected, not?: number | string): SuiteCase {
  let at = 0
  const list: readonly (string | TimedEvent)[] = typeof events === 'string' ? [events] : events
  return {
    name,
    events: list.map((event) => {
      if (typeof event !== 'string') at = event.at
      return { event_text: typeof event === 'string' ? event : event.text, at }
    }),
    ...(rule === undefined ? {} : { expected_rule: String(rule) }),
    ...(level === undefined ? {} : { expected_level: level }),
    ...(decoder === undefined ? {} : { expected_decoder: decoder }),
    ...(fields === undefined ? {} : { expected_fields: fields }),
    ...(typeof not === 'number' ? { forbidden_rule_ids: [String(not)] } : {}),
  }
}

async function run(template: Template, cases: readonly SuiteCase[]): Promise<CaseAnswer[]> {
  const outcome = await pool.runCases({ ruleset: { files: filesOf(template) }, cases, at: NOON })
  assert.equal(outcome.outcome, 'ok')
  assert.ok(outcome.outcome === 'ok' && outcome.value.loads)
  return outcome.value.results.map((result) => {
    assert.equal(result.outcome, 'ok')
    return (result as { readonly report: CaseAnswer }).report
  })
}

const told = ({ name, checks, analysis }: CaseAnswer): string =>
  `${name}: ${JSON.stringify(checks.filter(({ passed }) => !passed))}, decoder ${analysis.decoder?.name}, rule ${analysis.rule?.id} ${analysis.rule?.description}, ${JSON.stringify(analysis.extracted_fields)}`

const ruleIds = ({ xml }: Template): string[] => [...xml.matchAll(/<rule id="(\d+)"/g)].map(([, id]) => id)
const decoderNames = ({ xml }: Template): string[] => [...new Set([...xml.matchAll(/<decoder name="([^"]+)"/g)].map(([, name]) => name))]
const doubled = (values: readonly string[]): string[] => values.filter((value, index) => values.indexOf(value) !== index)

describe('the catalog', () => {
  test('has at least forty templates, of every category and every kind', () => {
    assert.ok(TEMPLATES.length >= 40)
    for (const category of CATEGORIES) assert.ok(TEMPLATES.filter((template) => template.category === category).length >= 4, category)
    for (const kind of KINDS) assert.ok(TEMPLATES.filter((template) => template.kind === kind).length >= 3, kind)
  })

  test('names nothing twice', () => {
    assert.deepEqual(doubled(TEMPLATES.map(({ id }) => id)), [])
    assert.deepEqual(doubled(TEMPLATES.flatMap(ruleIds)), [])
    assert.deepEqual(doubled(TEMPLATES.flatMap(decoderNames)), [])
    for (const locale of LOCALES) assert.deepEqual(doubled(TEMPLATES.map(({ texts }) => texts[locale].title)), [])
  })

  test('stands in the order of its categories', () => {
    const order = TEMPLATES.map(({ category }) => CATEGORIES.indexOf(category))
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a - b),
    )
  })

  test('loads as a whole', async () => {
    const parts = TEMPLATES.map(({ xml }) => splitXml(xml))
    const whole = { xml: [...parts.map(({ decoders }) => decoders ?? ''), ...parts.map(({ rules }) => rules ?? '')].join('\n') }
    const outcome = await pool.validate({ ruleset: { files: filesOf(whole) } })
    assert.ok(outcome.outcome === 'ok')
    assert.ok(outcome.value.loads)
    assert.deepEqual(
      outcome.value.diagnostics.filter(({ severity }) => severity === 'error').map(({ code, message }) => `${code} ${message}`),
      [],
    )
  })
})

for (const template of TEMPLATES) {
  describe(template.id, () => {
    test('is described in every language, with ids of the form that they have', () => {
      const { id, attackIds, tags, platform, texts, kind, xml } = template
      assert.match(id, SLUG)
      for (const attackId of attackIds) assert.match(attackId, ATTACK_ID)
      for (const list of [attackIds, tags, platform]) assert.deepEqual(doubled(list), [])
      for (const locale of LOCALES) {
        const { title, description, tips } = texts[locale]
        for (const text of [title, description, ...tips]) assert.equal(text.trim(), text)
        assert.match(title, /^\p{Lu}.*[^.]$/u)
        for (const text of [description, ...tips]) assert.match(text, /^.*[.:]$/u)
      }
      assert.equal(texts['en-US'].tips.length, texts['pt-BR'].tips.length)
      assert.notEqual(texts['en-US'].description, texts['pt-BR'].description)
      const { decoders, rules } = splitXml(xml)
      assert.equal(kind, decoders === null ? 'rule' : rules === null ? 'decoder' : 'mixed')
    })

    test('has rule ids for custom content, and names in its rules the techniques that it shows', () => {
      for (const id of ruleIds(template)) assert.ok(Number(id) >= 100_000 && Number(id) <= 119_999, id)
      const named = new Set([...template.xml.matchAll(/<id>(T[\d.]+)<\/id>/g)].map(([, id]) => id))
      assert.deepEqual([...named].sort(), [...template.attackIds].sort())
    })

    test('compiles on top of the reference ruleset without a finding', async () => {
      const outcome = await pool.validate({ ruleset: { files: filesOf(template) } })
      assert.ok(outcome.outcome === 'ok')
      assert.deepEqual(
        outcome.value.diagnostics.map(({ code, filename, line, message, hint }) => `${code} ${filename}:${line} ${message} ${hint}`),
        [],
      )
      assert.ok(outcome.value.ok && outcome.value.loads)
    })

    test('finds what its samples show', async () => {
      const reports = await run(
        template,
        template.samples.map(({ shows, events, gives }) => caseOf(shows, events, gives)),
      )
      assert.deepEqual(reports.filter(({ passed, checks }) => !passed || checks.length === 0).map(told), [])
    })

    test('leaves alone what only looks the same', async () => {
      const reports = await run(
        template,
        template.lookalikes.map(({ shows, events, not, gives = {} }) => caseOf(shows, events, gives, not)),
      )
      const wrong = reports.filter(({ passed, analysis }, index) => !passed || analysis.decoder?.name === template.lookalikes[index].not)
      assert.deepEqual(wrong.map(told), [])
    })

    test('has a sample that goes through every rule and decoder', async () => {
      const cases = template.samples.map(({ shows, events, gives }) => caseOf(shows, events, gives))
      const outcome = await pool.runCases({ ruleset: { files: filesOf(template) }, cases, at: NOON, coverage: true })
      assert.ok(outcome.outcome === 'ok' && outcome.value.coverage !== null)
      const { rules, decoders } = outcome.value.coverage
      assert.deepEqual([...rules.untested, ...decoders.untested], [])
    })
  })
}

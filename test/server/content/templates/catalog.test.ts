/** Holds every template of the catalog to what it promises: it compiles without a diagnostic, finds what it says, and leaves alone what only looks the same. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, describe } from 'node:test'
import { type AnalysisPool, type CaseAnswer, createAnalysisPool, type SourceFile, type SuiteCase } from '#workers'
import { LOCALES } from '../../../../server/core/i18n/locale.js'
import { CATALOG_DIR, parseTemplate, TEMPLATES } from '../../../../server/content/templates/catalog.js'
import { splitXml } from '../../../../server/content/templates/split-xml.js'
import { CATEGORIES, KINDS, type Template, type TemplateFile } from '../../../../server/content/templates/template.js'
import { runCases, validationAnswer } from '../../../workers/support/objects.js'

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

type Events = TemplateFile['samples'][number]['events']
type Expected = TemplateFile['samples'][number]['gives']

/** The events of a sample as they are sent: repetitions written out, each with its second. */
function expand(events: Events): { event_text: string; at: number }[] {
  let at = 0
  return events.flatMap((event) => {
    if (typeof event === 'string') return { event_text: event, at }
    const { repeat = 1, every = 0, first = 1 } = event
    const text = 'text' in event ? event.text : JSON.stringify(event.json)
    const begin = event.at ?? at
    return Array.from({ length: repeat }, (_, index) => {
      at = begin + index * every
      return { event_text: repeat === 1 ? text : text.replaceAll('{n}', String(first + index)), at }
    })
  })
}

function caseOf(name: string, events: Events, { rule, level, decoder, fields }: Expected, not?: number | string): SuiteCase {
  return {
    name,
    events: expand(events),
    ...(rule === undefined ? {} : { expected_rule: String(rule) }),
    ...(level === undefined ? {} : { expected_level: level }),
    ...(decoder === undefined ? {} : { expected_decoder: decoder }),
    ...(fields === undefined ? {} : { expected_fields: fields }),
    ...(typeof not === 'number' ? { forbidden_rule_ids: [String(not)] } : {}),
  }
}

async function run(template: Template, cases: readonly SuiteCase[]): Promise<CaseAnswer[]> {
  const outcome = await runCases(pool, { ruleset: { files: filesOf(template) }, cases, at: NOON })
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

  test('reads every file of its folder', () => {
    const files = readdirSync(CATALOG_DIR, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
    assert.deepEqual(files.map(({ name }) => name).sort(), TEMPLATES.flatMap(({ id }) => [`${id}.json`, `${id}.xml`]).sort())
  })

  for (const template of TEMPLATES) {
    const { category, id, xml } = template
    test(`${id} fits the schema`, () => {
      const file: unknown = JSON.parse(readFileSync(join(CATALOG_DIR, category, `${id}.json`), 'utf8'))
      assert.deepEqual(parseTemplate(category, id, xml, file), template)
    })
  }

  describe('refuses a template', () => {
    const { category, id } = TEMPLATES[0]
    const read = (extension: string): string => readFileSync(join(CATALOG_DIR, category, `${id}.${extension}`), 'utf8')
    const parse = (change: (file: TemplateFile & { texts: Record<string, unknown> }) => object, xml = read('xml')) =>
      parseTemplate(category, id, xml, change(JSON.parse(read('json'))))

    test('without a change: it is read', () =>
      assert.deepEqual(
        parse((file) => file),
        TEMPLATES[0],
      ))
    for (const locale of LOCALES) {
      test(`without texts in ${locale}`, () =>
        assert.throws(() => parse(({ texts: { [locale]: _, ...texts }, ...file }) => ({ ...file, texts })), new RegExp(`${id}: /texts/${locale} required`)))
    }
    test('with a field that means nothing', () => assert.throws(() => parse((file) => ({ ...file, severity: 3 })), /severity/))
    test('with an event that is neither text nor JSON', () => assert.throws(() => parse((file) => ({ ...file, samples: [{ ...file.samples[0], events: [{ at: 3 }] }] })), /events/))
    test('with XML that is not closed', () => assert.throws(() => parse((file) => file, '<group name="a,">'), RangeError))
  })

  test('loads as a whole', async () => {
    const parts = TEMPLATES.map(({ xml }) => splitXml(xml))
    const whole = { xml: [...parts.map(({ decoders }) => decoders ?? ''), ...parts.map(({ rules }) => rules ?? '')].join('\n') }
    const outcome = await validationAnswer(pool, { ruleset: { files: filesOf(whole) } })
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
      const { id, attackIds, tags, platform, texts } = template
      assert.match(id, SLUG)
      for (const attackId of attackIds) assert.match(attackId, ATTACK_ID)
      for (const list of [tags, platform]) assert.deepEqual(doubled(list), [])
      for (const locale of LOCALES) {
        const { title, description, tips } = texts[locale]
        for (const text of [title, description, ...tips]) assert.equal(text.trim(), text)
        assert.match(title, /^\p{Lu}.*[^.]$/u)
        for (const text of [description, ...tips]) assert.match(text, /^.*[.:]$/u)
      }
      assert.equal(texts['en-US'].tips.length, texts['pt-BR'].tips.length)
      assert.notEqual(texts['en-US'].description, texts['pt-BR'].description)
    })

    test('has rule ids for custom content', () => {
      for (const id of ruleIds(template)) assert.ok(Number(id) >= 100_000 && Number(id) <= 119_999, id)
    })

    test('compiles on top of the reference ruleset without a diagnostic', async () => {
      const outcome = await validationAnswer(pool, { ruleset: { files: filesOf(template) } })
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
      const outcome = await pool.measure({ ruleset: { files: filesOf(template) }, cases, at: NOON, diagnosticsLimit: 0 })
      assert.ok(outcome.outcome === 'ok')
      const { rules, decoders } = outcome.value.coverage
      assert.deepEqual([...rules.untested, ...decoders.untested], [])
    })
  })
}

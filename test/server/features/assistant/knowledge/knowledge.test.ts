/** The knowledge base as the service builds it: what it holds, and whether it finds what users ask for. One base is shared by all tests. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DIAGNOSTICS } from '#engine'
import { COMMAND_NAMES, COMMANDS } from '../../../../../server/cli/commands.js'
import { CONFIG_VARIABLES } from '../../../../../server/core/config.js'
import { ERRORS } from '../../../../../server/core/errors.js'
import { LOCALES } from '../../../../../server/core/i18n/locale.js'
import { help } from '../../../../../server/core/i18n/messages/en-US/help.js'
import type { Route } from '../../../../../server/core/http/route.js'
import { IndexedKnowledge, type KnowledgeParts } from '../../../../../server/features/assistant/knowledge/base.js'
import { KEYWORD_SUBJECTS } from '../../../../../server/features/assistant/knowledge/keywords.js'
import { type Embed, EmbeddingStoppedError, type FoundRecord, type KnowledgeQuery, type KnowledgeRecord } from '../../../../../server/features/assistant/knowledge/knowledge.js'
import { TEXT_CHARACTERS, TITLE_CHARACTERS } from '../../../../../server/features/assistant/knowledge/record.js'
import { DOCUMENTS } from '../../../../../server/features/assistant/knowledge/sources/documents.js'
import { SOURCES } from '../../../../../server/features/assistant/knowledge/sources/index.js'
import type { Declarations } from '../../../../../server/features/assistant/knowledge/sources/source.js'
import { TAGS } from '../../../../../server/docs/tags.js'
import { TEMPLATES } from '../../../../../server/content/templates/catalog.js'
import { DECODER_OPTIONS } from '../../../../../engine/decoders/options/index.js'
import { RULE_ATTRIBUTES } from '../../../../../engine/rules/attributes.js'
import { RULE_OPTIONS } from '../../../../../engine/rules/options/index.js'
import { startTestApp } from '../../../../support/app.js'
import { FRESH_ENGLISH, FRESH_PORTUGUESE } from './fresh-questions.js'
import { LAST_ENGLISH, LAST_PORTUGUESE } from './last-questions.js'
import { ENGLISH, LATER_ENGLISH, LATER_PORTUGUESE, PORTUGUESE, type Question } from './questions.js'

const LIMIT = 4
/** Least recall for the questions by which the search was tuned, and for the others. */
const TUNED_RECALL = 0.9
const OTHER_RECALL = 0.75

let declared: Declarations
let records: ReadonlyMap<string, KnowledgeRecord>
let base: IndexedKnowledge
const warnings: unknown[] = []

function baseOf(parts: Partial<KnowledgeParts> = {}): IndexedKnowledge {
  const log = { info: () => undefined, warn: (...line: unknown[]) => void warnings.push(line) }
  return new IndexedKnowledge({ declarations: () => declared, folder: null, log, clock: () => now, ...parts })
}

let now = 0

before(async () => {
  const app = await startTestApp()
  const routes: readonly Route[] = app.service.routes
  await app.close()
  declared = { routes, tags: TAGS, templates: TEMPLATES }
  const made = new Map<string, KnowledgeRecord>()
  for (const source of SOURCES) for await (const record of source(declared)) made.set(record.uid, record)
  records = made
  base = baseOf()
})
after(() => assert.deepEqual(warnings, []))

/** The uid without its language and part. */
const subjectOf = (uid: string): string => uid.replace(/#\d+$/, '').replace(/:(?:en-US|pt-BR)$/, '')
const subjects = (found: readonly FoundRecord[]): string[] => found.map(({ record }) => subjectOf(record.uid))

async function ask(question: string, query: Partial<KnowledgeQuery> = {}): Promise<string[]> {
  return subjects(await base.search(question, { limit: LIMIT, locale: 'en-US', ...query }))
}

describe('the records', () => {
  test('exist for every declaration, in both languages where the declaration has both', () => {
    const both = [
      ...Object.keys(DIAGNOSTICS).map((code) => `diagnostic:${code}`),
      ...RULE_OPTIONS.map(({ name }) => `rule_option:${name}`),
      ...RULE_ATTRIBUTES.map(({ name }) => `rule_option:attribute.${name}`),
      ...DECODER_OPTIONS.map(({ name }) => `decoder_option:${name}`),
      ...TEMPLATES.map(({ id }) => `template:${id}`),
      ...COMMAND_NAMES.map((name) => `command:${name}`),
      ...CONFIG_VARIABLES.map(({ name }) => `command:setting.${name}`),
      ...Object.keys(ERRORS).map((reason) => `interface:error.${reason}`),
    ]
    const one = declared.routes.map(({ id }) => `interface:route.${id}`)
    const missing = [...both.flatMap((subject) => LOCALES.map((locale) => `${subject}:${locale}`)), ...one].filter((uid) => !records.has(uid))
    assert.deepEqual(missing, [])
  })

  test('exist for every document', () => {
    const missing = DOCUMENTS.filter(({ name }) => ![...records.keys()].some((uid) => uid.startsWith(name)))
    assert.deepEqual(missing, [])
  })

  test('have limited texts and no placeholder that only a command can fill', () => {
    for (const { uid, kind, title, text, contextTypes, trust } of records.values()) {
      assert.ok(text.length > 0 && text.length <= TEXT_CHARACTERS && title.length > 0 && title.length <= TITLE_CHARACTERS, uid)
      assert.ok(contextTypes.length > 0, uid)
      assert.equal(trust, 'built_in')
      if (kind === 'command' && !uid.includes('document')) assert.doesNotMatch(text, /\{\w+\}/, uid)
    }
  })

  test('that have keywords exist', () => {
    const missing = KEYWORD_SUBJECTS.flatMap((subject) => LOCALES.map((locale) => `${subject}:${locale}`)).filter((uid) => records.get(uid)?.keywords === undefined)
    assert.deepEqual(missing, [])
  })

  test('show the options of each command', async () => {
    for (const name of COMMAND_NAMES) {
      const { options } = await COMMANDS[name]()
      const own = Object.keys(options).filter((option) => !Object.hasOwn(help.shared, option))
      const text = [...records.values()]
        .filter(({ uid }) => subjectOf(uid) === `command:${name}` && uid.includes('en-US'))
        .map((record) => record.text)
        .join('\n')
      for (const option of own) assert.ok(text.includes(`--${option}`), `${name} --${option}`)
    }
  })

  test('show the example of an option, its attributes and values', () => {
    const { text } = recordOf('rule_option:if_matched_sid:en-US')
    assert.match(text, /frequency="3" timeframe="60"><if_matched_sid>5716<\/if_matched_sid>/)
    assert.match(recordOf('rule_option:srcip:pt-BR').text, /- negate \(.*yes.*\): /)
    assert.match(recordOf('decoder_option:prematch:en-US').text, /after_parent/)
    assert.match(recordOf('rule_option:tag_attribute.negate:en-US').text, /<srcip>/)
  })
})

function recordOf(uid: string): KnowledgeRecord {
  const record = records.get(uid)
  assert.ok(record !== undefined, uid)
  return record
}

describe('the questions', () => {
  /** Every second one of the fresh questions was used for tuning, from the first on. */
  const half = (questions: readonly Question[], rest: 0 | 1): Question[] => questions.filter((_, index) => index % 2 === rest)
  const tables = {
    'en-US': { tuned: [...ENGLISH, ...half(FRESH_ENGLISH, 0)], other: [...LATER_ENGLISH, ...half(FRESH_ENGLISH, 1), ...LAST_ENGLISH] },
    'pt-BR': { tuned: [...PORTUGUESE, ...half(FRESH_PORTUGUESE, 0)], other: [...LATER_PORTUGUESE, ...half(FRESH_PORTUGUESE, 1), ...LAST_PORTUGUESE] },
  } as const

  test('name records that exist', () => {
    const known = new Set([...records.keys()].map(subjectOf))
    const needed = Object.values(tables).flatMap(({ tuned, other }) => [...tuned, ...other].flatMap(({ needs }) => needs.flatMap((need) => need.split(' | '))))
    assert.deepEqual(
      needed.filter((subject) => !known.has(subject)),
      [],
    )
    for (const { tuned, other } of Object.values(tables)) assert.deepEqual([tuned.length, other.length], [50, 52])
  })

  for (const locale of LOCALES) {
    for (const [kind, least] of [
      ['tuned', TUNED_RECALL],
      ['other', OTHER_RECALL],
    ] as const) {
      test(`${locale}: the first ${LIMIT} records have at least ${least} of what the ${kind} questions need`, async (t) => {
        const questions = tables[locale][kind]
        let recall = 0
        for (const { ask: question, needs } of questions) {
          const found = await ask(question, { locale })
          const has = needs.filter((need) => need.split(' | ').some((one) => found.includes(one)))
          recall += has.length / needs.length / questions.length
          if (has.length < needs.length) t.diagnostic(`missed: ${question} → ${found.join(', ')}`)
        }
        t.diagnostic(`recall@${LIMIT} ${recall.toFixed(3)}`)
        assert.ok(recall >= least, `recall ${recall}`)
      })
    }
  }
})

describe('a search by words', () => {
  test('finds codes, options, numbers and dotted names exactly', async () => {
    const expected = {
      if_matched_sid: 'rule_option:if_matched_sid',
      'if-matched-sid': 'rule_option:if_matched_sid',
      rule_if_matched_sid_unwired: 'diagnostic:rule_if_matched_sid_unwired',
      '7613': 'diagnostic:rule_overwrite_target_missing',
      plan_quota_exceeded: 'interface:error.plan_quota_exceeded',
      'versions.publish': 'interface:route.versions.publish',
      NATIVE_SERVICE_MAX_REQUEST_BYTES: 'command:setting.NATIVE_SERVICE_MAX_REQUEST_BYTES',
      MAX_REQUEST_BYTES: 'command:setting.NATIVE_SERVICE_MAX_REQUEST_BYTES',
    }
    for (const [question, subject] of Object.entries(expected)) assert.ok((await ask(question)).slice(0, 2).includes(subject), `${question}: ${await ask(question)}`)
  })

  test('corrects typing mistakes, and ignores letter case and accents', async () => {
    assert.equal((await ask('if_matchd_sid'))[0], 'rule_option:if_matched_sid')
    assert.deepEqual(await ask('REGRA ÓRFÃ', { locale: 'pt-BR' }), await ask('regra orfa', { locale: 'pt-BR' }))
    assert.ok((await ask('criptominrador', { locale: 'pt-BR' })).includes('template:cryptominer-started'))
  })

  test('answers in the language of the caller what was asked in the other one', async () => {
    const [first] = await base.search('what is the highest level of a rule', { limit: 1, locale: 'pt-BR' })
    const [same] = await base.search('what is the highest level of a rule', { limit: 1, locale: 'en-US' })
    assert.equal(first.record.locale, 'pt-BR')
    assert.equal(subjectOf(first.record.uid), subjectOf(same.record.uid))
  })

  test('keeps to the context type', async () => {
    for (const contextType of ['rule', 'decoder', 'general'] as const) {
      const found = await base.search('regex of a decoder or rule, error of the service', { limit: 20, locale: 'en-US', contextType })
      assert.ok(found.length > 5)
      for (const { record } of found) assert.ok(record.contextTypes.includes(contextType), record.uid)
    }
  })

  test('has scores from 1 to 0, descending, and finds each subject once', async () => {
    const found = await base.search('regex', { limit: 30, locale: 'en-US' })
    for (const [index, { score }] of found.entries()) assert.ok(score > 0 && score <= 1 && (index === 0 || score <= found[index - 1].score))
    assert.equal(new Set(subjects(found)).size, found.length)
  })

  test('finds nothing for a question without words that any record has', async () => {
    for (const question of ['', '?!', 'how do i', 'qwxzkjq', '\\', '[', '\u0000'.repeat(2000)]) {
      for (const { record } of await base.search(question, { limit: LIMIT, locale: 'en-US' })) assert.equal(record.kind, 'regex', question)
    }
  })
})

describe('a build', () => {
  test('lets other work run, also between the records of a source that reads no file', async () => {
    let turns = 0
    let isDone = false
    const count = (): void => {
      turns += 1
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    const seen: number[] = []
    const templates = Array.from({ length: 300 }, (_, index) => ({
      ...TEMPLATES[index % TEMPLATES.length],
      get id() {
        seen.push(turns)
        return `template-${index}`
      },
    }))
    await baseOf({ declarations: () => ({ ...declared, templates }) }).reindex()
    isDone = true
    assert.ok(seen[seen.length - 1] - seen[0] > 3, String(seen[seen.length - 1] - seen[0]))
  })

  test('runs once for all searches that wait; a reindex begins after it, and searches use the former base meanwhile', async () => {
    let builds = 0
    const own = baseOf({
      declarations: () => {
        builds += 1
        return { ...declared, routes: [] }
      },
    })
    assert.equal(own.size, 0)
    const search = () => own.search('mitre', { limit: 1, locale: 'en-US' })
    const [found] = await Promise.all([search(), search()])
    assert.deepEqual([builds, found.length], [1, 1])
    const first = own.reindex()
    await new Promise(setImmediate)
    // What the build that runs has read may have changed since: two more reindexes need one more build.
    const sizes = await Promise.all([first, own.reindex(), own.reindex(), search().then(() => own.size)])
    assert.deepEqual([builds, new Set(sizes).size], [3, 1])
  })

  test('that fails leaves the former base, and is tried again', async () => {
    let fails = true
    const own = baseOf({
      declarations: () => {
        if (fails) throw new Error('no declarations')
        return { routes: [], tags: {}, templates: [] }
      },
    })
    await assert.rejects(own.search('mitre', { limit: 1, locale: 'en-US' }), /no declarations/)
    fails = false
    const size = await own.reindex()
    fails = true
    await assert.rejects(own.reindex(), /no declarations/)
    assert.equal(own.size, size)
    assert.equal((await own.search('mitre', { limit: 1, locale: 'en-US' })).length, 1)
  })
})

/** A model that knows that two words mean the same, and otherwise sees which words the first line of a text has. */
const DIMENSIONS = 1024
function toyVector(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0)
  const [title] = text.toLowerCase().replaceAll('shush', 'silence').split('\n')
  for (const [word] of title.matchAll(/\p{L}+/gu)) {
    let hash = 7
    for (const letter of word) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 65_521
    vector[hash % DIMENSIONS] += 1
  }
  return vector
}

describe('a search by words and meaning', () => {
  const question = 'shush'
  const wanted = 'template:silence-known-message'

  test('finds what no word of the question names, once all vectors are known', async () => {
    const own = baseOf()
    const texts: string[] = []
    const embed: Embed = async (batch) => {
      texts.push(...batch)
      return batch.map(toyVector)
    }
    const hybrid = { limit: LIMIT, locale: 'en-US', embed, embeddingModel: 'toy' } as const
    assert.ok(!subjects(await own.search(question, hybrid)).includes(wanted))
    await own.settled()
    assert.ok(subjects(await own.search(question, hybrid)).includes(wanted))
    assert.ok(!subjects(await own.search(question, { ...hybrid, contextType: 'decoder' })).includes(wanted))
    const [exact] = subjects(await own.search('if_matched_sid', hybrid))
    assert.equal(exact, 'rule_option:if_matched_sid')

    const before = texts.length
    await own.reindex()
    await own.search(question, hybrid)
    await own.settled()
    assert.equal(texts.length, before + 1, 'texts that did not change are not sent again')
    await own.search(question, { ...hybrid, embeddingModel: 'another' })
    await own.settled()
    assert.ok(texts.length > before + 1000)
  })

  test('fails with the provider, which is asked for the vectors of the records again after a pause', async () => {
    const wrong = { name: 'UnusableVectorsError' }
    const rows: readonly (readonly [string, Embed, object])[] = [
      ['refuses', async () => Promise.reject(new Error('provider')), { message: 'provider' }],
      ['refuses the records', async (texts) => (texts.length > 1 ? Promise.reject(new Error('provider')) : [[1]]), { message: 'provider' }],
      ['lies about the number', async () => [[1]], wrong],
      ['has no numbers', async (texts) => texts.map(() => [Number.NaN]), wrong],
      ['has empty vectors', async (texts) => texts.map(() => []), wrong],
      ['has vectors of two lengths', async (texts) => texts.map((_, index) => (index === 0 ? [1] : [1, 2])), wrong],
    ]
    const lines: unknown[] = []
    const own = baseOf({ log: { info: () => undefined, warn: (...line: unknown[]) => void lines.push(line) } })
    for (const [name, embed, failure] of rows) {
      lines.length = 0
      let fillings = 0
      const counted: Embed = (texts, signal) => {
        if (texts.length > 1) fillings += 1
        return embed(texts, signal)
      }
      const hybrid = { limit: LIMIT, locale: 'en-US', embed: counted, embeddingModel: name } as const
      const search = () => own.search('if_matched_sid', hybrid)
      // A provider that answers the question and fails with the records has not failed before it was asked for them.
      if (name === 'refuses') await assert.rejects(search(), failure, name)
      else assert.equal(subjects(await search())[0], 'rule_option:if_matched_sid', name)
      await own.settled()
      for (let time = 0; time < 2; time += 1) await assert.rejects(search(), failure, name)
      assert.ok(!own.hasVectors('en-US', name))
      assert.deepEqual([fillings, lines.length], name === 'refuses' ? [0, 0] : [1, 1], name)
      now += 60_000
      await search().catch(() => undefined)
      await own.settled()
      assert.equal(fillings, name === 'refuses' ? 0 : 2, name)
    }
  })

  test('ends with its caller; the vectors of the records end with the base, and are not missed when their provider has changed', async () => {
    const own = baseOf()
    const leaving = new AbortController()
    const signals: { readonly records: boolean; readonly signal: AbortSignal }[] = []
    let release = (): void => undefined
    const embed: Embed = async (texts, signal) => {
      signals.push({ records: texts.length > 1, signal })
      if (texts.length > 1)
        await new Promise<void>((resolve, reject) => {
          release = resolve
          signal.addEventListener('abort', () => reject(new Error('ended')))
        })
      return texts.map(toyVector)
    }
    const hybrid = { limit: LIMIT, locale: 'en-US', embed, embeddingModel: 'toy', signal: leaving.signal } as const
    await own.search(question, hybrid)
    leaving.abort()
    assert.deepEqual(
      signals.map(({ records: ofRecords, signal }) => [ofRecords, signal.aborted]),
      [
        [false, true],
        [true, false],
      ],
    )
    release()
    await own.close()
    assert.equal(signals.at(-1)?.signal.aborted, true)
    const stopped: Embed = async (texts) => (texts.length > 1 ? Promise.reject(new EmbeddingStoppedError()) : [[1]])
    for (let time = 0; time < 2; time += 1) {
      await base.search(question, { ...hybrid, embed: stopped, embeddingModel: 'stopped' })
      await base.settled()
    }
  })
})

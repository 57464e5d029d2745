/** The worked examples of the specification pages, read from the pages if they are beside the checkout. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { SourceFile } from '#engine'
import { compileRuleset, createSession, EventRunner, fromByteString, readLocation, STATIC_FIELDS, toByteString, tryPattern } from '#engine'
import { predecode } from '../../engine/predecoding/predecode.js'
import type { XmlElement } from '../../engine/xml/node.js'
import { parseXml } from '../../engine/xml/parse.js'
import { SPEC } from './conformance.js'

const skip = existsSync(join(SPEC, 'engine-decoding.md')) ? false : 'the specification pages (../shared/spec) are not here'

/** Returns the JSON blocks of a page. */
function blocks(page: string): unknown[][] {
  return [...readFileSync(join(SPEC, page), 'utf8').matchAll(/```json\n(\[[\s\S]*?)\n```/g)].map((match) => JSON.parse(match[1]) as unknown[])
}

interface DecodingExample {
  readonly n: number
  readonly t: string
  readonly in?: string
  readonly tree?: unknown
  readonly error?: string
  readonly p?: string
  readonly s?: string
  readonly end?: number | null
  readonly caps?: string[]
  readonly capturing?: boolean
  readonly match?: boolean
  readonly event?: string
  readonly timestamp?: string | null
  readonly hostname?: string | null
  readonly program_name?: string | null
  readonly log?: string
  readonly xml?: string
  readonly name?: string | null
  readonly parent?: string | null
  readonly static?: Record<string, string>
  readonly dynamic?: [string, string][]
  readonly type?: string
  readonly aborts?: boolean
  readonly code?: string
}

/** Roots that never match, so that both lists have one. */
const NEVER: SourceFile = {
  kind: 'decoders',
  scope: 'adhoc',
  filename: 'zz.xml',
  content: '<decoder name="zz-pn"><program_name>^zz-never-pn$</program_name></decoder><decoder name="zz-npn"><prematch>^zz-never-npn$</prematch></decoder>',
}

function treeOf(elements: readonly XmlElement[]): unknown[] {
  return elements.map(({ name, attributes, content, children }) => [
    name,
    Object.fromEntries(attributes.map((one) => [one.name, one.value])),
    fromByteString(content),
    treeOf(children),
  ])
}

function compileDecoders(xml: string): ReturnType<typeof compileRuleset> {
  return compileRuleset([{ kind: 'decoders', scope: 'adhoc', filename: 'a.xml', content: xml }, NEVER])
}

const CHECKS: Readonly<Record<string, (example: DecodingExample) => void>> = {
  xml: ({ in: text, tree, error }) => {
    const outcome = parseXml(toByteString(text ?? ''))
    if (error === undefined) assert.deepEqual(outcome.ok && treeOf(outcome.document.elements), tree)
    else assert.equal(outcome.ok ? 'read' : outcome.error.code, error)
  },
  osregex: ({ p, s, end, caps, error, capturing }) => {
    const got = tryPattern({ engine: 'osregex', pattern: p ?? '', input: s ?? '', substrings: capturing ?? true, case_sensitive: false })
    if (error !== undefined) assert.equal(got.compiled, false)
    else assert.deepEqual([got.matched ? got.end : null, got.matched && caps !== undefined ? got.captures : undefined], [end, end === null ? undefined : caps])
  },
  osmatch: ({ p, s, match }) => assert.equal(tryPattern({ engine: 'osmatch', pattern: p ?? '', input: s ?? '', substrings: false, case_sensitive: false }).matched, match),
  pcre2: ({ p, s, end, caps, error }) => {
    const got = tryPattern({ engine: 'pcre2', pattern: p ?? '', input: s ?? '', substrings: true, case_sensitive: false })
    if (error !== undefined) assert.equal(got.compiled, false)
    else assert.deepEqual([got.matched ? got.end : null, got.matched ? got.captures : undefined], [end, end === null ? undefined : caps])
  },
  predecode: ({ event: text, timestamp, hostname, program_name, log }) => {
    const event = predecode(toByteString(text ?? ''), { location: 'stdin', agentId: '000', agentName: undefined }, 0)
    const texts = [event.timestamp, event.hostname, event.programName, event.log].map((one) => (one === undefined ? null : fromByteString(one)))
    assert.deepEqual(texts, [timestamp, hostname, program_name, log])
  },
  decode: ({ xml, event: text, name, parent, static: statics, dynamic, type }) => {
    const runner = new EventRunner(compileDecoders(xml ?? ''))
    const event = predecode(toByteString(text ?? ''), { location: 'stdin', agentId: '000', agentName: undefined }, 0)
    runner.decoders.run(event, null, null)
    const found = Object.fromEntries(STATIC_FIELDS.flatMap((field, index) => (event.statics[index] === undefined ? [] : [[field, fromByteString(event.statics[index] as string)]])))
    assert.deepEqual(
      [
        event.decoder?.name ?? null,
        event.decoder?.definition.parent ?? null,
        found,
        event.names.map((field, index) => [fromByteString(field), fromByteString(event.valueAt(index))]),
        event.type,
      ],
      [name, parent, statics, dynamic, type ?? 'syslog'],
    )
  },
  load: ({ xml, aborts, code }) => {
    const ruleset = compileDecoders(xml ?? '')
    assert.equal(ruleset.loads, aborts !== true)
    const codes: string[] = ruleset.loadDiagnostics.map((diagnostic) => diagnostic.code)
    // The page has one code for two places, which we distinguish.
    const wanted = code === 'decoder_offset_invalid' && !codes.includes(code) ? 'decoder_prematch_offset_unknown' : code
    assert.ok(codes.includes(wanted ?? ''), `${wanted} among ${codes.join(', ')}`)
  },
}

test('the examples of the decoding page have the results that it states', { skip }, () => {
  const examples = blocks('engine-decoding.md')
    .flat()
    .filter((one): one is DecodingExample => typeof one === 'object' && one !== null && 'n' in one)
  assert.ok(examples.length > 300)
  const wrong: string[] = []
  for (const example of examples) {
    try {
      CHECKS[example.t]?.(example)
    } catch (error) {
      wrong.push(`${example.n} ${example.t}: ${(error as Error).message.slice(0, 300)}`)
    }
  }
  assert.deepEqual(wrong, [])
})

test('the OSRegex vectors of the decoding page agree', { skip }, () => {
  const vectors = blocks('engine-decoding.md')
    .flat()
    .filter((one): one is [string, string, number | null, string[] | null] => Array.isArray(one) && one.length === 4)
  assert.ok(vectors.length >= 300)
  for (const [pattern, input, end, captures] of vectors) {
    const got = tryPattern({ engine: 'osregex', pattern, input, substrings: true, case_sensitive: false })
    assert.deepEqual([got.matched ? got.end : null, got.matched ? got.captures : null], [end, captures], `${pattern} on ${input}`)
  }
})

interface RuleCase {
  readonly name: string
  readonly rules?: string
  readonly files?: Record<string, string>
  readonly decoders?: (string | { name: string; type?: string; parent?: string; fts?: string })[]
  readonly lists?: Record<string, string>
  readonly load?: { ok: boolean }
  readonly steps?: {
    advance?: number
    ev?: Record<string, unknown>
    times?: number
    rule?: number | null
    matched?: number[]
    level?: number
    firedtimes?: number
    description?: string
    previous_output?: string
  }[]
}

const TEMPLATES = `<group name="syslog,">${['syslog', 'firewall', 'ids', 'web-log', 'squid', 'windows', 'ossec']
  .map((category, index) => `<rule id="${index + 1}" level="0" noalert="1"><category>${category}</category><description>t</description></rule>`)
  .join('')}</group>`

/** Returns a decoder with that name, type and fts that matches no event: the cases set the decoder themselves. */
function decoderXml(decoder: string | { name: string; type?: string; parent?: string; fts?: string }): string {
  const { name, type, parent, fts } = typeof decoder === 'string' ? { name: decoder, type: undefined, parent: undefined, fts: undefined } : decoder
  const inside = fts === undefined ? '' : `<regex>(never)</regex><order>never</order><fts>${fts}</fts>`
  return `<decoder name="${name}">${parent === undefined ? '' : `<parent>${parent}</parent>`}<prematch>^never ${name}</prematch>${type === undefined ? '' : `<type>${type}</type>`}${inside}</decoder>`
}

test('the cases of the rules page have the results that it states', { skip }, () => {
  const cases = blocks('engine-rules.md').flat() as RuleCase[]
  assert.ok(cases.length > 80)
  const wrong: string[] = []
  for (const one of cases) {
    try {
      runRuleCase(one)
    } catch (error) {
      wrong.push(`${one.name}: ${(error as Error).message.slice(0, 400)}`)
    }
  }
  assert.deepEqual(wrong, [])
})

function runRuleCase({ rules, files, decoders = ['app'], lists = {}, load, steps = [] }: RuleCase): void {
  const sources: SourceFile[] = [
    { kind: 'decoders', scope: 'adhoc', filename: 'a.xml', content: [...decoders.map(decoderXml), decoderXml('zz')].join('\n') },
    NEVER,
    { kind: 'rules', scope: 'adhoc', filename: '0000-templates.xml', content: TEMPLATES },
    ...Object.entries(lists).map(([filename, content]): SourceFile => ({ kind: 'lists', scope: 'adhoc', filename, content })),
    ...Object.entries(files ?? { 'l.xml': `<group name="local,">${rules}</group>` }).map(
      ([filename, content]): SourceFile => ({ kind: 'rules', scope: 'adhoc', filename, content }),
    ),
  ]
  const ruleset = compileRuleset(sources)
  assert.equal(ruleset.loads, load?.ok ?? true, 'loads')
  const runner = new EventRunner(ruleset, { managerName: 'mgr' })
  const session = createSession()
  let now = 1_700_000_000
  for (const step of steps) {
    if (step.advance !== undefined) {
      now += step.advance
      continue
    }
    const wanted = step.ev ?? {}
    for (let time = 0; time < (step.times ?? 1); time++) {
      const origin = readLocation('stdin')
      assert.ok(origin !== null)
      const event = predecode('', origin, now)
      setUp(event, wanted, ruleset)
      const moment = { seconds: now, local: () => ({ timeOfDay: String(wanted.time_of_day ?? '12:00'), weekday: Number(wanted.weekday ?? 3) }) }
      const outcome = runner.runRules(event, moment, session, null)
      assert.equal(outcome.rule?.id ?? null, step.rule ?? null, `rule at ${JSON.stringify(wanted)}`)
      if (step.matched !== undefined)
        assert.deepEqual(
          outcome.path.map(({ id }) => id),
          step.matched,
        )
      if (step.level !== undefined) assert.equal(outcome.rule?.level, step.level)
      if (step.firedtimes !== undefined) assert.equal(outcome.firedTimes, step.firedtimes)
      if (step.description !== undefined) assert.equal(outcome.description, step.description)
      if (step.previous_output !== undefined) {
        const previous = outcome.previousLog === null ? outcome.previous.join('\n') : `Previous output:\n${outcome.previousLog}`
        assert.equal(previous, step.previous_output)
      }
    }
  }
}

/** Sets the properties that a case states on an event. */
function setUp(event: ReturnType<typeof predecode>, wanted: Record<string, unknown>, ruleset: ReturnType<typeof compileRuleset>): void {
  const name = wanted.decoder as string | undefined
  const roots = [...ruleset.decoders.plainRoots, ...ruleset.decoders.programRoots]
  event.replaceLogs(String(wanted.log ?? ''))
  event.hostname = wanted.hostname as string | undefined
  event.programName = wanted.program_name as string | undefined
  event.location = String(wanted.location ?? 'stdin')
  event.agentId = String(wanted.agent_id ?? '000')
  if (name !== undefined) {
    const known = roots.find((root) => root.name === name)
    const identity = ruleset.identities.find(name)
    event.decoder = known ?? { ...roots[0], name, identity }
    event.type = known === undefined ? 'ossec' : known.definition.type
  }
  STATIC_FIELDS.forEach((field, index) => {
    if (wanted[field] !== undefined) event.statics[index] = String(wanted[field])
  })
  for (const [field, value] of Object.entries((wanted.fields ?? {}) as Record<string, string>)) event.addField(field, ruleset.fieldNames.find(field.toLowerCase()), value)
}

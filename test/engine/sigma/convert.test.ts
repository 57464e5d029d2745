/** Rules for Wazuh 5: verdicts, Sigma texts that are valid and mean the same, and their proofs, evaluated by an evaluator of its own. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { parseDocument } from 'yaml'
import { type CompiledRuleset, compileRuleset, SigmaConverter, type SigmaRecord, type SourceFile, toByteString } from '#engine'
import { readRulesetFolder, REFERENCE_RULESET_DIR } from '#workers'
import { compilePcre2 } from '../../../engine/expressions/pcre2/compile.js'
import { compileOsRegex } from '../../../engine/expressions/osregex/osregex.js'
import { regexText } from '../../../engine/sigma/regex-text.js'
import { writeYaml } from '../../../engine/sigma/yaml.js'
import { matchesSigma, readSigma, type SigmaDocument, type SigmaEvent } from '../../support/sigma.js'

const DECODERS = `<decoder name="gate"><program_name>^gate$</program_name></decoder>
<decoder name="gate-closed"><parent>gate</parent><prematch>^CLOSED </prematch><regex offset="after_prematch">^(\\S+):(\\d+) by (\\S+)</regex><order>srcip, srcport, user</order></decoder>
<decoder name="lamp"><prematch>^LAMP </prematch></decoder>
<decoder name="json"><prematch>^{\\s*"</prematch><plugin_decoder>JSON_Decoder</plugin_decoder></decoder>`
const TEMPLATE = '<group name="syslog,"><rule id="1" level="0" noalert="1"><category>syslog</category><description>Template.</description></rule></group>'
const BASE = `<rule id="200" level="3"><decoded_as>gate</decoded_as><description>gate</description></rule>
<rule id="201" level="5"><if_sid>200</if_sid><match>CLOSED</match><description>closed</description></rule>
<rule id="210" level="3"><decoded_as>lamp</decoded_as><description>lamp</description></rule>`

function compiled(rules: string, list = 'bruno:\nroot:\n'): CompiledRuleset {
  const files: SourceFile[] = [
    { kind: 'decoders', scope: 'default', filename: 'decoders.xml', content: DECODERS },
    { kind: 'rules', scope: 'default', filename: '0-template.xml', content: TEMPLATE },
    { kind: 'rules', scope: 'default', filename: 'rules.xml', content: `<group name="own,">${BASE}\n${rules}</group>` },
    { kind: 'lists', scope: 'default', filename: 'etc/lists/users', content: list },
  ]
  const ruleset = compileRuleset(files)
  assert.ok(ruleset.loads)
  return ruleset
}

function convert(rules: string, id: number, list?: string): SigmaRecord {
  const ruleset = compiled(rules, list)
  const rule = ruleset.rules.find(id)
  assert.ok(rule !== undefined)
  return new SigmaConverter(ruleset, { locale: 'en-US', mayGoOn: () => true }).convert(rule)
}

const rule = (options: string, id = 300, level = 7, attributes = ''): string =>
  `<rule id="${id}" level="${level}"${attributes}>${options}<description>own rule</description></rule>`
const documentsOf = ({ sigma }: SigmaRecord): SigmaDocument[] => readSigma(sigma ?? assert.fail('no text'))
const event = (message: string, fields: Readonly<Record<string, string>> = {}, service = 'gate'): SigmaEvent => ({
  logsource: { category: 'syslog', service },
  fields: { message, ...fields },
})
const matches = (record: SigmaRecord, one: SigmaEvent): boolean => documentsOf(record).some((document) => document.detection !== undefined && matchesSigma(document, one))

/** The constraints of the public schemas of Sigma 2 for rules and correlations. */
const isText = { type: 'string' }
const HEAD = {
  title: { type: 'string', maxLength: 256 },
  id: { type: 'string', pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' },
  name: { type: 'string', maxLength: 256 },
  status: { enum: ['stable', 'test', 'experimental', 'deprecated', 'unsupported'] },
  description: { type: 'string', maxLength: 65_535 },
  level: { enum: ['informational', 'low', 'medium', 'high', 'critical'] },
  tags: { type: 'array', uniqueItems: true, items: { type: 'string', pattern: '^[a-z0-9_-]+\\.[a-z0-9._-]+$' } },
}
const SEARCH = { anyOf: [{ type: 'array', items: { anyOf: [isText, { type: 'integer' }, { type: 'object' }] } }, { type: 'object' }] }
const ajv = new Ajv({ strictTypes: false })
const isRule = ajv.compile({
  type: 'object',
  required: ['title', 'logsource', 'detection'],
  properties: {
    ...HEAD,
    logsource: { type: 'object', properties: { category: isText, product: isText, service: isText, definition: isText } },
    detection: { type: 'object', required: ['condition'], properties: { condition: isText }, additionalProperties: SEARCH },
  },
})
const isCorrelation = ajv.compile({
  type: 'object',
  required: ['title', 'correlation'],
  properties: {
    ...HEAD,
    correlation: {
      type: 'object',
      required: ['type', 'rules', 'timespan', 'condition', 'group-by'],
      properties: {
        type: { enum: ['event_count', 'value_count', 'temporal', 'temporal_ordered'] },
        rules: { type: 'array', uniqueItems: true, items: { type: 'string', minLength: 2 } },
        'group-by': { type: 'array', uniqueItems: true, items: isText },
        timespan: { type: 'string', maxLength: 10, pattern: '^\\d+[smhd]$' },
        condition: { type: 'object', minProperties: 1, maxProperties: 1, additionalProperties: { type: 'integer' } },
      },
    },
  },
})

function assertValid(record: SigmaRecord): void {
  for (const document of documentsOf(record)) {
    const validate = document.correlation === undefined ? isRule : isCorrelation
    assert.ok(validate(document), `${record.rule_id}: ${JSON.stringify(validate.errors)}`)
    // What Wazuh's page about rules of version 5 requires besides.
    for (const member of ['id', 'status', 'level', 'metadata'] as const) assert.ok(Object.hasOwn(document, member), member)
  }
}

describe('verdicts', () => {
  const cases: readonly (readonly [verdict: string, rules: string, construct?: string])[] = [
    ['as_is', rule('<decoded_as>lamp</decoded_as><match>late</match>')],
    ['flattened', rule('<if_sid>201</if_sid><match>late</match>')],
    ['needs_correlation', rule('<if_matched_sid>201</if_matched_sid><same_srcip />', 300, 7, ' frequency="4" timeframe="60"')],
    ['needs_correlation', rule('<if_matched_group>own</if_matched_group>', 300, 7, ' frequency="4" timeframe="60"'), 'counts'],
    ['needs_correlation', rule('<if_matched_sid>201</if_matched_sid><different_srcip />', 300, 7, ' frequency="4" timeframe="60"'), 'compares'],
    ['impossible', rule('<if_sid>201</if_sid><time>9:00 - 17:00</time>'), 'time'],
    ['impossible', rule('<if_sid>201</if_sid><weekday>monday</weekday>'), 'weekday'],
    ['impossible', rule('<if_sid>201</if_sid><regex type="pcre2">late(?=ly)</regex>'), 'regex'],
    ['impossible', rule('<if_sid>201</if_sid><regex type="pcre2">(a+)\\1</regex>'), 'regex'],
    ['impossible', rule('<if_sid>201</if_sid><field name="a|b">c</field>'), 'field_name'],
    ['impossible', rule('<if_sid>201</if_sid><srcip>any</srcip>'), 'address'],
    ['not_needed', rule('<if_sid>201</if_sid><match>late</match>', 300, 0)],
  ]
  for (const [verdict, rules, construct] of cases) {
    test(`${verdict}: ${rules}`, () => {
      const record = convert(rules, 300)
      assert.deepEqual([record.verdict, record.constructs.map(({ code }) => code)], [verdict, construct === undefined ? [] : [construct]])
      const hasText = verdict === 'as_is' || verdict === 'flattened' || (verdict === 'needs_correlation' && construct === undefined)
      assert.equal(record.sigma !== null, hasText)
      if (hasText) assertValid(record)
    })
  }

  test('a list that is too long is impossible, and a short one is written', () => {
    const listed = rule('<if_sid>201</if_sid><list field="user">etc/lists/users</list>')
    assert.match(convert(listed, 300).sigma ?? '', /\|cased':\n +- 'bruno'\n +- 'root'/)
    const long = Array.from({ length: 501 }, (_, at) => `key${at}:`).join('\n')
    assert.deepEqual(
      convert(listed, 300, long).constructs.map(({ code }) => code),
      ['list'],
    )
  })

  test('a rule above it is named for what it uses', () => {
    const record = convert(`${rule('<if_sid>201</if_sid><time>9:00 - 17:00</time>', 299)}${rule('<if_sid>299</if_sid><match>late</match>')}`, 300)
    assert.deepEqual(
      record.constructs.map(({ code, rule_id }) => [code, rule_id]),
      [['time', '299']],
    )
  })
})

describe('the text', () => {
  test('has the conditions of the parents, and not the events of stronger siblings and of children', () => {
    const record = convert(
      `${rule('<if_sid>201</if_sid><match>late</match>')}
      ${rule('<if_sid>201</if_sid><match>too late|very late</match>', 301, 9)}
      ${rule('<if_sid>201</if_sid><match>late again</match>', 302, 6)}
      ${rule('<if_sid>300</if_sid><srcip>203.0.113.0/24</srcip>', 303)}`,
      300,
    )
    assert.equal(record.verdict, 'flattened')
    assertValid(record)
    const expected = [
      ['CLOSED late', true],
      ['closed Late', true],
      ['OPENED late', false],
      ['CLOSED early', false],
      ['CLOSED too late', false],
      ['CLOSED late again', true],
    ] as const
    for (const [message, result] of expected) assert.equal(matches(record, event(message)), result, message)
    assert.equal(matches(record, event('CLOSED late', { 'source.ip': '203.0.113.9' })), false)
    assert.equal(matches(record, event('CLOSED late', { 'source.ip': '198.51.100.9' })), true)
    assert.equal(matches(record, event('CLOSED late', {}, 'lamp')), false)
    assert.deepEqual([...new Set(record.proof.filter((one) => one.expected).map(({ rule_id }) => rule_id))], ['300'])
    assert.ok(record.proof.length >= 4)
  })

  test('says of negated conditions that the field is there', () => {
    const record = convert(rule('<if_sid>200</if_sid><user negate="yes">^root$</user><srcport negate="yes">22</srcport>'), 300)
    const [acting, target] = ['user.name', 'user.target.name']
    for (const [fields, result] of [
      [{ [target]: 'ana', 'source.port': '80' }, true],
      [{ [acting]: 'ana', 'source.port': '80' }, true],
      [{ [target]: 'root', [acting]: 'ana', 'source.port': '80' }, false],
      [{ [target]: 'ana', [acting]: 'root', 'source.port': '80' }, true],
      [{ [target]: 'ana', 'source.port': '2222' }, false],
      [{ [target]: 'ana' }, false],
      [{ 'source.port': '80' }, false],
    ] as const)
      assert.equal(matches(record, event('x', fields as Readonly<Record<string, string>>)), result, JSON.stringify(fields))
  })

  test('has wildcards and quotes as they are meant', () => {
    const record = convert(rule(`<if_sid>200</if_sid><match>it's 100% *new*: \\x?|^#1 - </match>`), 300)
    for (const [message, result] of [
      [`well, it's 100% *new*: \\x?`, true],
      [`it's 100% brand new: \\xy`, false],
      ['#1 - yes', true],
      ['no #1 - yes', false],
    ] as const)
      assert.equal(matches(record, event(message)), result, message)
  })

  test('has a document for each decoder of the parents', () => {
    const record = convert(rule('<if_sid>200, 210</if_sid><match>late</match>'), 300)
    const documents = documentsOf(record)
    assert.deepEqual(documents.map(({ logsource }) => logsource?.service).sort(), ['gate', 'lamp'])
    assert.equal(new Set(documents.map(({ id }) => id)).size, 2)
    assertValid(record)
    assert.deepEqual(
      ['gate', 'lamp', 'json'].map((service) => matches(record, event('late', {}, service))),
      [true, true, false],
    )
  })

  test('names a stronger rule that cannot be excluded', () => {
    const record = convert(`${rule('<if_sid>201</if_sid><match>late</match>')}${rule('<if_sid>201</if_sid><weekday>monday</weekday>', 301, 9)}`, 300)
    assert.deepEqual(
      record.notes.map(({ code }) => code),
      ['not_excluded'],
    )
    assert.match(record.notes[0].text, /The rules 301 take some of these events/)
  })

  test('of a correlation has the counted rule, what is compared, and the count', () => {
    const rules = rule('<if_matched_sid>201</if_matched_sid><same_srcip /><match>late</match>', 300, 12, ' frequency="4" timeframe="90" ignore="60"')
    const record = convert(rules, 300)
    assertValid(record)
    const [counted, correlation] = documentsOf(record)
    assert.deepEqual([counted.name, correlation.level], ['wazuh_201', 'high'])
    assert.deepEqual(correlation.correlation, { type: 'event_count', rules: ['wazuh_201'], 'group-by': ['wazuh.agent.id', 'source.ip'], timespan: '90s', condition: { gte: 4 } })
    assert.deepEqual(record.notes.map(({ code }) => code).sort(), ['correlation_not_read', 'ignore', 'last_event'])
  })

  test('has techniques, and levels by severity', () => {
    const mitre = '<mitre><id>T1110.001</id><id>T1078</id></mitre>'
    const [document] = documentsOf(convert(rule(`<if_sid>201</if_sid><match>late</match>${mitre}`, 300, 15), 300)) as (SigmaDocument & { mitre: unknown })[]
    assert.deepEqual([document.level, document.tags, document.mitre], ['critical', ['attack.t1110.001', 'attack.t1078'], { technique: ['T1078'], subtechnique: ['T1110.001'] }])
  })
})

test('every rule of the reference ruleset that has a text is valid, and its proofs hold', () => {
  const ruleset = compileRuleset(readRulesetFolder(REFERENCE_RULESET_DIR, 'default'))
  const converter = new SigmaConverter(ruleset, { locale: 'en-US', mayGoOn: () => true })
  let [texts, proofs, own] = [0, 0, 0]
  // Every third: all of them take half a minute.
  for (const one of ruleset.rules.inOrder().filter((_, index) => index % 3 === 0)) {
    const record = converter.convert(one)
    if (record.sigma === null) continue
    texts++
    assertValid(record)
    for (const { normalized, expected, rule_id } of record.proof) {
      assert.equal(matches(record, normalized), expected, `${record.rule_id}, event of ${rule_id}: ${JSON.stringify(normalized)}\n${record.sigma}`)
      proofs++
      if (expected) own++
    }
  }
  assert.ok(texts > 350 && own > 300 && proofs > 4 * own, `${texts} texts, ${proofs} proofs, ${own} of own events`)
})

describe('regular expressions', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '1', ' ', '.', '-', '/', '[', '\t'), maxLength: 8 })

  test('accept what PCRE2 patterns accept', () => {
    for (const pattern of ['^a+b?$', '(?i)ab', '[^a-b]{2,3}', '\\d|\\s', 'a.b', '(ab|1)*\\.', '[-\\]\\[/]', '\\t', '^(?:a|b)c*?1']) {
      const outcome = compilePcre2(pattern)
      assert.ok(outcome.ok)
      const { expression } = outcome
      const regex = regexText(expression)
      assert.ok(regex !== null, pattern)
      const written = new RegExp(regex.text, regex.ignoresCase ? 'i' : '')
      fc.assert(fc.property(texts, (text) => written.test(text) === expression.test(toByteString(text), toByteString(text).toLowerCase(), 0)))
    }
  })

  test('have characters beyond ASCII as they are', () => {
    const outcome = compilePcre2(toByteString('^é+|ç$'))
    assert.ok(outcome.ok)
    assert.equal(regexText(outcome.expression), null)
    const whole = compilePcre2(toByteString('porção'))
    assert.ok(whole.ok)
    assert.deepEqual(regexText(whole.expression), { text: 'porção', ignoresCase: false })
  })

  test('accept at least what OSRegex patterns accept, whatever the case', () => {
    for (const pattern of ['^a\\d+', 'a \\w', '\\.+b', 'a|b$', '\\S-\\d', '\\p1']) {
      const outcome = compileOsRegex(pattern)
      assert.ok(outcome.ok)
      const regex = regexText(outcome.expression)
      assert.ok(regex?.ignoresCase === true, pattern)
      const written = new RegExp(regex.text, 'i')
      const { expression } = outcome
      fc.assert(
        fc.property(fc.string({ unit: fc.constantFrom('a', 'b', 'A', '1', ' ', '.', '-'), maxLength: 6 }), (text) => {
          const isMatch = expression.test(text, text.toLowerCase(), 0)
          // Without repetitions there is only one way to match.
          assert.ok(/[+*]/.test(pattern) ? !isMatch || written.test(text) : isMatch === written.test(text), JSON.stringify(text))
        }),
      )
    }
  })

  test('have no text for what the flavour lacks', () => {
    for (const pattern of ['a(?=b)', '(?<!a)b', '(a)\\1', 'a++b', '\\bword', '(*COMMIT)a']) {
      const outcome = compilePcre2(pattern)
      assert.ok(outcome.ok, pattern)
      assert.equal(regexText(outcome.expression), null, pattern)
    }
  })
})

test('YAML is read as it was meant, whatever is in it', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', "'", '"', '\\', ':', ' ', '#', '-', '\n', '\t', '\u0000', '\u0085', '\u2028', '\ufeff', '😀', '{', '*', '&', '!', '|', '%', '0'),
    maxLength: 12,
  })
  const tree = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constantFrom('yes', 'null', '~', '012', '1e3', ''),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('map'),
    ),
    map: fc.dictionary(fc.oneof(text, fc.constantFrom('yes', 'title', 'a|b', 'null', 'y')), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  })).map
  fc.assert(
    fc.property(
      tree.filter((value) => Object.keys(value as object).length > 0),
      (value) => {
        const document = parseDocument(writeYaml(value as Record<string, string>), { strict: true })
        assert.deepEqual([...document.errors, ...document.warnings], [])
        assert.deepEqual(document.toJS(), value)
      },
    ),
  )
})

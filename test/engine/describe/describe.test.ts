import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileRuleset, decoderCatalog, describeDiagnostics, describeSchema, isContentOk, type IsOwn, ruleCatalog, type SourceFile } from '../../../engine/index.js'
import { DECODER_OPTIONS } from '../../../engine/decoders/options/index.js'
import { RULE_ATTRIBUTES } from '../../../engine/rules/attributes.js'
import { RULE_OPTIONS } from '../../../engine/rules/options/index.js'
import { FILES, RULESET } from '../logtest/small-ruleset.js'

test('the schema lists every tag and attribute of the readers once', () => {
  const { rules, decoders } = describeSchema('en-US')
  const named = (elements: readonly { name: string; context: string }[], context: string): string[] =>
    elements.filter((element) => element.context === context).map(({ name }) => name)
  assert.deepEqual(
    named(rules.elements, 'rule'),
    RULE_OPTIONS.map(({ name }) => name),
  )
  assert.deepEqual(
    named(decoders.elements, 'decoder'),
    DECODER_OPTIONS.map(({ name }) => name),
  )
  assert.deepEqual(
    rules.root_attributes,
    RULE_ATTRIBUTES.map(({ name }) => name),
  )
  assert.deepEqual(rules.attack_elements, ['id', 'tacticID', 'techniqueID'])
  for (const { elements } of [rules, decoders]) assert.equal(new Set(elements.map(({ name, context }) => `${context} ${name}`)).size, elements.length)
  assert.equal(rules.elements.find(({ name }) => name === 'same_agent')?.runtime_supported, false)
})

test('every text of the schema is also in Portuguese', () => {
  const texts = (locale: 'en-US' | 'pt-BR'): string[] => {
    const { rules, decoders } = describeSchema(locale)
    return [...rules.elements, ...decoders.elements].flatMap(({ name, description, attributes }) => [
      `${name}: ${description}`,
      ...attributes.map((attribute) => `${name} ${attribute.name}: ${attribute.description}`),
    ])
  }
  const english = new Set(texts('en-US'))
  assert.deepEqual(
    texts('pt-BR').filter((text) => english.has(text)),
    [],
  )
})

test('counts of the rule catalog', () => {
  const items = new Map(ruleCatalog(RULESET).map((item) => [item.rule_id, item]))
  assert.equal(items.size, RULESET.counts.rules)
  assert.deepEqual(items.get('100002'), {
    rule_id: '100002',
    level: 5,
    description: 'door opened by $(dstuser) $(room)',
    groups: ['house', 'opened'],
    decoded_as: null,
    source_file: 'house-rules.xml',
    source_line: 3,
    source_scope: 'adhoc',
    overwrites: null,
    dependency_count: 1,
    depends_on: ['100001'],
    dependent_rule_count: 2,
    field_matcher_count: 0,
    uses_frequency: false,
    uses_correlation: false,
    noalert: false,
    attack_ids: ['T1078'],
  })
  const { dependency_count, uses_frequency, uses_correlation } = items.get('100003') ?? {}
  assert.deepEqual([dependency_count, uses_frequency, uses_correlation], [1, true, true])
  assert.equal(items.get('100004')?.field_matcher_count, 1)
  assert.equal(items.get('100005')?.field_matcher_count, 1)
  assert.deepEqual([items.get('100001')?.dependency_count, items.get('1')?.dependent_rule_count, items.get('100006')?.noalert], [0, 0, true])
})

test('counts of the decoder catalog', () => {
  const items = decoderCatalog(RULESET)
  assert.equal(items.length, RULESET.counts.decoders)
  assert.deepEqual(items[1], {
    name: 'door-open',
    parent: 'door',
    source_file: 'house-decoders.xml',
    source_line: 3,
    source_scope: 'adhoc',
    order: ['user', 'srcip'],
    child_count: 0,
    referenced_rule_count: 1,
    reachable_from_rule: true,
    has_regex: true,
    chain_depth: 1,
    fts_fields: [],
  })
  assert.deepEqual([items[0].child_count, items[0].has_regex, items[0].chain_depth], [2, false, 0])
  const wall = items.find(({ name }) => name === 'wall')
  assert.deepEqual([wall?.referenced_rule_count, wall?.reachable_from_rule], [1, false])
})

test('diagnostics of reference content are hidden, counted, and do not affect ok', () => {
  const broken = '<group name="x,"><rule id="100041" level="3"><if_sid>100042</if_sid><description>a</description></rule></group>'
  const withScope = (scope: 'default' | 'adhoc') => compileRuleset([...FILES, { filename: 'zz.xml', kind: 'rules', scope, content: broken }])
  const own = describeDiagnostics(withScope('adhoc'), { locale: 'en-US', includeBaseline: false })
  assert.equal(own.ok, false)
  assert.equal(own.loads, true)
  const [lost] = own.diagnostics.filter(({ filename }) => filename === 'zz.xml')
  assert.equal(lost.code, 'rule_parent_missing')
  assert.deepEqual([lost.line, lost.severity, lost.engine_effect, lost.source_scope], [1, 'error', 'drop', 'adhoc'])
  assert.equal(isContentOk(withScope('adhoc')), false)
  const reference = withScope('default')
  const hidden = describeDiagnostics(reference, { locale: 'pt-BR', includeBaseline: false })
  const shown = describeDiagnostics(reference, { locale: 'pt-BR', includeBaseline: true })
  assert.equal(
    hidden.diagnostics.some(({ source_scope }) => source_scope === 'default'),
    false,
  )
  assert.equal(shown.diagnostics.length - hidden.diagnostics.length, hidden.baseline_issue_count)
  assert.equal(shown.baseline_issue_count, hidden.baseline_issue_count)
  assert.ok(hidden.baseline_issue_count > 0)
  assert.equal(hidden.ok, shown.ok)
  assert.deepEqual(own.summary, {
    total_rule_files: 3,
    total_decoder_files: 1,
    total_rules: 13,
    total_decoders: 6,
    total_lists: 1,
    compiled_hash: own.summary.compiled_hash,
    loaded_from_disk: false,
  })
})

test('content is ok if it has no error, whatever the reference has, and no checks run if there are none', () => {
  const reference = FILES.map((file) => ({ ...file, scope: 'default' as const }))
  const ruleset = compileRuleset(reference)
  let looks = 0
  const watched = new Proxy(ruleset, {
    get: (target, name) => {
      if (name === 'diagnostics') looks++
      return Reflect.get(target, name)
    },
  })
  assert.ok(ruleset.diagnostics.some(({ severity }) => severity === 'error'))
  assert.deepEqual([isContentOk(watched), looks], [true, 0])
  const own = {
    filename: 'zz.xml',
    kind: 'rules',
    scope: 'adhoc',
    content: '<group name="x,"><rule id="100100" level="3"><if_sid>100001</if_sid><description>Door.</description></rule></group>',
  } as const
  assert.equal(isContentOk(compileRuleset([...reference, own])), true)
  assert.equal(isContentOk(compileRuleset([...reference, { ...own, content: own.content.replace('100001', '100990') }])), false)
})

test('diagnostics of other content that loads do not affect own content; content that does not load is never ok', () => {
  const right = { filename: 'own.xml', kind: 'rules', scope: 'adhoc', content: '<group name="x,"><rule id="100100" level="3"><description>a</description></rule></group>' } as const
  const dropped = { ...right, filename: 'site.xml', scope: 'custom', content: right.content.replace('100100" level="3">', '100200" level="3"><if_sid>100990</if_sid>') } as const
  const refused = { ...dropped, content: right.content.replace('100100" level="3"', '100200" level="three"') } as const
  const isOwn: IsOwn = ({ filename }) => filename === right.filename
  const judge = (...files: readonly SourceFile[]): boolean => {
    const ruleset = compileRuleset([...FILES, ...files])
    const ok = isContentOk(ruleset, isOwn)
    assert.equal(describeDiagnostics(ruleset, { locale: 'en-US', includeBaseline: false, isOwn }).ok, ok)
    return ok
  }
  assert.equal(judge(right, dropped), true)
  assert.equal(judge({ ...dropped, filename: right.filename }), false)
  assert.equal(judge(right, refused), false)
  assert.equal(isContentOk(compileRuleset([])), false)
})

/** Two independent faults are both reported, in one rule, in one decoder, or in one file. */
import assert from 'node:assert/strict'
import test from 'node:test'
import type { Diagnostic } from '../../../engine/diagnostics/diagnostic.js'
import { compileLayer, compileRuleset } from '../../../engine/compiler/compile.js'
import type { FileKind } from '../../../engine/source/source-file.js'
import { BASE, caseFolders, diagnosticsOf } from '../../support/case-folders.js'

const base = compileRuleset(BASE)

function diagnose(kind: FileKind, content: string): Diagnostic[] {
  return compileLayer(base, [{ filename: 'custom.xml', kind, scope: 'custom', content }]).diagnostics.filter(({ scope }) => scope === 'custom')
}

/** One fault of a rule or decoder. Two faults of one slot are not independent. */
interface Fault {
  readonly code: string
  readonly slots: readonly string[]
  /** Replaces the correct attribute of the opening tag. */
  readonly attribute?: string
  /** An option that is added. */
  readonly inside?: string
}

/** The parts of a rule without a fault. */
const RULE_PARTS = { id: 'id="100100"', level: 'level="5"', frequency: '', timeframe: '', more: '', overwrite: '', maxsize: '' } as const

const attribute = (code: string, slot: keyof typeof RULE_PARTS, text: string): Fault => ({ code, slots: [slot], attribute: text })
const option = (code: string, inside: string, ...slots: string[]): Fault => ({ code, slots, inside })

const RULE_FAULTS: readonly Fault[] = [
  attribute('rule_id_invalid', 'id', 'id="1000000"'),
  attribute('rule_id_missing', 'id', ''),
  attribute('rule_duplicate_id', 'id', 'id="502"'),
  attribute('rule_level_invalid', 'level', 'level="17"'),
  attribute('rule_level_missing', 'level', ''),
  attribute('rule_frequency_invalid', 'frequency', 'frequency="1"'),
  attribute('rule_timeframe_invalid', 'timeframe', 'timeframe="x"'),
  attribute('rule_attribute_unknown', 'more', 'bogus="1"'),
  attribute('rule_attribute_invalid', 'overwrite', 'overwrite="maybe"'),
  attribute('rule_maxsize_meaning', 'maxsize', 'maxsize="9"'),
  option('rule_element_unknown', '<bogus>x</bogus>'),
  option('rule_static_field_as_dynamic', '<field name="srcip">a</field>'),
  option('rule_field_name_missing', '<field>a</field>'),
  option('regex_invalid', '<match type="pcre2">a(</match>'),
  option('rule_time_invalid', '<time>99</time>'),
  option('rule_weekday_invalid', '<weekday>thurs</weekday>'),
  option('rule_ip_invalid', '<srcip>10.0.0.</srcip>'),
  option('rule_decoded_as_unknown', '<decoded_as>nosuch</decoded_as>', 'events'),
  option('rule_category_invalid', '<category>x</category>', 'events'),
  option('rule_list_not_loaded', '<list field="user">etc/lists/none</list>'),
  option('rule_list_lookup_invalid', '<list field="user" lookup="x">etc/lists/none</list>'),
  option('rule_compiled_rule_unknown', '<compiled_rule>x</compiled_rule>'),
  option('rule_options_invalid', '<options>x</options>'),
  option('rule_ignore_option_invalid', '<ignore>srcip,</ignore>'),
  option('rule_if_matched_sid_invalid', '<if_matched_sid>x</if_matched_sid>', 'search'),
  option('rule_correlation_without_matched', '<same_srcip />', 'search'),
  option('rule_parent_missing', '<if_sid>999999</if_sid>', 'parent'),
  option('rule_if_sid_invalid', '<if_sid>x</if_sid>', 'parent'),
  option('rule_if_group_missing', '<if_group>nowhere</if_group>', 'parent'),
  option('rule_if_level_invalid', '<if_level>x</if_level>', 'parent'),
  option('mitre_option_invalid', '<mitre><x>T1110</x></mitre>'),
  option('rule_text_too_long', `<hostname>${'a'.repeat(2048)}</hostname>`),
  option('rule_description_missing', '', 'description'),
  option('regex_slow', '<regex type="pcre2">.*error.*</regex>'),
  option('mitre_id_invalid', '<mitre><id>1110</id></mitre>'),
  option('rule_compliance_tag_invalid', '<group>,pci_dss_99,</group>'),
  option('rule_field_never_extracted', '<field name="origin.hots">a</field>', 'parent', 'events'),
]

function ruleOf(faults: readonly Fault[]): string {
  const has = (slot: string): boolean => faults.some(({ slots }) => slots.includes(slot))
  const attributes = Object.entries(RULE_PARTS).map(([slot, right]) => faults.find((fault) => fault.attribute !== undefined && fault.slots.includes(slot))?.attribute ?? right)
  const parent = faults.some(({ inside = '', slots }) => slots.includes('parent') && inside.startsWith('<if_')) ? '' : '<if_sid>501</if_sid>'
  const description = has('description') ? '' : '<description>Test rule.</description>'
  return `<rule ${attributes.filter((text) => text !== '').join(' ')}>${parent}<user>zq</user>${description}\n${faults.map(({ inside = '' }) => inside).join('\n')}\n</rule>`
}

const DECODER_FAULTS: readonly Fault[] = [
  { code: 'decoder_attribute_invalid', slots: ['more'], attribute: 'kind="x"' },
  option('decoder_element_unknown', '<zzz>x</zzz>'),
  option('regex_invalid', '<prematch>a(</prematch>', 'prematch'),
  option('decoder_prematch_offset_invalid', '<prematch offset="after_regex">a</prematch>', 'prematch'),
  option('decoder_type_invalid', '<type>x</type>'),
  option('decoder_plugin_unknown', '<plugin_decoder>x</plugin_decoder>'),
  option('decoder_order_field_invalid', '<order>a,,b</order>', 'order'),
  option('decoder_regex_without_order', '<regex>(\\d) </regex>', 'order', 'regex'),
  option('decoder_order_without_regex', '<order>id</order>', 'order', 'regex'),
  option('decoder_missing_parent', '<parent>nosuch</parent>', 'parent'),
  option('decoder_parent_is_child', '<parent>app-child</parent>', 'parent'),
  option('decoder_text_too_long', `<ftscomment>${'a'.repeat(1024)}</ftscomment>`),
  option('decoder_json_option_invalid', '<json_null_field>x</json_null_field>'),
  option('decoder_accumulate_content', '<accumulate>x</accumulate>'),
]

function decoderOf(faults: readonly Fault[]): string {
  const more = faults.find((fault) => fault.attribute !== undefined)?.attribute ?? ''
  const parent = faults.some(({ slots }) => slots.includes('parent')) ? '' : '<parent>app</parent>'
  const prematch = faults.some(({ slots }) => slots.includes('prematch')) ? '' : '<prematch>b</prematch>'
  return `<decoder name="probe" ${more}>${parent}${prematch}\n${faults.map(({ inside = '' }) => inside).join('\n')}\n</decoder>`
}

/** Returns the line of each of the two faults: that of the opening tag, or its own line. */
function linesOf(faults: readonly Fault[]): { code: string; line: number }[] {
  return faults.map(({ code, inside }, index) => ({ code, line: inside === undefined || inside === '' ? 1 : index + 2 }))
}

for (const [what, faults, build, wrap] of [
  ['rule', RULE_FAULTS, ruleOf, (rule: string) => `<group name="test,">${rule}</group>`],
  ['decoder', DECODER_FAULTS, decoderOf, (decoder: string) => decoder],
] as const) {
  const kind = what === 'rule' ? 'rules' : 'decoders'
  test(`each fault of a ${what} is reported alone`, () => {
    for (const fault of faults) {
      const [{ code, line }] = linesOf([fault])
      const found = diagnose(kind, wrap(build([fault])))
      assert.ok(
        found.some((one) => one.code === code && one.span?.line === line && one.cause === null),
        `${code}: ${found.map((one) => one.code)}`,
      )
    }
  })

  test(`any two faults of one ${what} are both reported`, () => {
    for (const [index, first] of faults.entries()) {
      for (const second of faults.slice(index + 1)) {
        if (first.slots.some((slot) => second.slots.includes(slot))) continue
        const found = diagnose(kind, wrap(build([first, second])))
        for (const { code, line } of linesOf([first, second])) {
          assert.ok(
            found.some((one) => one.code === code && one.span?.line === line && one.cause === null),
            `${code} beside ${first.code} and ${second.code}: ${found.map((one) => `${one.code}:${one.span?.line}`)}`,
          )
        }
      }
    }
  })
}

/** Faults that hide part of a rule, so that rules that seem to have no child are not reported. */
const HIDING = [
  ['xml_unclosed_element', '<rule id="100150" level="3"><if_sid>501</if_sid><match>zq<description>Test rule.</description></rule>'],
  ['xml_attribute_syntax', '<rule id="100150" level=3><if_sid>501</if_sid><match>zq</match><description>Test rule.</description></rule>'],
] as const
/** The text around the rules of a case. */
const HEAD = '<group name="test,">'
const END = '</group>'
const ABOUT_CHILDREN: ReadonlySet<string> = new Set(['rule_container_without_children', 'rule_level_zero_leaf', 'rule_orphan'])

test('any advice about a rule is reported beside any fault of another rule, in any order', () => {
  const faults = [
    ...RULE_FAULTS.filter(({ code }) => code !== 'rule_maxsize_meaning').map((fault) => [fault.code, ruleOf([fault]).replace('100100', '100150')] as const),
    ...HIDING,
  ]
  // Cases with nothing but rules, with the line of their first diagnostic.
  const cases = caseFolders('diagnostics').flatMap(({ name, files, right }) => {
    const code = name.slice(0, name.indexOf('-'))
    const [{ filename, content }] = files
    const line = diagnosticsOf(files).find((found) => found.code === code)?.span?.line
    const isRules = files.length === 1 && filename === 'rules.xml' && content.startsWith(HEAD) && content.endsWith(END)
    if (right === null || !isRules || line === undefined || code === 'rule_too_many_placements') return []
    return [{ code, line, wrong: content.slice(HEAD.length, -END.length) }]
  })
  assert.ok(cases.length > 70)
  let turn = 0
  for (const { code, wrong, line } of cases) {
    for (const [fault, rule] of faults) {
      if (ABOUT_CHILDREN.has(code) && (fault.startsWith('xml_') || /^rule_if_(?!group_missing)/.test(fault) || fault === 'rule_category_invalid')) continue
      const isFirst = turn++ % 2 === 0
      const content = (isFirst ? [rule, wrong] : [wrong, rule]).map((text) => `<group name="test,">${text}</group>`).join('\n')
      const found = diagnose('rules', content)
      const offset = isFirst ? rule.split('\n').length : 0
      const names = `${code} beside ${fault}: ${found.map((one) => `${one.code}:${one.span?.line}`)}`
      assert.ok(
        found.some((one) => one.code === code && one.span?.line === line + offset),
        names,
      )
      assert.ok(
        found.some((one) => one.code === fault && one.cause === null),
        names,
      )
    }
  }
})

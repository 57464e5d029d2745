/** Names of fields as they are written elsewhere, not in rules: with the prefix of stored alerts, or with the index of an array. Also `<status>` as a switch. */
import type { DecoderTree } from '../decoders/link.js'
import { STATIC_INDEX, type StaticFieldName } from '../event/static-fields.js'
import type { RuleNode } from '../rules/compiled-rule.js'
import { comparisonTag } from '../rules/options/comparisons.js'
import { field, STATIC_NAMES, tagOf } from '../rules/options/field.js'
import { patternOptionOf } from '../rules/options/patterns.js'
import { SWITCH_WORD } from '../rules/options/status-switch.js'
import type { RuleReporter } from '../rules/reporter.js'
import type { RuleTree } from '../rules/tree.js'
import { foldCase } from '../source/byte-string.js'
import { elementsOf } from '../xml/definition-reporter.js'
import type { XmlElement } from '../xml/node.js'
import type { CheckContext } from './context.js'
import { canHold, type DecoderFacts, type EventFacts, isOfDecoder, PLACEMENT_LIMIT, placesAbove } from './decoder-facts.js'

/** Wazuh puts fields below this member when it stores an alert. */
const STORED_PREFIX = 'data.'
/** The index of a member of an array: `items[0].type`, `items[].type`, `items.0.type`. */
const ARRAY_INDEX = /^(.+?)(?:\[(?:\d*|\*)\]|\.\d+(?=\.|$))/
/** Static fields whose names logs of other products hardly have. */
const OWN_NAMES: ReadonlySet<string> = new Set(['srcip', 'dstip', 'srcport', 'dstport', 'srcuser', 'dstuser', 'extra_data', 'system_name'])

/** Members at the top of the events of Wazuh's own integrations. */
const OWN_MEMBERS = /^(?:win|aws|gcp|office365|github|ms-graph|osquery|virustotal|vulnerability|docker|sca|audit|oscap|cis)\./

const EVENTCHANNEL = 'windows_eventchannel'

/** A name that a rule reads, and how the rule would write another one. */
interface NamedField {
  readonly name: string
  readonly element: () => XmlElement
  readonly write: (name: string) => string
}

/** Which of the names of a rule are reported here; their other diagnostics would only repeat that. */
export type WrongNames = ReadonlySet<string>

export function checkFieldNames(reporter: RuleReporter, facts: DecoderFacts, context: CheckContext): WrongNames {
  const wrong = new Set<string>()
  if (!context.ruleset.decoders.isComplete) return wrong
  let events: readonly EventFacts[] | null = null
  for (const { name, element, write } of namesIn(reporter)) {
    const folded = foldCase(name)
    const index = ARRAY_INDEX.exec(name)
    if ((!folded.startsWith(STORED_PREFIX) && index === null) || facts.allDynamic.has(folded)) continue
    events ??= facts.reaching(reporter.tree, reporter.nodes)
    const isOpen = canHold(events, { dynamic: folded })
    if (folded.startsWith(STORED_PREFIX)) {
      const known = name.slice(STORED_PREFIX.length)
      if (known === '' || (isOpen && !isStoredName(reporter, facts, context, foldCase(known)))) continue
      reporter.report('rule_field_data_prefix', element(), { field: name, known, write: write(known) })
    } else if (index !== null && isOpen) reporter.report('rule_field_array_member', element(), { field: name, known: index[1], write: write(index[1]) })
    else continue
    wrong.add(name)
  }
  return wrong
}

/** Whether the name is known without the prefix, so that a member "data" of the log is not meant. */
function isStoredName({ tree, nodes }: RuleReporter, { allDynamic }: DecoderFacts, { fieldsTested }: CheckContext, known: string): boolean {
  return OWN_NAMES.has(known) || OWN_MEMBERS.test(known) || allDynamic.has(known) || fieldsTested().has(known) || isOfDecoder(tree, nodes, EVENTCHANNEL)
}

function* namesIn({ rule, owner }: RuleReporter): Generator<NamedField> {
  const { definition } = rule
  for (const { name, elements } of definition.valueOf(field)?.accepted ?? []) {
    yield { name, element: () => elements[0], write: (known) => (STATIC_NAMES.has(known.toLowerCase()) ? `<${tagOf(known.toLowerCase())}>` : `<field name="${known}">`) }
  }
  for (const [names, tag, comparison] of [
    [definition.sameFields, 'same_field', 'same'],
    [definition.differentFields, 'different_field', 'different'],
  ] as const) {
    for (const name of names) {
      const element = (): XmlElement => elementsOf(owner, tag).find(({ content }) => content === name) ?? owner
      const write = (known: string): string => (known in STATIC_INDEX ? `<${comparisonTag(comparison, known as StaticFieldName)} />` : `<${tag}>${known}</${tag}>`)
      yield { name, element, write }
    }
  }
  for (const { field: name, element } of definition.lists) yield { name, element: () => element, write: (known) => `field="${tagOf(known)}"` }
  for (const piece of rule.description) {
    if (typeof piece === 'string') continue
    const element = (): XmlElement => elementsOf(owner, 'description').find(({ content }) => content.includes(`$(${piece.name})`)) ?? owner
    yield { name: piece.name, element, write: (known) => `$(${known})` }
  }
}

const STATUS = patternOptionOf('status')

/** Reports `<status>` as a switch, if no decoder that is known to lead here sets the field. @returns whether it was reported */
export function checkStatusSwitch(reporter: RuleReporter, facts: DecoderFacts, { ruleset }: CheckContext): boolean {
  const pattern = reporter.rule.definition.valueOf(STATUS)
  if (pattern === undefined || !SWITCH_WORD.test(pattern.text) || reporter.nodes.length > PLACEMENT_LIMIT || !ruleset.decoders.isComplete) return false
  const named = reporter.nodes.length > 0 && reporter.nodes.every((node) => namesDecoder(reporter.tree, node))
  const isSet = named ? canHold(facts.reaching(reporter.tree, reporter.nodes), { static: STATIC_INDEX.status }) : ownDecodersSetStatus(ruleset.decoders)
  if (isSet) return false
  reporter.report('rule_status_switch', pattern.elements[0], { value: pattern.text })
  return true
}

const SETS_STATUS = new WeakMap<DecoderTree, boolean>()

/** Whether a decoder that is not of the default ruleset extracts the field: a rule without `<decoded_as>` may be for its events. */
function ownDecodersSetStatus(tree: DecoderTree): boolean {
  let known = SETS_STATUS.get(tree)
  if (known === undefined) {
    known = tree.definitions.some(({ source, order }) => source.scope !== 'default' && (order ?? []).some(({ staticIndex }) => staticIndex === STATIC_INDEX.status))
    SETS_STATUS.set(tree, known)
  }
  return known
}

function namesDecoder(tree: RuleTree, node: RuleNode): boolean {
  if (node.rule.identity >= 0) return true
  for (const { rule } of placesAbove(tree, node)) if (rule.identity >= 0) return true
  return false
}

/** Reports fields that a rule needs although no decoder that leads to it fills them. */
import { STATIC_FIELDS, STATIC_INDEX } from '../event/static-fields.js'
import type { StaticFieldName } from '../event/static-fields.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import { sameElementOf } from '../rules/options/comparisons.js'
import type { CheckContext } from './context.js'
import type { DecoderFacts, EventFacts } from './decoder-facts.js'
import { canHold, dynamicNames } from './decoder-facts.js'
import { checkFieldNames, checkStatusSwitch, type WrongNames } from './field-names.js'
import type { RuleReporter } from '../rules/reporter.js'
import { elementsOf } from '../xml/definition-reporter.js'

type Field = { readonly static: number } | { readonly dynamic: string }

/** Names in `$(name)` that do not come from decoders. */
const PRE_DECODED: ReadonlySet<string> = new Set(['program_name', 'hostname'])
/** Names for which a list reads the predecoded value. */
const LIST_PRE_DECODED: ReadonlySet<string> = new Set(['hostname', 'program_name'])
/** A list treats these as dynamic fields, which decoders never fill under these names. */
const LIST_NEVER: ReadonlySet<string> = new Set(['srcuser', 'dstuser'])

export function checkFields(reporter: RuleReporter, facts: DecoderFacts, context: CheckContext): void {
  if (!context.ruleset.decoders.isComplete) return
  const wrong = checkFieldNames(reporter, facts, context)
  const isSwitch = checkStatusSwitch(reporter, facts, context)
  const { rule } = reporter
  const { definition } = rule
  const events = facts.reaching(reporter.tree, reporter.nodes)
  const open = events.some((one) => one.open)
  if (definition.ifFts && !events.some((one) => one.fts)) reporter.at('rule_if_fts_without_fts', 'if_fts', {})
  for (const { field, element } of definition.lists) {
    if (LIST_NEVER.has(field.toLowerCase())) reporter.report('rule_list_field_unresolvable', element, { value: field }, { suggestion: 'user' })
  }
  if (open) return
  for (const { kind, value } of definition.conditions) {
    for (const { name, field, element } of kind.neededFields?.(value) ?? []) {
      if (wrong.has(name) || (isSwitch && name === 'status')) continue
      if (field === 'user' ? holdsUser(events) : canHold(events, field)) continue
      const known = field !== 'user' && 'dynamic' in field ? near(reporter, name, events) : {}
      reporter.report('rule_field_never_extracted', element, { field: name }, known)
    }
  }
  for (const { field, element } of definition.lists) {
    const folded = field.toLowerCase()
    if (wrong.has(field)) continue
    if (LIST_NEVER.has(folded) || LIST_PRE_DECODED.has(folded)) continue
    const absent = folded === 'user' ? !holdsUser(events) : !canHold(events, fieldNamed(folded, field))
    if (absent) reporter.report('rule_list_field_unresolvable', element, { value: field }, near(reporter, field, events))
  }
  for (const name of definition.sameFields) {
    if (wrong.has(name) || isStatic(name) || canHold(events, { dynamic: foldCase(name) })) continue
    const element = elementsOf(reporter.owner, 'same_field').find(({ content }) => content === name) ?? reporter.owner
    reporter.report('rule_same_field_never_extracted', element, { tag: 'same_field', field: name }, near(reporter, name, events))
  }
  for (const field of definition.same) {
    if (!(field in STATIC_INDEX) || canHold(events, { static: STATIC_INDEX[field as StaticFieldName] })) continue
    const element = sameElementOf(definition, field)
    reporter.report('rule_same_field_never_extracted', element, { tag: element.name, field })
  }
  checkDescription(reporter, events, wrong)
}

/** The static field of a name, or else the dynamic one. */
function fieldNamed(staticName: string, name: string): Field {
  return staticName in STATIC_INDEX ? { static: STATIC_INDEX[staticName as StaticFieldName] } : { dynamic: foldCase(name) }
}

function isStatic(name: string): boolean {
  return name.toLowerCase() in STATIC_INDEX
}

function holdsUser(events: readonly EventFacts[]): boolean {
  return canHold(events, { static: STATIC_INDEX.dstuser }) || canHold(events, { static: STATIC_INDEX.srcuser })
}

function near({ collector }: RuleReporter, name: string, events: readonly EventFacts[]): { suggestion: string | null } {
  return { suggestion: collector.suggest(fromByteString(name), () => dynamicNames(events).map(fromByteString)) }
}

function checkDescription(reporter: RuleReporter, events: readonly EventFacts[], wrong: WrongNames): void {
  const said = new Set<string>(wrong)
  for (const piece of reporter.rule.description) {
    if (typeof piece === 'string' || PRE_DECODED.has(piece.name) || said.has(piece.name)) continue
    said.add(piece.name)
    const known = STATIC_FIELDS.some((field) => field === piece.name)
    if (canHold(events, known ? { static: STATIC_INDEX[piece.name as StaticFieldName] } : { dynamic: foldCase(piece.name) })) continue
    const element = elementsOf(reporter.owner, 'description').find(({ content }) => content.includes(`$(${piece.name})`)) ?? reporter.owner
    reporter.report('rule_description_unknown_field', element, { field: piece.name }, near(reporter, piece.name, events))
  }
}

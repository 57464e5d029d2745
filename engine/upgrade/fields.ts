/** Finds fields that own rules read (in conditions, lists, comparisons and descriptions) and that the decoders of the new ruleset set no more, or by another name. */
import { canHold, decoderFacts } from '../checks/decoder-facts.js'
import type { Replacement } from '../diagnostics/fixes.js'
import type { DecoderDefinition } from '../event/decoder.js'
import { STATIC_FIELDS, STATIC_INDEX, type StaticFieldName } from '../event/static-fields.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { pathTo } from '../rules/placement-path.js'
import { COMPARED_FIELDS } from '../rules/options/comparisons.js'
import type { ConditionKind } from '../rules/options/option.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import type { XmlElement } from '../xml/node.js'
import type { UpgradeFinding } from './findings.js'
import { replaceWord, type UpgradeSides } from './sides.js'

/** Placements of a rule that are looked at. */
const PLACES_LIMIT = 64

/** A field where a rule reads it. */
interface ReadField {
  /** Any of them will do. Byte strings, those of dynamic fields folded. */
  readonly names: readonly string[]
  readonly element: XmlElement
}

const USERS: readonly StaticFieldName[] = ['dstuser', 'srcuser']

/** A field that a decoder sets under another name. */
interface Renaming {
  readonly decoder: DecoderDefinition
  readonly now: string
}

export function findFields(sides: UpgradeSides): UpgradeFinding[] {
  const renamings = renamedFields(sides)
  return sides.rules.flatMap((rule) => {
    const found = new Map<string, UpgradeFinding>()
    for (const read of fieldsRead(rule)) {
      // One finding for each field and tag: a correction changes one place.
      const key = `${read.names.join()} ${read.element.start}`
      if (found.has(key)) continue
      const finding = fieldFinding(sides, rule, read, renamings)
      if (finding !== null) found.set(key, finding)
    }
    return [...found.values()]
  })
}

function fieldFinding(sides: UpgradeSides, rule: CompiledRule, { names, element }: ReadField, renamings: ReadonlyMap<string, readonly Renaming[]>): UpgradeFinding | null {
  const known = names.filter((name) => mayRead(sides.old.own, rule.id, name))
  if (known.length === 0) return null
  const decoders = decodersOf(sides.old.own, rule.id)
  const fitting = known.flatMap((name) => renamings.get(name) ?? []).filter(({ decoder, now }) => isFor(decoder, decoders) && mayRead(sides.to, rule.id, now))
  const [first] = fitting
  const field = fromByteString(known[0])
  const params = first === undefined ? null : { field, now: fromByteString(first.now), decoder: fromByteString(first.decoder.name) }
  if (names.some((name) => mayRead(sides.to, rule.id, name))) return params === null ? null : sides.atRule('field_partly_renamed', rule, element, params)
  if (sides.to.rules.find(rule.id) === undefined) return null
  if (params === null || fitting.some(({ now }) => now !== first.now)) return sides.atRule('field_gone', rule, element, { field })
  return sides.atRule('field_renamed', rule, element, params, { edits: renameIn(rule, element, known[0], first.now) })
}

/** Whether an event that reaches a rule may have a field. */
function mayRead({ rules, decoders, identities }: CompiledRuleset, id: number, name: string): boolean {
  const facts = decoderFacts(decoders, identities).reaching(rules, rules.placements(id))
  return canHold(facts, name in STATIC_INDEX ? { static: STATIC_INDEX[name as StaticFieldName] } : { dynamic: name })
}

/** Names of the decoders whose events a rule is for. Empty: those of any. */
function decodersOf({ rules }: CompiledRuleset, id: number): ReadonlySet<string> {
  const paths = rules.placements(id).slice(0, PLACES_LIMIT)
  return new Set(paths.flatMap((node) => pathTo(rules, node)).flatMap(({ rule: { definition } }) => (definition.decodedAs === null ? [] : [definition.decodedAs.name])))
}

function isFor({ name, parent }: DecoderDefinition, decoders: ReadonlySet<string>): boolean {
  return decoders.size === 0 || decoders.has(name) || (parent !== null && decoders.has(parent))
}

function* fieldsRead({ definition, description }: CompiledRule): Generator<ReadField> {
  const { element } = definition
  for (const { kind, value } of definition.conditions) {
    for (const { name, field, element: place } of (kind as ConditionKind).neededFields?.(value) ?? []) {
      yield { names: field === 'user' ? USERS : ['dynamic' in field ? field.dynamic : name], element: place }
    }
  }
  for (const { field, element: place } of definition.lists) yield { names: field.toLowerCase() === 'user' ? USERS : [foldCase(field)], element: place }
  for (const child of element.children) {
    const tag = child.name.toLowerCase()
    if (tag === 'same_field' || tag === 'different_field' || tag === 'not_same_field') yield { names: [foldCase(child.content)], element: child }
    const compared = COMPARED_FIELDS.get(tag)
    if (compared !== undefined && compared in STATIC_INDEX) yield { names: [compared], element: child }
    if (tag !== 'description') continue
    for (const piece of description) if (typeof piece !== 'string' && child.content.includes(`$(${piece.name})`)) yield { names: [foldCase(piece.name)], element: child }
  }
}

/** Old names of fields with the decoders that set them by another name: the group of the same pattern, or at the same place of an equally long order. */
function renamedFields(sides: UpgradeSides): ReadonlyMap<string, readonly Renaming[]> {
  const { old, now } = sides
  const found = new Map<string, Renaming[]>()
  const later = byName(now.base)
  for (const [name, definitions] of byName(old.base)) {
    const others = later.get(name) ?? []
    for (const [index, decoder] of definitions.entries()) {
      const same = others.find(({ regex }) => regex !== null && regex.text === decoder.regex?.text) ?? (others.length === definitions.length ? others[index] : undefined)
      const [before, after] = [orderOf(decoder), orderOf(same)]
      if (same === undefined || sides.isOwn(decoder) || before.length !== after.length) continue
      for (const [at, word] of before.entries()) {
        if (word === after[at] || after.includes(word) || before.includes(after[at])) continue
        found.set(word, [...(found.get(word) ?? []), { decoder, now: after[at] }])
      }
    }
  }
  return found
}

function byName({ decoders }: CompiledRuleset): Map<string, DecoderDefinition[]> {
  const names = new Map<string, DecoderDefinition[]>()
  for (const definition of decoders.definitions) {
    const known = names.get(definition.name)
    if (known === undefined) names.set(definition.name, [definition])
    else known.push(definition)
  }
  return names
}

function orderOf(decoder: DecoderDefinition | undefined): string[] {
  return (decoder?.order ?? []).map(({ name, staticIndex }) => (staticIndex >= 0 ? STATIC_FIELDS[staticIndex] : foldCase(name)))
}

/** Writes the new name where the tag stays the same: a field with a tag of its own needs another tag, which somebody has to write. */
function renameIn({ definition }: CompiledRule, element: XmlElement, name: string, now: string): Replacement[] {
  const tag = element.name.toLowerCase()
  const text = fromByteString(now)
  if (tag === 'description') {
    if (element.substituted) return []
    const written = definition.source.bytes.slice(element.contentStart, element.contentEnd)
    return [...written.matchAll(/\$\(([^)]*)\)/g)]
      .filter(([, word]) => foldCase(word) === name)
      .map(({ index, 1: word }) => {
        const start = element.contentStart + index + 2
        return { start, end: start + word.length, text }
      })
  }
  if (tag.endsWith('_field') && tag.length > '_field'.length) return now in STATIC_INDEX ? [] : replaceWord(definition, element, element.content, text)
  const attribute = element.attributes.find((one) => one.name.toLowerCase() === (tag === 'list' ? 'field' : 'name'))
  if ((tag !== 'list' && (tag !== 'field' || now in STATIC_INDEX)) || attribute === undefined || foldCase(attribute.value) !== name) return []
  return [{ start: attribute.valueStart, end: attribute.valueEnd, text }]
}

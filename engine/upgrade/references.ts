/** Finds what own content names and an upgrade takes away or moves: parents, counted rules, decoders, groups and lists; and ids and names that are now taken. */
import { parentIds } from '../rules/options/if-sid.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { pathTo } from '../rules/placement-path.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'
import type { XmlElement } from '../xml/node.js'
import { namesPhrase, type UpgradeFinding } from './findings.js'
import { hasDecoder, replaceWord, type UpgradeSides } from './sides.js'

/** The first id that Wazuh leaves to own rules, and the last id. */
const FIRST_OWN_ID = 100_000
const LAST_ID = 999_999
/** Placements of a rule of which the paths are compared. */
const PLACES_LIMIT = 32
/** Options that name rules by their ids. */
const BY_ID: ReadonlySet<string> = new Set(['if_sid', 'if_matched_sid'])
const BY_GROUP: ReadonlySet<string> = new Set(['if_group', 'if_matched_group'])

export function findReferences(sides: UpgradeSides): UpgradeFinding[] {
  const free = freeIds(sides)
  return [
    ...sides.rules.flatMap((rule) => [...ownIdFindings(sides, rule, free), ...ruleFindings(sides, rule)]),
    ...sides.decoders.flatMap((decoder): UpgradeFinding[] => {
      const { name, parent, element } = decoder
      const found: UpgradeFinding[] = []
      if (!hasDecoder(sides.old.base, name) && hasDecoder(sides.now.base, name)) found.push(sides.atDecoder('decoder_taken', decoder, element, { decoder: fromByteString(name) }))
      if (parent === null) return found
      const place = element.children.find((child) => child.name.toLowerCase() === 'parent') ?? element
      const now = sides.newDecoders.get(fromByteString(parent))
      if (sides.isDecoderGone(parent)) {
        const params = { decoder: fromByteString(parent), now: now ?? '' }
        found.push(
          sides.atDecoder(now === undefined ? 'decoder_gone' : 'decoder_renamed', decoder, place, params, now === undefined ? [] : replaceWord(decoder, place, parent, now)),
        )
      } else {
        const moved = movedDecoder(sides, parent)
        if (moved !== null) found.push(sides.atDecoder('decoder_moved', decoder, place, moved))
      }
      return found
    }),
  ]
}

function ownIdFindings(sides: UpgradeSides, rule: CompiledRule, nextFree: () => number): UpgradeFinding[] {
  const { id, definition } = rule
  const [before, after] = [sides.old.base.rules.find(id), sides.now.base.rules.find(id)]
  if (definition.overwrite && before !== undefined && after === undefined) return [sides.atRule('overwrite_target_gone', rule, definition.element, {})]
  if (before !== undefined || after === undefined) return []
  const params = { free: nextFree(), description: fromByteString(after.definition.description ?? '') }
  return [sides.atRule(definition.overwrite ? 'overwrite_takes_new' : 'id_taken', rule, definition.element, params)]
}

function freeIds(sides: UpgradeSides): () => number {
  let next = FIRST_OWN_ID
  return () => {
    while (next < LAST_ID && (sides.isOwnRule(next) || sides.now.base.rules.find(next) !== undefined)) next++
    return next++
  }
}

function ruleFindings(sides: UpgradeSides, rule: CompiledRule): UpgradeFinding[] {
  const { definition } = rule
  const found: UpgradeFinding[] = []
  for (const element of definition.element.children) {
    const option = element.name.toLowerCase()
    // An overwrite keeps the parents of the original.
    if (BY_ID.has(option) && !definition.overwrite) found.push(...parentFindings(sides, rule, element, option))
    else if (BY_GROUP.has(option) && !definition.overwrite) found.push(...groupFindings(sides, rule, element, option))
    else if (option === 'decoded_as') found.push(...decoderFindings(sides, rule, element))
  }
  for (const { path, element } of definition.lists)
    if (sides.old.own.lists.has(path) && !sides.now.own.lists.has(path)) found.push(sides.atRule('list_gone', rule, element, { list: fromByteString(path) }))
  return found
}

function parentFindings(sides: UpgradeSides, rule: CompiledRule, element: XmlElement, option: string): UpgradeFinding[] {
  return [...new Set(idsIn(element.content))].flatMap((parent): UpgradeFinding[] => {
    const now = sides.newIds.get(String(parent))
    if (sides.isRuleGone(parent)) {
      const params = { parent, option, now: now ?? '' }
      return [
        sides.atRule(now === undefined ? 'parent_gone' : 'parent_renumbered', rule, element, params, {
          edits: now === undefined ? [] : replaceWord(rule.definition, element, String(parent), now),
        }),
      ]
    }
    const [before, after] = [parentsOf(sides.old.base, parent), parentsOf(sides.now.base, parent)]
    if (sides.isOwnRule(parent) || before === null || after === null || before.join() === after.join()) return []
    return [sides.atRule('parent_moved', rule, element, { parent, before: namesPhrase(before, 'top', sides.locale), after: namesPhrase(after, 'top', sides.locale) })]
  })
}

/** The ids of a text; those that cannot be read are not Wazuh's either. */
function idsIn(text: string): number[] {
  return /^[\d\s,]+$/.test(text) ? parentIds(text.replace(/[\s,]+$/, '')) : []
}

/** Rules on the ways to a rule, each way as ids. Null: there is no such rule. */
function parentsOf({ rules }: CompiledRuleset, id: number): string[] | null {
  const placements = rules.placements(id)
  if (placements.length === 0) return null
  const paths = placements.slice(0, PLACES_LIMIT).map((node) =>
    pathTo(rules, node)
      .slice(0, -1)
      .map((above) => above.rule.id)
      .join(' > '),
  )
  return [...new Set(paths)].sort()
}

function groupFindings(sides: UpgradeSides, rule: CompiledRule, element: XmlElement, option: string): UpgradeFinding[] {
  const pattern = element.content
  const idsOf = ({ rules }: CompiledRuleset): string[] => [...new Set(rules.withGroup(pattern, rule.id).map((node) => String(node.rule.id)))]
  const [before, after] = [idsOf(sides.old.base), idsOf(sides.now.base)]
  const lost = before.filter((id) => !after.includes(id))
  const gained = after.filter((id) => !before.includes(id))
  if (lost.length + gained.length === 0) return []
  const group = fromByteString(pattern)
  if (idsOf(sides.to).length === 0) return [sides.atRule('group_gone', rule, element, { group, option })]
  return [sides.atRule('group_changed', rule, element, { group, option, lost: namesPhrase(lost, 'nothing', sides.locale), gained: namesPhrase(gained, 'nothing', sides.locale) })]
}

function decoderFindings(sides: UpgradeSides, rule: CompiledRule, element: XmlElement): UpgradeFinding[] {
  const name = element.content
  const decoder = fromByteString(name)
  if (sides.isDecoderGone(name)) {
    const now = sides.newDecoders.get(decoder)
    const edits = now === undefined ? [] : replaceWord(rule.definition, element, name, now)
    return [sides.atRule(now === undefined ? 'decoder_gone' : 'decoder_renamed', rule, element, { decoder, now: now ?? '' }, { edits })]
  }
  const moved = movedDecoder(sides, name)
  return moved === null ? [] : [sides.atRule('decoder_moved', rule, element, moved)]
}

/** The parents of the decoders of a name, where they are others now. */
function movedDecoder(sides: UpgradeSides, name: string): { readonly decoder: string; readonly before: string; readonly after: string } | null {
  if (sides.isOwnDecoder(name)) return null
  const [before, after] = [sides.old.base, sides.now.base].map(({ decoders }) => {
    const own = decoders.definitions.filter((definition) => definition.name === name)
    return { count: own.length, parents: [...new Set(own.flatMap(({ parent }) => (parent === null ? [] : [fromByteString(parent)])))].sort() }
  })
  if (before.count === 0 || after.count === 0 || before.parents.join('\n') === after.parents.join('\n')) return null
  return { decoder: fromByteString(name), before: namesPhrase(before.parents, 'root', sides.locale), after: namesPhrase(after.parents, 'root', sides.locale) }
}

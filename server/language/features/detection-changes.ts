/** What the rules that were changed since the last commit do differently: a lens above each of them, and the event that shows it in the hover. A host compares (`ContentFolder.compareWithHead`). */
import type { BehaviourAnswer, Locale } from '#engine'
import type { CodeLens } from 'vscode-languageserver-types'
import type { ComparedItem } from '../content/content-folder.js'
import type { ContentDocument } from '../content/document.js'
import { type Words, WORDS } from '../words.js'
import { fenced } from './markdown.js'

/** Differences of a hover. */
const SHOWN = 3
/** Units of an event in a hover. */
const EVENT_UNITS = 600

/** What one change does, with everything that is touched through it. */
interface ChangeOfRule {
  /** The difference of the changed rule. */
  readonly own: ComparedItem
  readonly differing: readonly ComparedItem[]
}

/** The comparison of one moment with the last commit. */
export class DetectionChanges {
  readonly #changes = new Map<string, ChangeOfRule>()

  /** @param records of the comparison */
  constructor(records: readonly ComparedItem[]) {
    const differing = new Map<string, ComparedItem[]>()
    for (const record of records) {
      // From the change to the item.
      const cause = record.cause.at(0) ?? record.item
      if (record.result !== 'differs' || !('rule_id' in cause)) continue
      differing.set(cause.rule_id, [...(differing.get(cause.rule_id) ?? []), record])
    }
    for (const own of records) if ('rule_id' in own.item && own.how !== 'touched') this.#changes.set(own.item.rule_id, { own, differing: differing.get(own.item.rule_id) ?? [] })
  }

  /** A lens for each rule of the document that was changed. */
  lenses({ names, positions }: ContentDocument, locale: Locale): CodeLens[] {
    return names.rules.flatMap(({ id, element }) => {
      const change = this.#changes.get(id)
      return change === undefined ? [] : [{ range: positions.range(element.start, element.nameEnd), command: { title: titleOf(change, WORDS[locale]), command: '' } }]
    })
  }

  /** What a hover over the rule says in Markdown; null: it was not changed. */
  describe(id: string, locale: Locale): string | null {
    const change = this.#changes.get(id)
    if (change === undefined) return null
    const words = WORDS[locale]
    const shown = change.differing.slice(0, SHOWN).map((record) => describeDifference(record, words))
    const rest = change.differing.length - shown.length
    return [`**${words.sinceCommit}**: ${titleOf(change, words)}`, ...shown, ...(rest > 0 ? [words.and(rest)] : [])].join('\n\n')
  }
}

function titleOf({ own, differing }: ChangeOfRule, words: Words): string {
  if (differing.length === 0) return own.result === 'unknown' ? words.changeUnknown : own.proven ? words.changesNothing : words.noChangeFound
  // Rules, each once, also if several events show it.
  const rules = { lost: new Set<string>(), gained: new Set<string>(), other: new Set<string>() }
  for (const record of differing) {
    const kind = record.effect === 'lost' || record.effect === 'gained' ? record.effect : 'other'
    rules[kind].add((kind === 'gained' ? record.new : record.old)?.rule_id ?? '')
  }
  return words.changesDetection(rules.gained.size, rules.lost.size, rules.other.size)
}

function describeDifference(record: ComparedItem, words: Words): string {
  const events = record.witness?.events ?? []
  const event = events.at(-1)?.event ?? ''
  const cut = event.length > EVENT_UNITS ? `${event.slice(0, EVENT_UNITS)}…` : event
  const more = events.length > 1 ? ` (${words.lastOf(events.length)})` : ''
  return `*${words.effects[record.effect ?? 'fields']}*: ${answerOf(record.old, words)} → ${answerOf(record.new, words)}${more}\n\n${fenced(cut)}`
}

function answerOf(answer: BehaviourAnswer | null, words: Words): string {
  return answer === null || answer.rule_id === null ? words.noRule : `${words.rule} ${answer.rule_id} (${words.level} ${answer.level ?? 0})`
}

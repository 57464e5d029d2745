/** What two rulesets do differently, for people: by cause, with one event for each kind of difference. As text, and as a page. */
import type { BehaviourAnswer, BehaviourComparison, BehaviourEvent, BehaviourRecord, Difference, ItemRecord, Locale } from '#engine'
import { behaviourRecord, differencesOf } from '#engine'
import { html, type Markup } from '../../core/http/text/html.js'
import { reportPage, section } from '../../core/report-page/page.js'
import { type Row, table } from '../../core/report-page/table.js'
import type { Palette } from '../terminal/palette.js'
import { printable, shorten } from '../terminal/printable.js'
import { BEHAVIOUR_WORDS, type BehaviourWords } from './behaviour-words.js'

/** Characters of an event that are shown; `--jsonl` has all. */
const EVENT_SHOWN = 240
/** Differences of one cause that are shown; the others are counted. */
const DIFFERENCES_SHOWN = 12
/** Names of items that are listed. */
const NAMES_SHOWN = 20

interface CauseGroup {
  readonly cause: ItemRecord
  readonly changes: readonly string[]
  readonly differences: readonly Difference[]
  /** Items without a difference, by what is known of them. */
  readonly proven: readonly ItemRecord[]
  readonly searched: readonly ItemRecord[]
  readonly unknown: readonly ItemRecord[]
}

/** @param isVerbose whether items without a difference are named as well */
export function describeBehaviour(comparison: BehaviourComparison, isVerbose: boolean, locale: Locale, paint: Palette): string {
  const words = BEHAVIOUR_WORDS[locale]
  const lines: string[] = []
  for (const group of groupsOf(comparison)) {
    if (group.differences.length === 0 && !isVerbose) continue
    lines.push(paint.bold(printable(headingOf(group, words))))
    for (const { effect, record, others } of group.differences.slice(0, DIFFERENCES_SHOWN)) {
      const painted = effect === 'lost' ? paint.error : effect === 'gained' ? paint.warning : paint.info
      lines.push(`  ${painted(words.effects[effect])}: ${printable(`${nameOf(record.item, words)}: ${answerText(record.old, words)} → ${answerText(record.new, words)}`)}`)
      for (const event of record.witness?.events ?? []) lines.push(paint.dim(`    ${printable(eventText(event, words))}`))
      for (const text of fieldTexts(record, words)) lines.push(`    ${printable(text)}`)
      if (others.length > 0) lines.push(`    ${words.likewise(namesOf(others, words))}`)
    }
    const hidden = group.differences.length - DIFFERENCES_SHOWN
    if (hidden > 0) lines.push(`  ${words.more(hidden)}`)
    if (isVerbose) for (const text of equalTexts(group, words)) lines.push(`  ${printable(text)}`)
    lines.push('')
  }
  return `${[...lines, ...summaryOf(comparison, words)].join('\n')}\n`
}

/** A page of its own, without scripts. */
export function behaviourPage(comparison: BehaviourComparison, title: string, locale: Locale): string {
  const words = BEHAVIOUR_WORDS[locale]
  const sections = groupsOf(comparison).map((group) => {
    const rows = group.differences.map(({ effect, record, others }): Row => {
      const events = (record.witness?.events ?? []).map((event) => html`<pre>${eventText(event, words, Number.POSITIVE_INFINITY)}</pre>`)
      const notes = [...fieldTexts(record, words), ...(others.length > 0 ? [words.likewise(namesOf(others, words))] : [])]
      return [{ solid: words.effects[effect] }, nameOf(record.item, words), answerText(record.old, words), answerText(record.new, words), html`${events}${paragraphs(notes)}`]
    })
    return section(headingOf(group, words), html`${rows.length === 0 ? '' : table(words.columns, rows, 'stacked')}${paragraphs(equalTexts(group, words))}`)
  })
  return reportPage({ locale, title, heading: title, lead: paragraphs(summaryOf(comparison, words)), sections })
}

function paragraphs(texts: readonly string[]): Markup[] {
  return texts.map((text) => html`<p>${text}</p>`)
}

function groupsOf({ items }: BehaviourComparison): CauseGroup[] {
  const groups = new Map<string, BehaviourRecord[]>()
  for (const item of items) {
    const record = behaviourRecord(item)
    const key = JSON.stringify(originOf(record))
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [record])
    else known.push(record)
  }
  return [...groups.values()].map((records) => {
    const cause = originOf(records[0])
    const isCause = (record: BehaviourRecord): boolean => JSON.stringify(record.item) === JSON.stringify(cause)
    const equal = records.filter(({ result }) => result === 'equal')
    return {
      cause,
      changes: records.find(isCause)?.changes ?? [],
      differences: differencesOf(records),
      proven: equal.filter(({ proven }) => proven).map(({ item }) => item),
      searched: equal.filter(({ proven }) => !proven).map(({ item }) => item),
      unknown: records.filter(({ result }) => result === 'unknown').map(({ item }) => item),
    }
  })
}

function originOf({ cause: [first], item }: BehaviourRecord): ItemRecord {
  if (first === undefined) return item
  return 'rule_id' in first ? { rule_id: first.rule_id } : { decoder: first.decoder }
}

function headingOf({ cause, changes }: CauseGroup, words: BehaviourWords): string {
  return `${nameOf(cause, words)}${changes.length === 0 ? '' : ` (${changes.map((change) => words.changes[change] ?? change).join(', ')})`}`
}

function nameOf(item: ItemRecord, words: BehaviourWords): string {
  return 'rule_id' in item ? words.rule(item.rule_id) : words.decoder(item.decoder)
}

function namesOf(items: readonly ItemRecord[], words: BehaviourWords): string {
  const names = items.slice(0, NAMES_SHOWN).map((item) => ('rule_id' in item ? item.rule_id : item.decoder))
  return items.length > NAMES_SHOWN ? `${names.join(', ')}, ${words.more(items.length - NAMES_SHOWN)}` : names.join(', ')
}

export function answerText(answer: BehaviourAnswer | null, words: BehaviourWords): string {
  if (answer === null) return words.noRule
  return answer.rule_id === null ? words.onlyDecoded(answer.decoder) : words.answer(answer.rule_id, answer.level ?? 0)
}

export function eventText({ event, advance, location }: BehaviourEvent, words: BehaviourWords, limit = EVENT_SHOWN): string {
  return `${advance === undefined ? '' : `${words.later(advance)} `}${location === undefined ? '' : `[${location}] `}${shorten(event, limit)}`
}

function fieldTexts({ lost_fields }: BehaviourRecord, words: BehaviourWords): string[] {
  return lost_fields.map(({ name, renamed, readers }) => words.lostField(name, renamed, readers.join(', ')))
}

function equalTexts({ proven, searched, unknown }: CauseGroup, words: BehaviourWords): string[] {
  return [
    ...(proven.length > 0 ? [words.proven(namesOf(proven, words))] : []),
    ...(searched.length > 0 ? [words.searched(namesOf(searched, words))] : []),
    ...(unknown.length > 0 ? [words.unknown(namesOf(unknown, words))] : []),
  ]
}

function summaryOf({ items, more, complete }: BehaviourComparison, words: BehaviourWords): string[] {
  const count = (result: BehaviourRecord['result'], proven?: boolean): number =>
    items.filter((item) => item.result === result && (proven === undefined || item.proven === proven)).length
  const [differ, provenCount, searched, unknown] = [count('differs'), count('equal', true), count('equal', false), count('unknown')]
  return [
    items.length === 0 ? words.nothing : words.summary(differ, provenCount, searched, unknown),
    ...(more > 0 ? [words.beyond(more)] : []),
    ...(complete ? [] : [words.incomplete]),
  ]
}

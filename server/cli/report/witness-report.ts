/** Reports of `generate`: for people, as suites of cases, and as a page. */
import { type CompiledRule, type EventRunner, fromByteString, type Locale, type WitnessEventRecord, type WitnessRecord, witnessCases, witnessSection } from '#engine'
import { html, type Markup } from '../../core/http/text/html.js'
import { formatMs, formatNumber, percent } from '../terminal/numbers.js'
import { type Palette, paintLevel } from '../terminal/palette.js'
import { printable } from '../terminal/printable.js'

/** Events of a sequence that are shown, from its beginning; the last one is always shown. */
const EVENTS_SHOWN = 2

const WORDS = {
  'en-US': {
    status: { fires: 'fires', cannot_fire: 'cannot fire', unknown: 'unknown' },
    near: (option: string) => `not ${option}`,
    more: (count: string) => `… ${count} more events`,
    after: (seconds: string) => `after ${seconds} s`,
    total: (fires: string, cannot: string, unknown: string, share: string) => `${fires} rules fire (${share} of those that can), ${cannot} cannot, ${unknown} unknown`,
    title: 'Events for rules',
    columns: ['Rule', 'Level', 'Description', 'Result', 'Events or reason'],
    section: (id: string) => `no case in this format for rule ${id}`,
  },
  'pt-BR': {
    status: { fires: 'dispara', cannot_fire: 'não pode disparar', unknown: 'desconhecida' },
    near: (option: string) => `sem ${option}`,
    more: (count: string) => `… mais ${count} eventos`,
    after: (seconds: string) => `depois de ${seconds} s`,
    total: (fires: string, cannot: string, unknown: string, share: string) => `${fires} regras disparam (${share} das que podem), ${cannot} não podem, ${unknown} desconhecidas`,
    title: 'Eventos para regras',
    columns: ['Regra', 'Nível', 'Descrição', 'Resultado', 'Eventos ou motivo'],
    section: (id: string) => `nenhum caso neste formato para a regra ${id}`,
  },
} as const satisfies Record<Locale, unknown>

/** @param file name of the file, where it is another one than that of the rule before */
export function describeWitness(record: WitnessRecord, rule: CompiledRule | undefined, file: string | null, locale: Locale, paint: Palette): string {
  const { rule_id, status, events, near, reason } = record
  const words = WORDS[locale]
  const lines: string[] = file === null ? [] : ['', paint.bold(printable(file))]
  const painted = { fires: paint.good, cannot_fire: paint.warning, unknown: paint.error }[status](words.status[status])
  const level = rule === undefined ? '' : paintLevel(paint, rule.level, String(rule.level).padStart(2))
  lines.push(`${paint.accent(rule_id.padEnd(6))} ${level} ${painted}  ${paint.dim(printable(descriptionOf(rule)))}`)
  if (reason !== null) lines.push(`       ${printable(reason.text)} ${paint.dim(`[${reason.code}]`)}`)
  lines.push(...eventLines(events, '       ', locale, paint))
  for (const { option, field, events: theirs, rule_id: other } of near) {
    lines.push(
      `     ${paint.dim(`${words.near(`<${option}${field === null ? '' : ` name="${printable(field)}"`}>`)} → ${other ?? '-'}`)}`,
      ...eventLines(theirs, '       ', locale, paint),
    )
  }
  return `${lines.join('\n')}\n`
}

export function describeWitnessTotals(records: readonly WitnessRecord[], elapsedMs: number, locale: Locale, paint: Palette): string {
  const count = (status: WitnessRecord['status']): number => records.filter((record) => record.status === status).length
  const [fires, cannot, unknown] = [count('fires'), count('cannot_fire'), count('unknown')]
  const number = (value: number): string => formatNumber(value, locale)
  return `\n${WORDS[locale].total(number(fires), number(cannot), number(unknown), percent(fires, fires + unknown, locale))} ${paint.dim(`(${formatMs(elapsedMs, locale)})`)}\n`
}

function eventLines(events: readonly WitnessEventRecord[], indent: string, locale: Locale, paint: Palette): string[] {
  const words = WORDS[locale]
  const lines: string[] = []
  for (const [index, { event, location, advance = 1 }] of events.entries()) {
    if (index >= EVENTS_SHOWN && index < events.length - 1) {
      if (index === EVENTS_SHOWN) lines.push(`${indent}${paint.dim(words.more(formatNumber(events.length - 1 - EVENTS_SHOWN, locale)))}`)
      continue
    }
    const notes = [...(location === undefined ? [] : [printable(location)]), ...(advance === 1 ? [] : [words.after(formatNumber(advance, locale))])]
    lines.push(`${indent}${printable(event)}${notes.length === 0 ? '' : ` ${paint.dim(`(${notes.join(', ')})`)}`}`)
  }
  return lines
}

function descriptionOf(rule: CompiledRule | undefined): string {
  return fromByteString(rule?.definition.description ?? '')
}

/** Writers of the files of `--output`. */
export const WITNESS_FILES = {
  json: (runner: EventRunner, records: readonly WitnessRecord[], locale: Locale): string =>
    `${JSON.stringify({ cases: records.flatMap((record) => witnessCases(runner, record, locale)) }, null, 2)}\n`,
  ini: (runner: EventRunner, records: readonly WitnessRecord[], locale: Locale): string =>
    records
      .map(
        (record) =>
          witnessSection(runner, record, locale) ?? `; ${WORDS[locale].section(record.rule_id)}: ${printable(record.reason?.text ?? WORDS[locale].status[record.status])}\n`,
      )
      .join('\n'),
  jsonl: (_: EventRunner, records: readonly WitnessRecord[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join(''),
  html: (runner: EventRunner, records: readonly WitnessRecord[], locale: Locale): string => witnessPage(runner, records, locale),
} as const

function witnessPage({ ruleset }: EventRunner, records: readonly WitnessRecord[], locale: Locale): string {
  const words = WORDS[locale]
  const rows = records.map((record): Markup => {
    const { rule_id, status, events, near, reason } = record
    const rule = ruleset.rules.find(Number(rule_id))
    const list = (all: readonly WitnessEventRecord[]): Markup =>
      html`<ol>${all.map(({ event, location }) => html`<li><code>${event}</code>${location === undefined ? '' : ` (${location})`}</li>`)}</ol>`
    const others = near.map(({ option, field, events: theirs }) => html`<p>${words.near(`<${option}${field === null ? '' : ` name="${field}"`}>`)}</p>${list(theirs)}`)
    return html`<tr class="${status}"><td>${rule_id}</td><td>${rule?.level ?? ''}</td><td>${descriptionOf(rule)}</td><td>${words.status[status]}</td><td>${reason === null ? list(events) : reason.text}${others}</td></tr>`
  })
  return html`<!doctype html>
<html lang="${locale}"><head><meta charset="utf-8"><title>${words.title}</title><style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; color-scheme: light dark }
table { border-collapse: collapse } td, th { border: 1px solid #8886; padding: .3rem .6rem; text-align: left; vertical-align: top }
code { overflow-wrap: anywhere } ol { margin: 0; padding-left: 1.5rem } .cannot_fire td:nth-child(4) { color: #b60 } .unknown td:nth-child(4) { color: #c22 }
</style></head><body><h1>${words.title}</h1><table><thead><tr>${words.columns.map((column) => html`<th>${column}</th>`)}</tr></thead><tbody>${rows}</tbody></table></body></html>
`.text
}

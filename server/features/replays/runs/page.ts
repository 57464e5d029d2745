/** The result of a replay as a page. */
import type { Locale } from '../../../core/i18n/locale.js'
import { html, type Markup } from '../../../core/http/text/html.js'
import { reportPage, section } from '../../../core/report-page/page.js'
import { list, PRINTED, type Row } from '../../../core/report-page/table.js'
import type { ReplayReport, ReplayRule } from './schema.js'

/** A number, and how it is written. */
interface Count {
  readonly value: number
  readonly shown: string
}

/** The number with the words that it takes. */
const counting =
  (one: string, others: string) =>
  ({ value, shown }: Count): string =>
    `${shown} ${value === 1 ? one : others}`

const ENGLISH = {
  lines: counting('line', 'lines'),
  alerts: counting('alert', 'alerts'),
  areNew: counting('is new', 'are new'),
  areLost: counting('is lost', 'are lost'),
  wrong: counting('line is no event', 'lines are no event'),
  notRun: counting('event was not run', 'events were not run'),
  late: counting('event came too late for it', 'events came too late for it'),
  timeless: counting('event has no time', 'events have no time'),
}
const PORTUGUESE = {
  lines: counting('linha', 'linhas'),
  alerts: counting('alerta', 'alertas'),
  areNew: counting('é novo', 'são novos'),
  areLost: counting('foi perdido', 'foram perdidos'),
  wrong: counting('linha não é um evento', 'linhas não são eventos'),
  notRun: counting('evento não foi executado', 'eventos não foram executados'),
  late: counting('evento chegou tarde demais para ela', 'eventos chegaram tarde demais para ela'),
  timeless: counting('evento não tem horário', 'eventos não têm horário'),
}

const WORDS = {
  'en-US': {
    title: (corpus: string) => `Replay of ${corpus}`,
    lead: (lines: Count, alerts: Count) => `${ENGLISH.lines(lines)}, ${ENGLISH.alerts(alerts)}.`,
    compared: (before: Count, added: Count, lost: Count) => `${ENGLISH.alerts(before)} before: ${ENGLISH.areNew(added)}, ${ENGLISH.areLost(lost)}.`,
    faults: (wrong: Count, notRun: Count) => `${ENGLISH.wrong(wrong)}, and ${ENGLISH.notRun(notRun)}.`,
    byArrival: 'Each event was received a second after the one before.',
    byEvent: (late: Count, timeless: Count) => `Events ran in the order of their times: ${ENGLISH.late(late)}, and ${ENGLISH.timeless(timeless)}.`,
    rules: 'Alerts by rule',
    newAlerts: 'New alerts',
    alerts: 'First alerts of each rule',
    lostAlerts: 'Lost alerts',
    none: 'None.',
    columns: { rule: 'Rule', level: 'Level', description: 'Description', before: 'Before', after: 'Now', added: 'New', lost: 'Lost', log: 'First logs' },
    shown: ({ shown, total }: { readonly shown: number; readonly total: number }) => `${shown} of ${total} are shown; the JSON has all of them.`,
  },
  'pt-BR': {
    title: (corpus: string) => `Replay de ${corpus}`,
    lead: (lines: Count, alerts: Count) => `${PORTUGUESE.lines(lines)}, ${PORTUGUESE.alerts(alerts)}.`,
    compared: (before: Count, added: Count, lost: Count) => `${PORTUGUESE.alerts(before)} antes: ${PORTUGUESE.areNew(added)}, ${PORTUGUESE.areLost(lost)}.`,
    faults: (wrong: Count, notRun: Count) => `${PORTUGUESE.wrong(wrong)}, e ${PORTUGUESE.notRun(notRun)}.`,
    byArrival: 'Cada evento foi recebido um segundo depois do anterior.',
    byEvent: (late: Count, timeless: Count) => `Os eventos rodaram na ordem dos seus horários: ${PORTUGUESE.late(late)}, e ${PORTUGUESE.timeless(timeless)}.`,
    rules: 'Alertas por regra',
    newAlerts: 'Alertas novos',
    alerts: 'Primeiros alertas de cada regra',
    lostAlerts: 'Alertas perdidos',
    none: 'Nenhum.',
    columns: { rule: 'Regra', level: 'Nível', description: 'Descrição', before: 'Antes', after: 'Agora', added: 'Novos', lost: 'Perdidos', log: 'Primeiros logs' },
    shown: ({ shown, total }: { readonly shown: number; readonly total: number }) => `São mostrados ${shown} de ${total}; o JSON tem todos.`,
  },
} as const

export function replayDocument({ replay, result }: ReplayReport, locale: Locale): string {
  const words = WORDS[locale]
  const { columns } = words
  const number = (value: number): string => value.toLocaleString(locale)
  const count = (value: number): Count => ({ value, shown: number(value) })
  const isComparison = result.before_alerts !== null
  const counts = (rule: ReplayRule): Row => [
    { solid: rule.rule_id },
    { number: String(rule.level) },
    rule.description,
    ...(isComparison ? [{ number: number(rule.before_count ?? 0) }] : []),
    { number: number(rule.after_count) },
    ...(isComparison ? [{ number: number(rule.new_count ?? 0) }, { number: number(rule.lost_count ?? 0) }] : []),
  ]
  const heads: Row = [
    columns.rule,
    { number: columns.level },
    columns.description,
    ...(isComparison ? [{ number: columns.before }] : []),
    { number: columns.after },
    ...(isComparison ? [{ number: columns.added }, { number: columns.lost }] : []),
  ]
  const samples = (heading: string, logsOf: (rule: ReplayRule) => readonly string[]): Markup => {
    const rules = result.rules.filter((rule) => logsOf(rule).length > 0)
    const rows = rules.slice(0, PRINTED).map((rule): Row => [{ solid: rule.rule_id }, html`${logsOf(rule).map((log) => html`<p><code>${log}</code></p>`)}`])
    return section(heading, rows.length === 0 ? html`<p>${words.none}</p>` : list([columns.rule, columns.log], rows, rules.length, words.shown))
  }
  return reportPage({
    locale,
    title: words.title(replay.corpus_name),
    heading: words.title(replay.corpus_name),
    lead: [
      html`<p>${words.lead(count(result.lines), count(result.after_alerts))}</p>`,
      ...(isComparison ? [html`<p>${words.compared(count(result.before_alerts ?? 0), count(result.new_alerts ?? 0), count(result.lost_alerts ?? 0))}</p>`] : []),
      html`<p>${replay.clock === 'event' ? words.byEvent(count(result.late_events), count(result.events_without_time)) : words.byArrival}</p>`,
      ...(result.wrong_lines + result.not_run_count > 0 ? [html`<p>${words.faults(count(result.wrong_lines), count(result.not_run_count))}</p>`] : []),
    ],
    sections: [
      section(words.rules, result.rules.length === 0 ? html`<p>${words.none}</p>` : list(heads, result.rules.map(counts), result.rules.length, words.shown)),
      samples(isComparison ? words.newAlerts : words.alerts, (rule) => rule.new_samples),
      ...(isComparison ? [samples(words.lostAlerts, (rule) => rule.lost_samples)] : []),
    ],
  })
}

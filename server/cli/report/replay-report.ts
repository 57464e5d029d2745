/** The report that `replay` prints at its end. */
import type { Locale } from '#engine'
import type { LineFault } from '#workers'
import type { ComparisonSummary } from '../replay/comparison-summary.js'
import type { Summary } from '../replay/summary.js'
import { formatDuration, formatNumber } from '../terminal/numbers.js'
import type { Palette } from '../terminal/palette.js'
import { shorten } from '../terminal/printable.js'

/** Rules that are shown; the summary has all. */
const RULES_SHOWN = 10
const DESCRIPTION_SHOWN = 60

const ENGLISH = {
  counts: (events: string, alerts: string) => `${events} events, ${alerts} alerts`,
  speed: (rate: string, time: string, threads: number, memory: string) => `${rate} events/s in ${time}, ${threads} ${threads === 1 ? 'thread' : 'threads'}, at most ${memory} MB`,
  time: (first: string, last: string) => `From ${first} to ${last} (UTC)`,
  top: 'Rules with the most alerts',
  unknown: (events: string, kinds: string) => `No decoder knows ${events} events of ${kinds} kinds`,
  late: (events: string) => `${events} events came later than the order window reaches, and ran where they arrived`,
  timeless: (events: string) => `${events} events have no time of their own, and got that of the event before them`,
  incomplete: (source: string, reason: string) => `${source} was not read to its end: ${reason}`,
  partial: 'Stopped before the end of the input; --resume goes on',
  progress: (events: string, memory: string) => `${events} events · ${memory} MB`,
  notWritten: (reason: string) => `the results cannot be written: ${reason}; --resume goes on from the last checkpoint`,
  finished: 'this replay is finished',
  overlap: (place: string) => `${place} comes later than more parts than run together; sort the events by their times, and cut them into parts that follow each other`,
  faults: {
    not_json: 'lines are no JSON',
    no_event: 'lines have no text in the member of --event-field',
    no_log: 'records are of events without a log',
    bad_location: 'locations begin with [ and have no ]',
    dropped: 'Windows events have no event inside, and Wazuh drops them',
    too_long: 'lines are too long',
    not_utf8: 'lines are not UTF-8, and ran as they are',
  } satisfies Record<LineFault | 'not_utf8', string>,
  first: (place: string) => `first: ${place}`,
  compared: (other: string) => `Compared with ${other}`,
  change: (before: string, after: string) => `Alerts: ${before} before, ${after} after`,
  different: (added: string, lost: string) => `${added} new alerts, ${lost} lost`,
  alerted: (newly: string, noLonger: string) => `${newly} events have an alert that had none, and ${noLonger} have none any more`,
  aDay: (added: string, lost: string, before: string, after: string) => `A day: ${added} new, ${lost} lost; all alerts ${before} before, ${after} after`,
  noDays: 'No forecast a day: the events have no times, or cover less than a minute',
  cost: (before: string, after: string, percent: string) => `Steps an event: ${before} before, ${after} after (${percent})`,
  crossed: (option: string, value: string, limit: string) => `--${option} ${limit} is crossed: ${value}`,
  notKnown: (option: string) => `--${option} cannot be checked: nothing is known to compare it with`,
}

export type ReplayWords = typeof ENGLISH

export const REPLAY_WORDS: Readonly<Record<Locale, ReplayWords>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    counts: (events, alerts) => `${events} eventos, ${alerts} alertas`,
    speed: (rate, time, threads, memory) => `${rate} eventos/s em ${time}, ${threads} ${threads === 1 ? 'thread' : 'threads'}, no máximo ${memory} MB`,
    time: (first, last) => `De ${first} a ${last} (UTC)`,
    top: 'Regras com mais alertas',
    unknown: (events, kinds) => `Nenhum decoder conhece ${events} eventos de ${kinds} tipos`,
    late: (events) => `${events} eventos chegaram depois do alcance da janela de ordem, e rodaram onde chegaram`,
    timeless: (events) => `${events} eventos não têm horário próprio, e receberam o do evento anterior`,
    incomplete: (source, reason) => `${source} não foi lido até o fim: ${reason}`,
    partial: 'Parado antes do fim da entrada; --resume continua',
    progress: (events, memory) => `${events} eventos · ${memory} MB`,
    notWritten: (reason) => `os resultados não podem ser gravados: ${reason}; --resume continua do último checkpoint`,
    finished: 'este replay está concluído',
    overlap: (place) => `${place} vem depois de mais partes do que rodam juntas; ordene os eventos pelos horários, e corte-os em partes que se sucedem`,
    faults: {
      not_json: 'linhas não são JSON',
      no_event: 'linhas não têm texto no membro de --event-field',
      no_log: 'registros são de eventos sem log',
      bad_location: 'locations começam com [ e não têm ]',
      dropped: 'eventos do Windows não têm evento dentro, e o Wazuh os descarta',
      too_long: 'linhas são longas demais',
      not_utf8: 'linhas não são UTF-8, e rodaram como são',
    },
    first: (place) => `primeira: ${place}`,
    compared: (other) => `Comparação com ${other}`,
    change: (before, after) => `Alertas: ${before} antes, ${after} depois`,
    different: (added, lost) => `${added} alertas novos, ${lost} perdidos`,
    alerted: (newly, noLonger) => `${newly} eventos têm um alerta que não tinham, e ${noLonger} não têm mais nenhum`,
    aDay: (added, lost, before, after) => `Por dia: ${added} novos, ${lost} perdidos; todos os alertas ${before} antes, ${after} depois`,
    noDays: 'Sem previsão por dia: os eventos não têm horários, ou abrangem menos de um minuto',
    cost: (before, after, percent) => `Passos por evento: ${before} antes, ${after} depois (${percent})`,
    crossed: (option, value, limit) => `--${option} ${limit} foi ultrapassado: ${value}`,
    notKnown: (option) => `--${option} não pode ser verificado: não se sabe nada com que compará-lo`,
  },
}

export function describeReplay(summary: Summary, locale: Locale, paint: Palette): string {
  const words = REPLAY_WORDS[locale]
  const number = (value: number): string => formatNumber(value, locale)
  const { events, alerts, run, rules, first_event: first, last_event: last } = summary
  const lines = [
    paint.bold(words.counts(number(events), number(alerts))),
    words.speed(number(run.events_per_second), formatDuration(run.seconds * 1000), run.threads, number(run.peak_memory_mb)),
  ]
  if (first !== null && last !== null) lines.push(words.time(first, last))
  const noisy = rules.filter((rule) => rule.alerts > 0).slice(0, RULES_SHOWN)
  if (noisy.length > 0)
    lines.push(
      '',
      paint.bold(words.top),
      ...noisy.map(({ id, level, description, alerts: made }) => `  ${number(made).padStart(12)}  ${id.padStart(6)} (${level}) ${shorten(description, DESCRIPTION_SHOWN)}`),
    )
  lines.push(...describeComparison(summary, locale, paint))
  const notes = replayNotes(summary, locale)
  return `${[...lines, ...(notes.length === 0 ? [] : ['', ...notes])].join('\n')}\n`
}

/** Notes that a reader of the results must know. */
export function replayNotes(summary: Summary, locale: Locale): readonly string[] {
  const words = REPLAY_WORDS[locale]
  const number = (value: number): string => formatNumber(value, locale)
  const { unknown_events: unknown, unknown_kinds: kinds, late_events: late, events_without_time: timeless, wrong_lines: faults, incomplete_sources: incomplete, partial } = summary
  return [
    ...(unknown > 0 ? [words.unknown(number(unknown), number(kinds.length))] : []),
    ...(late > 0 ? [words.late(number(late))] : []),
    ...(timeless > 0 ? [words.timeless(number(timeless))] : []),
    ...Object.entries(faults).map(([fault, { lines, first }]) => `${number(lines)} ${words.faults[fault as LineFault]} (${words.first(`${first[0].source}:${first[0].line}`)})`),
    ...incomplete.map(({ source, reason }) => words.incomplete(source, reason)),
    ...(partial ? [words.partial] : []),
  ]
}

/** Lines about the differences from the other content. */
function describeComparison({ compare }: Summary, locale: Locale, paint: Palette): string[] {
  if (compare === null) return []
  const words = REPLAY_WORDS[locale]
  const number = (value: number): string => formatNumber(value, locale)
  const different = compare.rules.filter(({ new: added, lost }) => added.alerts > 0 || lost.alerts > 0).slice(0, RULES_SHOWN)
  return [
    '',
    paint.bold(words.compared(compare.with)),
    words.change(number(compare.alerts.before), number(compare.alerts.after)),
    words.different(number(compare.new_alerts), number(compare.lost_alerts)),
    words.alerted(number(compare.newly_alerted_events), number(compare.no_longer_alerted_events)),
    forecast(compare, locale),
    costChange(compare, locale),
    ...different.map(
      ({ id, description, new: added, lost }) =>
        `  ${`+${number(added.alerts)}`.padStart(12)}  ${`-${number(lost.alerts)}`.padStart(10)}  ${id.padStart(6)} ${shorten(description, DESCRIPTION_SHOWN)}`,
    ),
  ]
}

/** How many alerts there are a day. */
export function forecast({ a_day: days }: ComparisonSummary, locale: Locale): string {
  const words = REPLAY_WORDS[locale]
  const number = (value: number | null): string => (value === null ? '–' : formatNumber(value, locale, 1))
  return days === null ? words.noDays : words.aDay(number(days.new), number(days.lost), number(days.before), number(days.after))
}

/** A text with the cost of an event, before and after. */
export function costChange({ steps_an_event: { before, after }, cost_change_percent: change }: ComparisonSummary, locale: Locale): string {
  return REPLAY_WORDS[locale].cost(formatNumber(before, locale, 1), formatNumber(after, locale, 1), change === null ? '–' : signedPercent(change, locale))
}

/** A line for each threshold that is crossed. */
export function describeThresholds({ compare }: Summary, locale: Locale): readonly string[] {
  const words = REPLAY_WORDS[locale]
  return (compare?.thresholds ?? []).flatMap(({ option, limit, value, crossed }) => {
    if (!crossed) return []
    if (value === null) return words.notKnown(option)
    return option === 'max-cost'
      ? words.crossed(option, signedPercent(value, locale), signedPercent(limit, locale))
      : words.crossed(option, formatNumber(value, locale, 1), formatNumber(limit, locale, 1))
  })
}

function signedPercent(value: number, locale: Locale): string {
  return `${value < 0 ? '' : '+'}${formatNumber(value, locale, 1)} %`
}

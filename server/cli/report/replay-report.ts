/** What `replay` prints at its end. */
import type { Locale } from '#engine'
import type { LineFault } from '#workers'
import type { Summary } from '../replay/summary.js'
import { formatDuration, formatNumber } from '../terminal/numbers.js'
import type { Palette } from '../terminal/palette.js'
import { shorten } from '../terminal/printable.js'

/** Rules that are shown; the summary has all. */
const RULES_SHOWN = 10
const DESCRIPTION_SHOWN = 60

const ENGLISH = {
  events: (events: string, alerts: string) => `${events} events, ${alerts} alerts`,
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
}

export type ReplayWords = typeof ENGLISH

export const REPLAY_WORDS: Readonly<Record<Locale, ReplayWords>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    events: (events, alerts) => `${events} eventos, ${alerts} alertas`,
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
  },
}

export function describeReplay(summary: Summary, locale: Locale, paint: Palette): string {
  const words = REPLAY_WORDS[locale]
  const number = (value: number): string => formatNumber(value, locale)
  const { events, alerts, run, rules, first_event: first, last_event: last } = summary
  const lines = [
    paint.bold(words.events(number(events), number(alerts))),
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
  const notes = replayNotes(summary, locale)
  return `${[...lines, ...(notes.length === 0 ? [] : ['', ...notes])].join('\n')}\n`
}

/** What a reader of the results has to know. */
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

/** The page of a replay: its sentences, with one of each and with several. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replayDocument } from '../../../../server/features/replays/runs/page.js'
import type { ReplayRecord, ReplayReport } from '../../../../server/features/replays/runs/schema.js'

function reportOf(count: number, clock: ReplayRecord['clock'] = 'event'): ReplayReport {
  const replay = { corpus_name: 'October', clock } as ReplayRecord
  const times = { late_events: count, events_without_time: count }
  const result = { lines: count, wrong_lines: count, not_run_count: count, ...times, before_alerts: count, after_alerts: count, new_alerts: count, lost_alerts: count, rules: [] }
  return { replay, result }
}

const SENTENCES = {
  'en-US': {
    1: [
      'Events ran in the order of their times: 1 event came too late for it, and 1 event has no time.',
      '1 line, 1 alert.',
      '1 alert before: 1 is new, 1 is lost.',
      '1 line is no event, and 1 event was not run.',
    ],
    1200: [
      'Events ran in the order of their times: 1,200 events came too late for it, and 1,200 events have no time.',
      '1,200 lines, 1,200 alerts.',
      '1,200 alerts before: 1,200 are new, 1,200 are lost.',
      '1,200 lines are no event, and 1,200 events were not run.',
    ],
  },
  'pt-BR': {
    1: [
      'Os eventos rodaram na ordem dos seus horários: 1 evento chegou tarde demais para ela, e 1 evento não tem horário.',
      '1 linha, 1 alerta.',
      '1 alerta antes: 1 é novo, 1 foi perdido.',
      '1 linha não é um evento, e 1 evento não foi executado.',
    ],
    1200: [
      'Os eventos rodaram na ordem dos seus horários: 1.200 eventos chegaram tarde demais para ela, e 1.200 eventos não têm horário.',
      '1.200 linhas, 1.200 alertas.',
      '1.200 alertas antes: 1.200 são novos, 1.200 foram perdidos.',
      '1.200 linhas não são eventos, e 1.200 eventos não foram executados.',
    ],
  },
} as const

test('words agree with their numbers', () => {
  for (const locale of ['en-US', 'pt-BR'] as const)
    for (const count of [1, 1200] as const) {
      const page = replayDocument(reportOf(count), locale)
      for (const sentence of SENTENCES[locale][count]) assert.ok(page.includes(`<p>${sentence}</p>`), sentence)
    }
  assert.ok(replayDocument(reportOf(1, 'arrival'), 'en-US').includes('<p>Each event was received a second after the one before.</p>'))
})

/** What a change does with events, in short and as Markdown: counts, and the first events. Texts of content and events are in code spans (`markdown.ts`). */
import type { BehaviourAnswer, Difference } from '#workers'
import { differencesIn } from '../semantic-diff/service.js'
import { codeSpan } from './code-span.js'
import type { ProjectImpactResponse } from './schema.js'

/** Differences that are shown with their events; the counts cover all. */
const SHOWN = 10
/** Characters of an event. */
const EVENT_CHARACTERS = 300

const EFFECTS: Readonly<Record<Difference['effect'], string>> = {
  lost: 'alert lost',
  gained: 'alert gained',
  moved: 'another rule',
  level: 'another level',
  decoder: 'another decoder',
  fields: 'other fields',
}

/** Null: nothing is touched, or nothing was compared. */
export function behaviourMarkdown({ behaviour }: Pick<ProjectImpactResponse, 'behaviour'>): { readonly counts: string; readonly lines: readonly string[] } | null {
  if (behaviour === undefined || behaviour === null) return null
  const { alerts, differing_count: differs, proven_count: proven, searched_count: searched, unknown_count: unknown } = behaviour
  if (differs + proven + searched + unknown === 0) return null
  const changed = `rules with a lost alert: ${alerts.lost_count}, with a new one: ${alerts.gained_count}, with another one: ${alerts.changed_count}`
  const equal = `equal: ${proven} by proof, ${searched} by searching; unknown: ${unknown}`
  const incomplete = behaviour.is_complete ? '' : '; the time was over before everything was searched'
  const differences = differencesIn(behaviour)
  const more = differences.length > SHOWN ? [`and ${differences.length - SHOWN} more`] : []
  return { counts: `${changed}; ${equal}${incomplete}`, lines: [...differences.slice(0, SHOWN).map(lineOf), ...more] }
}

function lineOf({ effect, record, others }: Difference): string {
  const { item, old, new: now, witness } = record
  const name = 'rule_id' in item ? `rule ${codeSpan(item.rule_id)}` : `decoder ${codeSpan(item.decoder)}`
  const events = witness?.events ?? []
  const sequence = events.length > 1 ? ` (the last of ${events.length} events)` : ''
  const likewise = others.length === 0 ? '' : `; the same for ${others.length} more`
  return `${EFFECTS[effect]}, ${name}: ${answerOf(old)} → ${answerOf(now)}${likewise}: ${codeSpan(events.at(-1)?.event ?? '', EVENT_CHARACTERS)}${sequence}`
}

function answerOf(answer: BehaviourAnswer | null): string {
  if (answer === null) return 'no rule'
  if (answer.rule_id !== null) return `rule ${codeSpan(answer.rule_id)} of level ${answer.level ?? 0}`
  return answer.decoder === null ? 'no rule' : `no rule, decoder ${codeSpan(answer.decoder)}`
}

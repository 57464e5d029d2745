/** The recorded results of the reference engine: where they are, and how our outcomes are converted to their format. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CompiledRuleset, Moment, Outcome, Session } from '#engine'
import { compileRuleset, EventRunner, fromByteString, readLocation, STATIC_FIELDS, toByteString } from '#engine'
import { readRulesetFolder } from '#workers'
import type { Event } from '../../engine/event/event.js'

/** Beside the checkout; dist/test/parity is three folders deep. */
export const CONFORMANCE = join(dirname(fileURLToPath(import.meta.url)), '../../../../shared/conformance')
/** The pages of the specification, beside the recordings. */
export const SPEC = join(CONFORMANCE, '../spec')

/** Whether the recordings are available. They are not part of the repository. */
export function haveConformance(): boolean {
  return existsSync(join(CONFORMANCE, 'README.md'))
}

/** Returns the lines of a recording. */
export function readLines<T>(name: string): T[] {
  return readFileSync(join(CONFORMANCE, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}

/** The result of the reference engine for an event. */
export interface Recorded {
  readonly timestamp: string | null
  readonly hostname: string | null
  readonly program_name: string | null
  readonly decoder: string | null
  readonly parent: string | null
  readonly static: Record<string, string>
  readonly fields: Record<string, string>
  readonly rule: { id: string; level: number; description: string; groups: string[]; mitre_ids: string[]; frequency: number | null; firedtimes: number } | null
  readonly path: string[]
  readonly alert: boolean
}

export type RulesetName = 'default' | 'test'

const rulesets = new Map<RulesetName, CompiledRuleset>()
const runners = new Map<RulesetName, EventRunner>()

export function rulesetOf(name: RulesetName): CompiledRuleset {
  const known = rulesets.get(name) ?? compileRuleset(readRulesetFolder(join(CONFORMANCE, `ruleset-${name}`), 'default'))
  rulesets.set(name, known)
  return known
}

function runnerOf(name: RulesetName): EventRunner {
  const known = runners.get(name) ?? new EventRunner(rulesetOf(name))
  runners.set(name, known)
  return known
}

/** The other recordings were made at one instant. */
const INSTANT = { seconds: 1_700_000_000, local: () => ({ timeOfDay: '12:00', weekday: 3 }) }

/** Returns a moment in the time zone of the recordings, UTC. */
export function momentAt(seconds: number): Moment {
  return {
    seconds,
    local: () => {
      const date = new Date(seconds * 1000)
      return { timeOfDay: date.toISOString().slice(11, 16), weekday: date.getUTCDay() }
    },
  }
}

/** Returns static and dynamic fields under their names; the first of equal dynamic names is used. */
export function fieldsOf(event: Event): Record<string, string> {
  return { ...dynamicOf(event), ...staticOf(event) }
}

function staticOf({ statics }: Event): Record<string, string> {
  const texts: Record<string, string> = {}
  STATIC_FIELDS.forEach((name, index) => {
    const value = statics[index]
    if (value !== undefined) texts[name] = fromByteString(value)
  })
  return texts
}

function dynamicOf({ names, values }: Event): Record<string, string> {
  const fields: Record<string, string> = {}
  names.forEach((name, index) => {
    const key = fromByteString(name)
    if (!Object.hasOwn(fields, key)) fields[key] = fromByteString(values[index])
  })
  return fields
}

/** Runs an event as the recording did. An event on which the reference engine is said to crash agrees with no recording. */
export function answer(name: RulesetName, event: string, session: Session | null, location = 'stdin'): Recorded | { error: 'preprocessing' | 'crash' } {
  const origin = readLocation(toByteString(location))
  if (origin === null) return { error: 'preprocessing' }
  const outcome = runnerOf(name).run(toByteString(event), origin, INSTANT, session)
  return outcome.event.crashes.length > 0 ? { error: 'crash' } : record(outcome)
}

/** Converts an outcome to the format of the recordings. */
function record(outcome: Outcome): Recorded {
  const { event, rule } = outcome
  return {
    timestamp: textOrNull(event.timestamp),
    hostname: textOrNull(event.hostname),
    program_name: textOrNull(event.programName),
    decoder: textOrNull(event.decoder?.name),
    parent: textOrNull(event.decoder?.definition.parent),
    static: staticOf(event),
    fields: dynamicOf(event),
    rule:
      rule === null
        ? null
        : {
            id: String(rule.id),
            level: rule.level,
            description: fromByteString(outcome.description),
            groups: rule.groups.map(fromByteString),
            mitre_ids: rule.mitreIds.map(fromByteString),
            frequency: rule.wired === null ? null : Math.max(2, rule.definition.frequency ?? 2),
            firedtimes: outcome.firedTimes,
          },
    path: outcome.path.map(({ id }) => String(id)),
    alert: outcome.alert,
  }
}

function textOrNull(bytes: string | null | undefined): string | null {
  return bytes === null || bytes === undefined ? null : fromByteString(bytes)
}

/** Returns JSON with sorted keys, so that equal results are equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  )
}

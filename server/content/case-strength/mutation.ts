/** The mutation score of the cases: which small changes of own rules and decoders no case notices, and the case that would. */
import type { MutantRow, MutationPart } from '#workers'
import { okOf, stopOf } from '../../core/pool-outcome.js'
import { loadCases, toTestCase } from '../shared/test-case.js'
import type { Measuring } from './measuring.js'

/** Survivors that are stored; their number includes all. */
const NAMED = 50
/** Characters of the texts of a survivor, and of its case as JSON: a longer one is left out. */
const TEXT_CHARACTERS = 300
const CASE_CHARACTERS = 8_000
/** Time of all parts together. 500 rules with 2,000 cases take a minute. */
const MEASURE_MS = 15 * 60_000

/** A mutant that no case kills. */
export interface Survivor {
  /** Null: it is a decoder. */
  readonly rule_id: string | null
  readonly decoder: string | null
  readonly operator: string
  readonly file: string
  readonly line: number
  readonly before: string
  readonly after: string
  /** A case that passes on the content and would fail on the mutant, as it is created. Null: it is too long. */
  readonly killing_case: object | null
}

export interface MutationScore {
  readonly killed: number
  readonly survived: number
  readonly equivalent: number
  readonly unknown: number
  /** Cases that fail on the content itself: there is no score then. */
  readonly failed_cases: number
  /** Rules and decoders that took too long. */
  readonly untried: number
  readonly survivors: readonly Survivor[]
}

/** Grades part by part: other work of the pool comes between them. */
export const measureMutation: Measuring<MutationScore> = async (pool, scope, { project, files }, signal) => {
  const casesKey = [scope.organizationId, project._id, project.cases_revision].join('\n')
  const cases = async () => (await loadCases(scope, project._id)).map(toTestCase)
  const counts = { killed: 0, survived: 0, equivalent: 0, unknown: 0 }
  const survivors: Survivor[] = []
  let untried = 0
  const ends = Date.now() + MEASURE_MS
  for (let from = 0; ; ) {
    const outcome = await pool.mutate({ ruleset: files, casesKey, cases, from, limit: NAMED }, { organization: scope.organizationId, signal })
    if (stopOf(outcome) !== null) return null
    const part: MutationPart = okOf(outcome, signal)
    if (!part.loads) return null
    if (part.failed > 0) return { ...counts, failed_cases: part.failed, untried, survivors }
    for (const status of ['killed', 'survived', 'equivalent', 'unknown'] as const) counts[status] += part.counts[status]
    untried += part.untried
    survivors.push(...part.survivors.slice(0, NAMED - survivors.length).map(survivorOf))
    if (part.next >= part.items) return { ...counts, failed_cases: 0, untried, survivors }
    if (Date.now() >= ends) return { ...counts, failed_cases: 0, untried: untried + part.items - part.next, survivors }
    from = part.next
  }
}

function survivorOf({ rule_id, decoder, operator, file, line, before, after, case: killer }: MutantRow): Survivor {
  const isShort = typeof killer === 'object' && JSON.stringify(killer).length <= CASE_CHARACTERS
  return { rule_id: rule_id ?? null, decoder: decoder ?? null, operator, file, line, before: cut(before), after: cut(after), killing_case: isShort ? killer : null }
}

function cut(text: string): string {
  return text.length <= TEXT_CHARACTERS ? text : `${text.slice(0, TEXT_CHARACTERS)}…`
}

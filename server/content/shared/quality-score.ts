/**
 * The quality score of content, from 0 to 100 (CONTRACT.md#quality-gate). It is a pure function: the same content with the same cases has the same score.
 * The score starts at 100. Each term subtracts points, up to its maximum. With an error it is at most 59, because Wazuh does not load such content as
 * written.
 */

/** The input of the score. */
export interface QualityFacts {
  /** Numbers of diagnostics in the project's own files, by severity. */
  readonly errors: number
  readonly warnings: number
  readonly infos: number
  /** Number of rules in the project's own files, including those that Wazuh drops. */
  readonly rules: number
  /** Number of these rules that no case matches. */
  readonly untestedRules: number
  readonly cases: number
  readonly failedCases: number
}

/** A term subtracts points for each occurrence, or by the share of a total, so that large projects are not at a disadvantage. */
type TermDefinition = { readonly count: (facts: QualityFacts) => number; readonly most: number } & ({ readonly each: number } | { readonly of: (facts: QualityFacts) => number })

/** The terms, in the order of the answer. */
export const SCORE_TERMS = {
  /** Content that Wazuh refuses, drops, or reads differently than written. */
  errors: { count: ({ errors }) => errors, each: 20, most: 60 },
  warnings: { count: ({ warnings }) => warnings, each: 4, most: 24 },
  infos: { count: ({ infos }) => infos, each: 1, most: 6 },
  untested_rules: { count: ({ untestedRules }) => untestedRules, of: ({ rules }) => rules, most: 20 },
  failed_cases: { count: ({ failedCases }) => failedCases, of: ({ cases }) => cases, most: 30 },
} as const satisfies Record<string, TermDefinition>

export type ScoreTermName = keyof typeof SCORE_TERMS

/** Maximum score of content with errors. */
export const SCORE_WITH_ERRORS = 59

export interface ScoreTerm {
  readonly term: ScoreTermName
  /** Points that the term subtracts. */
  readonly points: number
  /** Maximum points that the term subtracts. */
  readonly most: number
  /** Number of occurrences. */
  readonly count: number
  /** Points for each occurrence; null: by the share of `of`. */
  readonly each: number | null
  /** The total; null: each occurrence subtracts points. */
  readonly of: number | null
}

export interface QualityScore {
  /** 0-100. */
  readonly score: number
  /** All terms, including those that subtract nothing. */
  readonly terms: readonly ScoreTerm[]
  /** Whether the score was reduced to the maximum for content with errors. */
  readonly is_capped: boolean
}

export function qualityScore(facts: QualityFacts): QualityScore {
  const terms = (Object.entries(SCORE_TERMS) as [ScoreTermName, TermDefinition][]).map(([term, definition]) => scoreTerm(term, definition, facts))
  const left = Math.max(0, 100 - terms.reduce((sum, { points }) => sum + points, 0))
  const isCapped = facts.errors > 0 && left > SCORE_WITH_ERRORS
  return { score: isCapped ? SCORE_WITH_ERRORS : left, terms, is_capped: isCapped }
}

function scoreTerm(term: ScoreTermName, definition: TermDefinition, facts: QualityFacts): ScoreTerm {
  const { most } = definition
  const count = definition.count(facts)
  if ('each' in definition) return { term, points: Math.min(count * definition.each, most), most, count, each: definition.each, of: null }
  const of = definition.of(facts)
  return { term, points: of === 0 ? 0 : Math.min(Math.ceil((most * count) / of), most), most, count, each: null, of }
}

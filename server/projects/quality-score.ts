/**
 * THE quality score: how good content is, from 0 to 100, and why (CONTRACT.md#quality-gate). It is a function of what is known of the
 * content, and of nothing else: the same content with the same cases has the same score. It begins at 100; each term takes points away, up to its
 * most. While an error stands it is at most 59: what Wazuh does not load as written is not fit to be published, however well the rest is made.
 */

/** What the score is made of. */
export interface QualityFacts {
  /** Findings in the project's own files. */
  readonly errors: number
  readonly warnings: number
  readonly infos: number
  /** Rules of the project's own files, those that Wazuh drops included, and those of them that no case goes through. */
  readonly rules: number
  readonly untestedRules: number
  readonly cases: number
  readonly failedCases: number
}

/** Takes points for each, or by the share of a whole: a project of 500 rules isn't worse than one of 5. */
type TermDefinition = { readonly count: (facts: QualityFacts) => number; readonly most: number } & ({ readonly each: number } | { readonly of: (facts: QualityFacts) => number })

/** In the order in which they are shown. */
export const SCORE_TERMS = {
  /** Each is content that Wazuh refuses, drops, or reads otherwise than written. */
  errors: { count: ({ errors }) => errors, each: 20, most: 60 },
  warnings: { count: ({ warnings }) => warnings, each: 4, most: 24 },
  infos: { count: ({ infos }) => infos, each: 1, most: 6 },
  untested_rules: { count: ({ untestedRules }) => untestedRules, of: ({ rules }) => rules, most: 20 },
  failed_cases: { count: ({ failedCases }) => failedCases, of: ({ cases }) => cases, most: 30 },
} as const satisfies Record<string, TermDefinition>

export type ScoreTermName = keyof typeof SCORE_TERMS

/** Above it nothing is while an error stands. */
export const SCORE_WITH_ERRORS = 59

export interface ScoreTerm {
  readonly term: ScoreTermName
  /** Points that it takes away. */
  readonly points: number
  readonly most: number
  /** What it counts. */
  readonly count: number
  /** Points that each takes; null: they are taken by the share. */
  readonly each: number | null
  /** Of how many; null: each takes points. */
  readonly of: number | null
}

export interface QualityScore {
  /** 0-100. */
  readonly score: number
  /** Every term, also those that take nothing away. */
  readonly terms: readonly ScoreTerm[]
  /** The terms alone would leave more than an error allows. */
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

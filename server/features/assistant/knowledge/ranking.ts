/** Joins rankings, and chooses the records that are given to an answer. */
import type { FoundRecord, KnowledgeKind, KnowledgeRecord } from './knowledge.js'

/** A record with its score, 0 to 1. */
export type Candidate = FoundRecord

/** Each further record of one kind counts less: four diagnostics about one word answer less than two of them, the option and its template. */
const KIND_DECAY = 0.85
/** Reciprocal rank fusion: how little the first ranks differ. The usual value. */
const RANK_SMOOTHING = 60

/** Joins two rankings by the ranks of their records, because scores of words and of vectors cannot be compared. */
export function fuseRankings(byWords: readonly Candidate[], byMeaning: readonly Candidate[]): Candidate[] {
  const joined = new Map<string, { record: KnowledgeRecord; rank: number; score: number }>()
  for (const ranking of [byWords, byMeaning]) {
    // A record that one ranking has twice (a translation, and itself) counts once.
    const seen = new Set<string>()
    for (const [index, { record, score }] of ranking.entries()) {
      if (seen.has(record.uid)) continue
      seen.add(record.uid)
      const known = joined.get(record.uid)
      joined.set(record.uid, { record, rank: (known?.rank ?? 0) + 1 / (RANK_SMOOTHING + index + 1), score: Math.max(known?.score ?? 0, score) })
    }
  }
  const ranked = [...joined.values()].sort((a, b) => b.rank - a.rank)
  const [best] = ranked
  // The best record has the score of the ranking that prefers it most; the others follow by their ranks.
  const top = Math.max(0, ...ranked.map(({ score }) => score))
  return ranked.map(({ record, rank }) => ({ record, score: (rank / best.rank) * Math.min(1, top) }))
}

/** The best records, of several kinds, each once. Scores stay descending. */
export function chooseRecords(candidates: readonly Candidate[], limit: number): FoundRecord[] {
  const pool = bestParts(candidates)
  const counts = new Map<KnowledgeKind, number>()
  const chosen: FoundRecord[] = []
  const worth = ({ record, score }: Candidate): number => score * KIND_DECAY ** (counts.get(record.kind) ?? 0)
  while (chosen.length < limit && pool.length > 0) {
    const next = pool.reduce((best, candidate) => (worth(candidate) > worth(best) ? candidate : best))
    chosen.push({ record: next.record, score: worth(next) })
    pool.splice(pool.indexOf(next), 1)
    counts.set(next.record.kind, (counts.get(next.record.kind) ?? 0) + 1)
  }
  return chosen
}

/** A long text is several records, of which the best part is enough. */
function bestParts(candidates: readonly Candidate[]): Candidate[] {
  const seen = new Set<string>()
  return candidates.filter(({ record }) => {
    const whole = record.uid.replace(/#\d+$/, '')
    if (seen.has(whole)) return false
    seen.add(whole)
    return true
  })
}

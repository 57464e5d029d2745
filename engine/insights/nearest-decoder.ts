/** Finds the decoder that nearly matched, if no decoder or the wrong one matched. */
import type { CompiledDecoder } from '../event/decoder.js'
import type { Locale } from '../diagnostics/text.js'
import type { Expression } from '../expressions/expression.js'
import type { Explanation } from '../records/records.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import { cutText } from '../trace/text.js'
import { EXPLAIN_WORDS } from './explain-words.js'
import { findStop } from './stopped-at.js'
import type { TracedRun } from './tip.js'

type Nearest = NonNullable<Explanation['nearest_decoder']>

/** Limit of examined roots: more than a ruleset has. */
const CANDIDATES_LIMIT = 1000

/** How much of a decoder matched. */
interface Attempt {
  readonly decoder: CompiledDecoder
  /** A matching program name counts more than any part of a prematch. */
  readonly programFits: boolean
  readonly matchedLength: number
  readonly failedAt: string
}

/** Returns null when no decoder matched in part. @param wanted name that a rule requires (a byte string), null = any decoder */
export function findNearestDecoder(run: TracedRun, wanted: string | null, locale: Locale): Nearest | null {
  const { programRoots, plainRoots } = run.runner.ruleset.decoders
  let best: Attempt | null = null
  for (const root of [...programRoots, ...plainRoots].slice(0, CANDIDATES_LIMIT)) {
    const named = root.children.filter((child) => child.name === wanted && child.name !== root.name)
    if (wanted !== null && root.name !== wanted && named.length === 0) continue
    const attempt = tryRoot(run, root, named, locale)
    if (wanted === null && attempt.matchedLength === 0 && !(attempt.programFits && root.programName !== null)) continue
    if (best === null || rank(attempt) > rank(best)) best = attempt
  }
  return best === null ? null : { name: fromByteString(best.decoder.definition.name), matched_length: best.matchedLength, failed_at: best.failedAt }
}

function rank({ programFits, matchedLength }: Attempt): number {
  return (programFits ? 1e6 : 0) + matchedLength
}

/** @param named children that report the wanted name themselves */
function tryRoot({ event }: TracedRun, root: CompiledDecoder, named: readonly CompiledDecoder[], locale: Locale): Attempt {
  const words = EXPLAIN_WORDS[locale]
  const { programName: program, log } = event
  if (root.programName !== null) {
    const pattern = cutText(root.programName.pattern)
    if (program === undefined) return { decoder: root, programFits: false, matchedLength: 0, failedAt: words.decoderProgram(pattern, null) }
    if (!root.programName.test(program, foldCase(program), 0))
      return { decoder: root, programFits: false, matchedLength: 0, failedAt: words.decoderProgram(pattern, cutText(program)) }
  }
  const programFits = root.programName !== null || program === undefined
  const steps: readonly CompiledDecoder[] = [root, ...named.slice(0, 1)]
  let matchedLength = 0
  for (const decoder of steps) {
    if (decoder.prematch === null) continue
    if (!decoder.prematch.test(log, event.logLower, 0)) {
      const matched = matchedPart(decoder.prematch, log)
      return {
        decoder,
        programFits,
        matchedLength: matchedLength + matched.length,
        failedAt: words.decoderPattern('prematch', cutText(decoder.prematch.pattern), cutText(matched)),
      }
    }
    matchedLength += decoder.prematch.pattern.length
  }
  return { decoder: steps[steps.length - 1], programFits, matchedLength, failedAt: words.decoderLater(fromByteString(event.decoder?.definition.name ?? '')) }
}

function matchedPart({ dialect, pattern }: Expression, text: string): string {
  return findStop(dialect, pattern, text)?.matched_part ?? ''
}

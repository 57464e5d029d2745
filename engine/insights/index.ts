/** The table of tips in display order. A tip is one file: when it applies, and its text in every language. */
import type { Locale } from '../diagnostics/text.js'
import { NearContent } from './near-content.js'
import { type Caller, ownContentOf } from './own-content.js'
import { findRunFailures } from './run-failures.js'
import type { Tip, ToldRun, TracedRun } from './tip.js'
import { agentHost } from './tips/agent-host.js'
import { belowAlertLevel } from './tips/below-alert-level.js'
import { categoryMismatch } from './tips/category-mismatch.js'
import { clockDecides } from './tips/clock-decides.js'
import { compositeBlocked } from './tips/composite-blocked.js'
import { compositeNeedsMore } from './tips/composite-needs-more.js'
import { compositeNeedsSession } from './tips/composite-needs-session.js'
import { containerWithoutChild } from './tips/container-without-child.js'
import { countedRuleOverruled } from './tips/counted-rule-overruled.js'
import { decoderWithoutChild } from './tips/decoder-without-child.js'
import { decoderWithoutRule } from './tips/decoder-without-rule.js'
import { descriptionFieldAbsent } from './tips/description-field-absent.js'
import { doubledBackslash } from './tips/doubled-backslash.js'
import { fieldNameNear } from './tips/field-name-near.js'
import { groupMemberTaken } from './tips/group-member-taken.js'
import { headerTookText } from './tips/header-took-text.js'
import { headerWithoutProgram } from './tips/header-without-program.js'
import { ignoreWindow } from './tips/ignore-window.js'
import { isoCutWrongly } from './tips/iso-cut-wrongly.js'
import { isoNotRecognised } from './tips/iso-not-recognised.js'
import { jsonArray } from './tips/json-array.js'
import { jsonBehindHeader } from './tips/json-behind-header.js'
import { jsonNotReadable } from './tips/json-not-readable.js'
import { listKeyForm } from './tips/list-key-form.js'
import { locationDecides } from './tips/location-decides.js'
import { ownDecoder } from './tips/own-decoder.js'
import { ownRule } from './tips/own-rule.js'
import { priorityPrefix } from './tips/priority-prefix.js'
import { programWithoutDecoder } from './tips/program-without-decoder.js'
import { regexWithoutMatch } from './tips/regex-without-match.js'
import { silenced } from './tips/silenced.js'

export const TIPS: readonly Tip[] = [
  ownDecoder,
  headerTookText,
  headerWithoutProgram,
  programWithoutDecoder,
  jsonBehindHeader,
  isoNotRecognised,
  isoCutWrongly,
  priorityPrefix,
  regexWithoutMatch,
  jsonNotReadable,
  ownRule,
  jsonArray,
  doubledBackslash,
  fieldNameNear,
  listKeyForm,
  decoderWithoutChild,
  decoderWithoutRule,
  categoryMismatch,
  containerWithoutChild,
  silenced,
  belowAlertLevel,
  ignoreWindow,
  agentHost,
  locationDecides,
  clockDecides,
  descriptionFieldAbsent,
  compositeBlocked,
  groupMemberTaken,
  countedRuleOverruled,
  compositeNeedsMore,
  compositeNeedsSession,
]

/** The tips of callers who have no content of their own. */
const GENERAL_TIPS = TIPS.filter(({ isOfOwnContent }) => isOfOwnContent !== true)

/** Who reads the tips of a run. */
export interface TipReader {
  readonly locale: Locale
  readonly caller: Caller
  /** The tips that earlier events of the same output had; null: each event has all of its tips. */
  readonly told: ToldTips | null
}

/** Returns the tips about one run in the caller's language. */
export function describeInsights(run: TracedRun, { locale, caller, told }: TipReader): string[] {
  const own = ownContentOf(run.runner.ruleset, caller)
  const failures = findRunFailures(run.recorder, own)
  const { form, event, outcome, recorder, session, clock, runner } = run
  const near = own === null ? null : new NearContent(run, own, failures.own)
  const toldRun: ToldRun = { form, event, outcome, recorder, session, clock, runner, caller, failures, near }
  const texts: string[] = []
  for (const tip of near === null ? GENERAL_TIPS : TIPS) {
    const values = tip.applies(toldRun)
    if (values === null || (tip.about !== undefined && told?.isEnough(`${tip.id} ${tip.about(values)}`) === true)) continue
    texts.push(tip.text[locale](values))
  }
  return texts
}

/** How often tips about one thing are repeated in one output: one reader may see only the last events of it, and nobody reads a thousand. */
const REPEATS = 3
/** Maximum number of things that one output has tips about; more would hide the events. */
const SUBJECTS_LIMIT = 1000

/** Counts tips, so that a file with thousands of lines does not repeat one for each. */
export class ToldTips {
  readonly #counts = new Map<string, number>()

  /** Whether the tip was printed often enough. If not, counts it. */
  isEnough(subject: string): boolean {
    const count = this.#counts.get(subject) ?? 0
    if (count >= REPEATS || (count === 0 && this.#counts.size >= SUBJECTS_LIMIT)) return true
    this.#counts.set(subject, count + 1)
    return false
  }
}

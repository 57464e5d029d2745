/** The table of tips in display order. A tip is one file: when it applies, and its text in every language. */
import type { Locale } from '../diagnostics/text.js'
import type { TracedRun, Tip } from './tip.js'
import { belowAlertLevel } from './tips/below-alert-level.js'
import { categoryMismatch } from './tips/category-mismatch.js'
import { compositeNeedsMore } from './tips/composite-needs-more.js'
import { compositeNeedsSession } from './tips/composite-needs-session.js'
import { containerWithoutChild } from './tips/container-without-child.js'
import { decoderWithoutChild } from './tips/decoder-without-child.js'
import { decoderWithoutRule } from './tips/decoder-without-rule.js'
import { descriptionFieldAbsent } from './tips/description-field-absent.js'
import { fieldNameNear } from './tips/field-name-near.js'
import { headerWithoutProgram } from './tips/header-without-program.js'
import { ignoreWindow } from './tips/ignore-window.js'
import { isoCutWrongly } from './tips/iso-cut-wrongly.js'
import { isoNotRecognised } from './tips/iso-not-recognised.js'
import { jsonBehindHeader } from './tips/json-behind-header.js'
import { jsonNotReadable } from './tips/json-not-readable.js'
import { listKeyForm } from './tips/list-key-form.js'
import { priorityPrefix } from './tips/priority-prefix.js'
import { programWithoutDecoder } from './tips/program-without-decoder.js'
import { regexWithoutMatch } from './tips/regex-without-match.js'
import { silenced } from './tips/silenced.js'

export const TIPS: readonly Tip[] = [
  headerWithoutProgram,
  programWithoutDecoder,
  jsonBehindHeader,
  isoNotRecognised,
  isoCutWrongly,
  priorityPrefix,
  decoderWithoutChild,
  regexWithoutMatch,
  jsonNotReadable,
  decoderWithoutRule,
  categoryMismatch,
  containerWithoutChild,
  silenced,
  belowAlertLevel,
  ignoreWindow,
  compositeNeedsMore,
  compositeNeedsSession,
  descriptionFieldAbsent,
  listKeyForm,
  fieldNameNear,
]

/** Returns the tips about one run in the caller's language. */
export function describeInsights(run: TracedRun, locale: Locale): string[] {
  const texts: string[] = []
  for (const tip of TIPS) {
    const values = tip.applies(run)
    if (values !== null) texts.push(tip.text[locale](values))
  }
  return texts
}

/** What keeps a ruleset from loading, told before anything is run on it. */
import type { CompiledRuleset, Diagnostic, Locale } from '#engine'
import { fromByteString, renderDiagnostic } from '#engine'
import type { CommandContext } from '../command.js'
import type { Palette } from '../terminal/palette.js'
import { REPORT_WORDS } from './words.js'

/** Findings that are shown; `validate` shows all. */
const SHOWN = 5

/** False when Wazuh would not start with it; then the reasons are on stderr. */
export async function showLoadErrors({ stderr, paintErrors, locale }: CommandContext, ruleset: CompiledRuleset): Promise<boolean> {
  if (ruleset.loads) return true
  const errors = ruleset.diagnostics.filter(({ severity }) => severity === 'error')
  for (const diagnostic of errors.slice(0, SHOWN)) await stderr.line(`${renderFinding(ruleset, diagnostic, locale, paintErrors)}\n`)
  if (errors.length > SHOWN) await stderr.line(`… +${errors.length - SHOWN}`)
  await stderr.line(paintErrors.error(REPORT_WORDS[locale].notLoaded))
  return false
}

/** A finding with its source line. @param path where the file is, when its own name doesn't say */
export function renderFinding(ruleset: CompiledRuleset, diagnostic: Diagnostic, locale: Locale, paint: Palette, path: string = diagnostic.filename): string {
  return renderDiagnostic({ ...diagnostic, filename: path }, sourceLine(ruleset, diagnostic), locale, { color: paint.enabled })
}

/** The line on which a finding begins; null when it has no place. */
function sourceLine(ruleset: CompiledRuleset, { span, kind, scope, filename }: Diagnostic): string | null {
  if (span === null) return null
  const file = ruleset.files.find((candidate) => candidate.filename === filename && candidate.kind === kind && candidate.scope === scope)
  if (file === undefined) return null
  const start = file.bytes.lastIndexOf('\n', span.start - 1) + 1
  const end = file.bytes.indexOf('\n', span.start)
  return fromByteString(file.bytes.slice(span.start === 0 ? 0 : start, end < 0 ? undefined : end))
}

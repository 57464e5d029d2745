/** Reports the diagnostics of a command's ruleset before the command uses it. `validate` reports them in full. */
import type { CompiledRuleset, Diagnostic, Locale } from '#engine'
import { countOf, fromByteString, isContentOk, ownDiagnostics, renderDiagnostic } from '#engine'
import type { CommandContext } from '../command.js'
import { describeCounts } from '../diagnostics/counts.js'
import { byWeight, groupByCause } from '../diagnostics/located-diagnostic.js'
import type { RulesetSource } from '../ruleset-source.js'
import type { Palette } from '../terminal/palette.js'
import { REPORT_WORDS } from './words.js'

/** Diagnostics that are shown in full; `validate` shows all. */
const SHOWN = 20

type Context = Pick<CommandContext, 'stderr' | 'paintErrors' | 'locale'>

/** Writes the errors that prevent Wazuh from starting to stderr. @returns false: there are such errors */
export async function showLoadErrors(context: Context, ruleset: CompiledRuleset, source: RulesetSource): Promise<boolean> {
  if (ruleset.loads) return true
  const all = byWeight(ruleset.diagnosticsWithoutAttacks.map((diagnostic) => ({ diagnostic })))
  const errors = all.flatMap(({ diagnostic }) => (diagnostic.severity === 'error' && diagnostic.cause === null ? [diagnostic] : []))
  await showFirst(context, ruleset, source, errors)
  if (errors.length > SHOWN) await context.stderr.line(`… +${countOf(errors.slice(SHOWN))}`)
  await context.stderr.line(context.paintErrors.error(REPORT_WORDS[context.locale].notLoaded))
  return false
}

/**
 * Writes the errors and warnings of the caller's own content to stderr; remarks are counted. @returns false: Wazuh would not start with the ruleset, or an
 * error in that content makes it drop at least one rule
 */
export async function showDiagnostics(context: Context, ruleset: CompiledRuleset, source: RulesetSource): Promise<boolean> {
  if (!(await showLoadErrors(context, ruleset, source))) return false
  if (hasNoOwnContent(ruleset)) return true
  const { stderr, paintErrors: paint, locale } = context
  const own = ownDiagnostics(ruleset)
  const roots = groupByCause(byWeight(own.map((diagnostic) => ({ diagnostic })))).map(({ root: { diagnostic } }) => diagnostic)
  const serious = roots.filter(({ severity }) => severity === 'error' || severity === 'warning')
  await showFirst(context, ruleset, source, serious)
  const counts = describeCounts(roots, countOf(own) - countOf(roots), locale, paint)
  if (counts !== '') await stderr.line(`${REPORT_WORDS[locale].ownDiagnostics(counts, own.length === serious.length && serious.length <= SHOWN)}\n`)
  return isContentOk(ruleset)
}

/** The result of `showDiagnostics`, without writing. */
export function isFineToRun(ruleset: CompiledRuleset): boolean {
  return ruleset.loads && (hasNoOwnContent(ruleset) || isContentOk(ruleset))
}

/** Only the caller's own content is checked. */
function hasNoOwnContent({ files }: CompiledRuleset): boolean {
  return files.every(({ scope }) => scope === 'default')
}

async function showFirst({ stderr, paintErrors, locale }: Context, ruleset: CompiledRuleset, source: RulesetSource, diagnostics: readonly Diagnostic[]): Promise<void> {
  for (const diagnostic of diagnostics.slice(0, SHOWN)) await stderr.line(`${renderWithSource(ruleset, diagnostic, locale, paintErrors, source.pathOf(diagnostic))}\n`)
}

/** A diagnostic with its source line. @param path path of its file */
export function renderWithSource(ruleset: CompiledRuleset, diagnostic: Diagnostic, locale: Locale, paint: Palette, path: string): string {
  return renderDiagnostic({ ...diagnostic, filename: path }, sourceLine(ruleset, diagnostic), locale, { color: paint.enabled })
}

/** The line on which a diagnostic begins; null: it has no position. */
function sourceLine(ruleset: CompiledRuleset, { span, kind, scope, filename }: Diagnostic): string | null {
  if (span === null) return null
  const file = ruleset.files.find((candidate) => candidate.filename === filename && candidate.kind === kind && candidate.scope === scope)
  if (file === undefined) return null
  const start = file.bytes.lastIndexOf('\n', span.start - 1) + 1
  const end = file.bytes.indexOf('\n', span.start)
  return fromByteString(file.bytes.slice(span.start === 0 ? 0 : start, end < 0 ? undefined : end))
}

/** Diagnostics as text: each with its source line, a caret and its consequences; then a summary. */
import { countOf, type Locale } from '#engine'
import { renderWithSource } from '../report/ruleset-diagnostics.js'
import { formatMs, formatNumber } from '../terminal/numbers.js'
import { printable } from '../terminal/printable.js'
import { describeCounts } from './counts.js'
import { type LocatedDiagnostic, type DiagnosticsFormat, groupByCause, placeOf, type ValidationRun } from './located-diagnostic.js'

/** Consequences that are listed under their cause; the others are counted. */
const CONSEQUENCES_SHOWN = 5

const ENGLISH = {
  nothing: 'no diagnostics',
  loads: 'Wazuh would start with it.',
  refused: 'Wazuh would not start with it.',
  content: (files: string, rules: string, decoders: string) => `${files} checked; ${rules} rules and ${decoders} decoders loaded in total`,
  baseline: (count: string) => `${count} diagnostics of the base ruleset (--baseline shows them)`,
  /** The line under a diagnostic that counts its consequences. */
  consequences: (count: number, text: string) => (count === 1 ? '1 diagnostic follows from this' : `${text} diagnostics follow from this`),
}

const WORDS: Readonly<Record<Locale, typeof ENGLISH>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    nothing: 'nenhum diagnóstico',
    loads: 'O Wazuh iniciaria com isto.',
    refused: 'O Wazuh não iniciaria com isto.',
    content: (files, rules, decoders) => `${files} verificado(s); ${rules} regras e ${decoders} decoders carregados ao todo`,
    baseline: (count) => `${count} diagnósticos do conjunto de base (--baseline os mostra)`,
    consequences: (count, text) => (count === 1 ? '1 diagnóstico decorre deste' : `${text} diagnósticos decorrem deste`),
  },
}

export const pretty: DiagnosticsFormat = (run) => {
  const { ruleset, diagnostics, locale, paint } = run
  const groups = groupByCause(diagnostics)
  const parts = groups.map(
    ({ root: { diagnostic, path }, consequences }) => `${renderWithSource(ruleset, diagnostic, locale, paint, path)}\n${listConsequences(consequences, run)}\n`,
  )
  return `${parts.join('')}${summarize(
    run,
    groups.map(({ root }) => root),
  )}\n`
}

function listConsequences(consequences: readonly LocatedDiagnostic[], { locale, paint }: ValidationRun): string {
  if (consequences.length === 0) return ''
  const lines = consequences.slice(0, CONSEQUENCES_SHOWN).map((one) => `${printable(placeOf(one))} ${one.record.code}`)
  const count = countAll(consequences)
  if (count > lines.length) lines.push(`… +${formatNumber(count - lines.length, locale)}`)
  const title = WORDS[locale].consequences(count, formatNumber(count, locale))
  return `  ${title}:\n${lines.map((line) => paint.dim(`    ${line}`)).join('\n')}\n`
}

/** @param roots diagnostics that are not consequences of another */
function summarize({ ruleset, diagnostics, files, report, intendedDiagnostics, locale, paint, compileMs }: ValidationRun, roots: readonly LocatedDiagnostic[]): string {
  const words = WORDS[locale]
  const number = (value: number): string => formatNumber(value, locale)
  const counts = describeCounts(
    roots.map(({ record }) => record),
    countAll(diagnostics) - countAll(roots),
    locale,
    paint,
  )
  const verdict = ruleset.loads ? paint.good(words.loads) : paint.error(words.refused)
  const { rules, decoders } = ruleset.counts
  const name = files.length === 1 ? files[0] : locale === 'pt-BR' ? `${number(files.length)} arquivos` : `${number(files.length)} files`
  const lines = [
    `${counts === '' ? paint.good(words.nothing) : counts}. ${verdict}`,
    paint.dim(`${words.content(name, number(rules), number(decoders))} · ${formatMs(compileMs, locale)}`),
  ]
  const hidden = report.baseline_issue_count - countAll(diagnostics.filter(({ diagnostic }) => diagnostic.scope === 'default'))
  if (hidden > intendedDiagnostics) lines.push(paint.dim(words.baseline(number(hidden))))
  return lines.join('\n')
}

function countAll(located: readonly LocatedDiagnostic[]): number {
  return countOf(located.map(({ diagnostic }) => diagnostic))
}

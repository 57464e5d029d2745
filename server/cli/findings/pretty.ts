/** Findings for people: each with its source line and a caret, then a line that sums up. */
import type { Locale } from '#engine'
import { renderFinding } from '../report/ruleset-findings.js'
import { formatMs, formatNumber } from '../terminal/numbers.js'
import { describeCounts } from './counts.js'
import type { FindingsFormat, ValidationRun } from './finding.js'

interface SummaryWords {
  readonly nothing: string
  readonly loads: string
  readonly refused: string
  readonly content: (files: string, rules: string, decoders: string) => string
  readonly baseline: (count: string) => string
}

const WORDS: Readonly<Record<Locale, SummaryWords>> = {
  'en-US': {
    nothing: 'no findings',
    loads: 'Wazuh would start with it.',
    refused: 'Wazuh would not start with it.',
    content: (files, rules, decoders) => `${files} checked; ${rules} rules and ${decoders} decoders loaded in all`,
    baseline: (count) => `${count} findings in the base ruleset (--baseline shows them)`,
  },
  'pt-BR': {
    nothing: 'nada a apontar',
    loads: 'O Wazuh iniciaria com isto.',
    refused: 'O Wazuh não iniciaria com isto.',
    content: (files, rules, decoders) => `${files} verificado(s); ${rules} regras e ${decoders} decoders carregados ao todo`,
    baseline: (count) => `${count} achados no conjunto de base (--baseline mostra)`,
  },
}

export const pretty: FindingsFormat = (run) => {
  const { ruleset, findings, locale, paint } = run
  const parts = findings.map(({ diagnostic, path }) => `${renderFinding(ruleset, diagnostic, locale, paint, path)}\n\n`)
  return `${parts.join('')}${summarize(run)}\n`
}

function summarize({ ruleset, findings, files, report, locale, paint, compileMs }: ValidationRun): string {
  const words = WORDS[locale]
  const number = (value: number): string => formatNumber(value, locale)
  const counts = describeCounts(
    findings.map(({ record }) => record),
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
  const hidden = report.baseline_issue_count - findings.filter(({ diagnostic }) => diagnostic.scope === 'default').length
  if (hidden > 0) lines.push(paint.dim(words.baseline(number(hidden))))
  return lines.join('\n')
}

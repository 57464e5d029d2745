/** What happens to rules in Wazuh 5, for people: the verdict of each with its reasons, and with its Sigma text and proof where that is asked for. */
import { type Locale, NORMALIZED_NAMES, SIGMA_VERDICTS, type SigmaRecord } from '#engine'
import { html, type Markup } from '../../core/http/text/html.js'
import { reportPage, section } from '../../core/report-page/page.js'
import { type Row, table } from '../../core/report-page/table.js'
import type { Palette } from '../terminal/palette.js'
import { printable } from '../terminal/printable.js'
import { eventText } from './behaviour-report.js'
import { BEHAVIOUR_WORDS } from './behaviour-words.js'
import { SIGMA_WORDS, type SigmaWords } from './sigma-words.js'

/** @param isVerbose whether the Sigma text and the proof are shown as well */
export function describeSigma(record: SigmaRecord, isVerbose: boolean, locale: Locale, paint: Palette): string {
  const { rule_id, file, line, verdict, sigma, proof } = record
  const words = SIGMA_WORDS[locale]
  const painted = verdict === 'impossible' ? paint.error : verdict === 'needs_correlation' ? paint.warning : paint.info
  const lines = [`${paint.dim(`${printable(file)}:${line}`)} ${BEHAVIOUR_WORDS[locale].rule(rule_id)}: ${painted(words.verdicts[verdict])}`]
  for (const text of reasonsOf(record, words)) lines.push(`  ${printable(text)}`)
  if (isVerbose && sigma !== null)
    lines.push(
      '',
      ...sigma
        .trimEnd()
        .split('\n')
        .map((text) => `    ${printable(text)}`),
      '',
    )
  if (isVerbose) for (const one of proof) lines.push(paint.dim(`  ${printable(proofText(one, locale))}`))
  return `${lines.join('\n')}\n`
}

export function describeSigmaTotals(records: readonly SigmaRecord[], locale: Locale): string {
  return `\n${[...totalsOf(records, locale), ...assumptions(locale)].join('\n')}\n`
}

export function sigmaPage(records: readonly SigmaRecord[], locale: Locale): string {
  const words = SIGMA_WORDS[locale]
  const sections = SIGMA_VERDICTS.flatMap((verdict): Markup[] => {
    const found = records.filter((record) => record.verdict === verdict)
    if (found.length === 0) return []
    const rows = found.map((record): Row => {
      const { rule_id, file, line, sigma, proof } = record
      const texts = [`${file}:${line}`, ...reasonsOf(record, words)]
      return [
        { solid: rule_id },
        html`${texts.map((text) => html`<p>${text}</p>`)}${sigma === null ? '' : html`<pre>${sigma}</pre>`}${proof.map((one) => html`<pre>${proofText(one, locale)}</pre>`)}`,
      ]
    })
    return [section(`${words.verdicts[verdict]} (${found.length})`, table(words.columns, rows))]
  })
  const lead = [...totalsOf(records, locale), ...assumptions(locale)].map((text) => html`<p>${text}</p>`)
  return reportPage({ locale, title: words.title, heading: words.title, lead, sections })
}

function reasonsOf({ constructs, notes, rule_id }: SigmaRecord, words: SigmaWords): string[] {
  return [...constructs.map(({ text, rule_id: by }) => (by === rule_id ? text : `${words.above(by)}: ${text}`)), ...notes.map(({ text }) => text)]
}

function proofText({ rule_id, events, expected }: SigmaRecord['proof'][number], locale: Locale): string {
  const words = SIGMA_WORDS[locale]
  return `${expected ? words.matches : words.matchesNot} (${BEHAVIOUR_WORDS[locale].rule(rule_id)}): ${events.map((event) => eventText(event, BEHAVIOUR_WORDS[locale])).join(' ')}`
}

function totalsOf(records: readonly SigmaRecord[], locale: Locale): string[] {
  const words = SIGMA_WORDS[locale]
  const counts = SIGMA_VERDICTS.map((verdict) => [words.verdicts[verdict], records.filter((record) => record.verdict === verdict).length] as const)
  return [
    counts
      .filter(([, count]) => count > 0)
      .map(([verdict, count]) => `${count} ${verdict}`)
      .join(', '),
  ].filter((text) => text !== '')
}

function assumptions(locale: Locale): string[] {
  const names = Object.entries(NORMALIZED_NAMES).map(([name, normalized]) => `${name} = ${normalized}`)
  return [...SIGMA_WORDS[locale].assumed, `${names.join(', ')}.`]
}

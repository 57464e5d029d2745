/** What breaks with an upgrade of the base, for people: by file, with what happens and what to do. As text, as a page, and as records for programs. */
import type { BehaviourAnswer, Locale, MergedOption, OwnBehaviour, UpgradeFinding } from '#engine'
import { html, type Markup } from '../../core/http/text/html.js'
import { reportPage, section } from '../../core/report-page/page.js'
import { type Row, table } from '../../core/report-page/table.js'
import type { Palette } from '../terminal/palette.js'
import { printable } from '../terminal/printable.js'
import { answerText, eventText } from './behaviour-report.js'
import { BEHAVIOUR_WORDS } from './behaviour-words.js'
import { UPGRADE_WORDS, type UpgradeWords } from './upgrade-words.js'

export interface ShownUpgrade {
  readonly findings: readonly UpgradeFinding[]
  /** Null: nothing was run. */
  readonly own: OwnBehaviour | null
  /** What a merge would change; empty: nothing, or it is written. */
  readonly diff: string
}

/** A finding as the line that programs read: without its edits, which the file no longer has when they are written. */
export function upgradeRecord({ edits, ...finding }: UpgradeFinding): Omit<UpgradeFinding, 'edits'> & { readonly mergeable: boolean } {
  return { ...finding, mergeable: edits.length > 0 }
}

export function describeUpgrade({ findings, own, diff }: ShownUpgrade, locale: Locale, paint: Palette): string {
  const words = UPGRADE_WORDS[locale]
  const lines: string[] = []
  for (const finding of findings) {
    const { file, line, severity, effect, advice, code, proposal, edits } = finding
    const painted = severity === 'error' ? paint.error : severity === 'warning' ? paint.warning : paint.info
    lines.push(`${paint.dim(`${printable(file)}:${line}`)} ${painted(words.severities[severity])} ${nameOf(finding, locale)}${paint.dim(code)}`)
    lines.push(`  ${printable(effect)}`, `  ${words.advice}: ${printable(advice)}`)
    for (const text of witnessTexts(finding, locale)) lines.push(paint.dim(`  ${printable(text)}`))
    for (const option of finding.options) lines.push(...optionTexts(option, words).map((text) => `    ${printable(text)}`))
    if (proposal !== null) lines.push(`  ${edits.length > 0 ? words.merged : words.proposed}:`, ...proposal.split('\n').map((text) => `    ${printable(text)}`))
    lines.push('')
  }
  return `${[...lines, ...summaryOf(findings, own, words)].join('\n')}\n${diff === '' ? '' : `\n${words.changes}:\n\n${diff}`}`
}

export function upgradePage({ findings, own, diff }: ShownUpgrade, title: string, locale: Locale): string {
  const words = UPGRADE_WORDS[locale]
  const files = new Map<string, UpgradeFinding[]>()
  for (const finding of findings) files.set(finding.file, [...(files.get(finding.file) ?? []), finding])
  const sections = [...files].map(([file, found]) =>
    section(
      file,
      table(
        words.columns,
        found.map((finding): Row => {
          const { line, severity, effect, advice, proposal, options } = finding
          const shown = [...witnessTexts(finding, locale), ...options.flatMap((option) => optionTexts(option, words)), ...(proposal === null ? [] : [proposal])]
          return [
            { number: String(line) },
            { solid: words.severities[severity] },
            html`${paragraphs([`${nameOf(finding, locale)}${effect}`, advice])}${shown.map((text) => html`<pre>${text}</pre>`)}`,
          ]
        }),
      ),
    ),
  )
  if (diff !== '') sections.push(section(words.changes, html`<pre>${diff}</pre>`))
  return reportPage({ locale, title, heading: title, lead: paragraphs(summaryOf(findings, own, words)), sections })
}

function paragraphs(texts: readonly string[]): Markup[] {
  return texts.map((text) => html`<p>${text}</p>`)
}

function nameOf({ item }: UpgradeFinding, locale: Locale): string {
  if (item === null) return ''
  const words = BEHAVIOUR_WORDS[locale]
  return `${'rule_id' in item ? words.rule(item.rule_id) : words.decoder(item.decoder)}. `
}

function witnessTexts({ witness, old, new: now }: UpgradeFinding, locale: Locale): string[] {
  if (witness === null) return []
  const words = BEHAVIOUR_WORDS[locale]
  const answer = (one: BehaviourAnswer | null): string => answerText(one, words)
  return [...witness.events.map((event) => eventText(event, words)), `${answer(old)} → ${answer(now)}`]
}

function optionTexts({ option, before, own, upstream, taken }: MergedOption, words: UpgradeWords): string[] {
  const say = (text: string): string => (text === '' ? words.absent : text.replaceAll('\n', ' '))
  return [`${option.replace('@', '')} (${words.taken[taken]}): ${say(before)} → ${say(upstream)}; ${words.yours}: ${say(own)}`]
}

function summaryOf(findings: readonly UpgradeFinding[], own: OwnBehaviour | null, words: UpgradeWords): string[] {
  const count = (severity: UpgradeFinding['severity']): number => findings.filter((finding) => finding.severity === severity).length
  const mergeable = findings.filter(({ edits }) => edits.length > 0).length
  return [
    findings.length === 0 ? words.nothing : words.summary(count('error'), count('warning'), count('info'), mergeable),
    own === null ? words.notRun : words.own(own),
    ...(own === null || own.complete ? [] : [words.incomplete]),
  ]
}

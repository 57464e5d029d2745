/**
 * A comparison as Markdown, for pull and merge requests. Names and descriptions come from content, which anybody who can push has written. Invariants:
 *  1. such a text is inside a code span, on one line and cut: no mention, link, HTML, heading or table cell can come from it
 *  2. the length is bounded for any comparison
 * The text is English, because a repository has no language setting.
 */
import type { Static } from 'typebox'
import type { Measurement } from '../shared/measure.js'
import { behaviourMarkdown } from './behaviour-markdown.js'
import { codeSpan } from './code-span.js'
import type { ContentImpactRecord } from './schema.js'

/** Entries of each list. A reviewer reads no longer one; the counts cover all. */
const LISTED = 25
/** Characters of the result. GitHub accepts 65,536 for a whole body. */
const MARKDOWN_CHARACTERS = 40_000

/** What a comparison is about, for `impactMarkdown`. */
export interface ComparedSides {
  readonly before: Measurement
  readonly after: Measurement
  readonly impact: Static<typeof ContentImpactRecord>
}

/** Returns a table of both sides, and lists of what changes. */
export function impactMarkdown(sides: ComparedSides): string {
  const { impact } = sides
  const { rules, decoders, lists, cases, candidate_diagnostics: diagnostics } = impact
  const behaviour = behaviourMarkdown(impact)
  const sections = [
    table(sides),
    section('Rules', rules.dropped_count === 0 ? countsOf(rules) : `${countsOf(rules) ?? 'no other change'}; ${rules.dropped_count} dropped by Wazuh`, [
      ...rules.dropped.map(({ rule_id, filename, line, code }) => `dropped ${codeSpan(rule_id)}: ${codeSpan(placeOf(filename, line))}${code === null ? '' : ` ${codeSpan(code)}`}`),
      ...rules.added.map(({ rule_id, description }) => `added ${codeSpan(rule_id)}: ${codeSpan(description)}`),
      ...rules.removed.map(({ rule_id, description }) => `removed ${codeSpan(rule_id)}: ${codeSpan(description)}`),
      ...rules.changed.map(({ rule_id, description, changes }) => `changed ${codeSpan(rule_id)}: ${codeSpan(description)} (${optionsOf(changes)})`),
    ]),
    section('Decoders', countsOf(decoders), [
      ...decoders.added.map(({ name }) => `added ${codeSpan(name)}`),
      ...decoders.removed.map(({ name }) => `removed ${codeSpan(name)}`),
      ...decoders.changed.map(({ name, changes }) => `changed ${codeSpan(name)} (${optionsOf(changes)})`),
    ]),
    section('Lists', countsOf(lists), [
      ...lists.added.map(({ name, entry_count }) => `added ${codeSpan(name)}: ${entry_count} entries`),
      ...lists.removed.map(({ name, entry_count }) => `removed ${codeSpan(name)}: ${entry_count} entries`),
      ...lists.changed.map(
        ({ name, added_entries, removed_entries, changed_entries }) =>
          `changed ${codeSpan(name)}: ${added_entries} entries added, ${removed_entries} removed, ${changed_entries} changed`,
      ),
    ]),
    behaviour === null ? null : section('Events', behaviour.counts, behaviour.lines),
    section(
      'Cases',
      impact.changed_cases === 0 ? null : `${impact.improved_cases} improved, ${impact.regressed_cases} regressed`,
      [...cases.filter(({ change_type }) => change_type === 'regressed'), ...cases.filter(({ change_type }) => change_type === 'improved')].map(
        ({ change_type, case_name, before_rule_id, after_rule_id }) => `${change_type}: ${codeSpan(case_name)} (${rulesOf(before_rule_id, after_rule_id)})`,
      ),
    ),
    section(
      'Diagnostics',
      diagnostics.introduced_count + diagnostics.resolved_count === 0 ? null : `${diagnostics.introduced_count} introduced, ${diagnostics.resolved_count} resolved`,
      diagnostics.introduced.map(({ severity, code, filename, line, message }) => `${severity} ${codeSpan(placeOf(filename, line))} ${codeSpan(code)}: ${codeSpan(message)}`),
    ),
  ]
  const text = sections.filter((part) => part !== null).join('\n\n')
  // The limits above keep it far below. The cut is at a line, so that no code span stays open.
  return text.length <= MARKDOWN_CHARACTERS ? text : `${text.slice(0, text.lastIndexOf('\n', MARKDOWN_CHARACTERS))}\n\n…`
}

/** Returns file and line of a diagnostic. */
export function placeOf(filename: string, line: number | null): string {
  return line === null ? filename : `${filename}:${line}`
}

function table({ before, after }: ComparedSides): string {
  const row = (label: string, value: (side: Measurement) => string): string => `| ${label} | ${value(before)} | ${value(after)} |`
  return [
    '| | Before | After |',
    '|---|---:|---:|',
    row('Quality score', ({ quality }) => String(quality.score)),
    row('Cases that pass', ({ passedCases, results }) => `${passedCases} of ${results.length}`),
    row('Errors', ({ bySeverity }) => String(bySeverity.error)),
    row('Warnings', ({ bySeverity }) => String(bySeverity.warning)),
    row('Rules', ({ writtenRules }) => String(writtenRules)),
    row('Rules with a case', ({ writtenRules, untestedRules }) => `${writtenRules - untestedRules.length} of ${writtenRules}`),
    row('Wazuh starts', ({ loads }) => (loads ? 'yes' : 'no')),
  ].join('\n')
}

function countsOf({ added_count, removed_count, changed_count }: { readonly added_count: number; readonly removed_count: number; readonly changed_count: number }): string | null {
  return added_count + removed_count + changed_count === 0 ? null : `${added_count} added, ${removed_count} removed, ${changed_count} changed in meaning`
}

function section(title: string, counts: string | null, lines: readonly string[]): string | null {
  if (counts === null) return null
  const more = lines.length > LISTED ? [`- and ${lines.length - LISTED} more`] : []
  return [`**${title}**: ${counts}`, '', ...lines.slice(0, LISTED).map((line) => `- ${line}`), ...more].join('\n').trimEnd()
}

function optionsOf(changes: readonly string[]): string {
  const shown = changes
    .slice(0, LISTED)
    .map((text) => codeSpan(text))
    .join(', ')
  return changes.length > LISTED ? `${shown}, …` : shown
}

/** The rule of a case on both sides. It may be the same, with another level for example. */
function rulesOf(before: string | null, after: string | null): string {
  const one = (id: string | null): string => (id === null ? 'no rule' : `rule ${codeSpan(id)}`)
  return before === after ? `${one(before)}, as before` : `${one(before)} → ${one(after)}`
}

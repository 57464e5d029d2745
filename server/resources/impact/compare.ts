/** Two measured contents held against each other: what becomes of the cases, which findings come and go. Plain functions of plain data. */
import type { DiagnosticCode, DiagnosticRecord } from '#workers'
import type { ProjectCaseResult } from '../../projects/run-cases.js'
import type { ChangeType, ImpactFinding, ProjectImpactResponse } from './schema.js'

type ImpactCase = ProjectImpactResponse['cases'][number]

/** Rules and decoders that never answer, as others come before them or exclude them. */
const SHADOWING_CODES: ReadonlySet<string> = new Set([
  'rule_overlapping_level',
  'rule_duplicate_logic',
  'rule_unreachable',
  'rule_category_unreachable',
  'rule_if_matched_sid_shadowed',
  'decoder_shadowed',
  'decoder_child_behind_catch_all',
] satisfies DiagnosticCode[])

const SEVERITY_ORDER: readonly DiagnosticRecord['severity'][] = ['error', 'warning', 'info', 'success']
/** Places inside messages, which name the files of a project. */
const LINE_IN_MESSAGE = /(project_(?:rules|decoders)\.xml):\d+/g

/** Cases that were run on both. */
export function compareCases(before: readonly ProjectCaseResult[], after: readonly ProjectCaseResult[]): ImpactCase[] {
  const results = new Map(after.map((result) => [result.case_id, result]))
  return before.flatMap((old) => {
    const now = results.get(old.case_id)
    if (now === undefined) return []
    return {
      case_id: old.case_id,
      case_name: now.name,
      before_passed: old.passed,
      after_passed: now.passed,
      change_type: changeOf(old, now),
      before_rule_id: old.rule_id,
      after_rule_id: now.rule_id,
      before_decoder: old.decoder,
      after_decoder: now.decoder,
    }
  })
}

function changeOf(before: ProjectCaseResult, after: ProjectCaseResult): ChangeType {
  if (before.passed !== after.passed) return after.passed ? 'improved' : 'regressed'
  return before.rule_id === after.rule_id && before.decoder === after.decoder ? 'unchanged' : 'changed'
}

export function countCases(cases: readonly ImpactCase[]): Pick<ProjectImpactResponse, 'changed_cases' | 'improved_cases' | 'regressed_cases' | 'unchanged_cases'> {
  const of = (type: ChangeType): number => cases.filter(({ change_type }) => change_type === type).length
  const unchanged = of('unchanged')
  return { changed_cases: cases.length - unchanged, improved_cases: of('improved'), regressed_cases: of('regressed'), unchanged_cases: unchanged }
}

/** Findings of the second that the first lacks, the worst first. One that says the same at another line is no other; of two alike the first lacks one if it has one. */
export function findingsBeyond(before: readonly DiagnosticRecord[], after: readonly DiagnosticRecord[]): ImpactFinding[] {
  const known = new Map<string, number>()
  for (const finding of before) known.set(keyOf(finding), (known.get(keyOf(finding)) ?? 0) + 1)
  const beyond = after.filter((finding) => {
    const left = known.get(keyOf(finding)) ?? 0
    known.set(keyOf(finding), left - 1)
    return left <= 0
  })
  return beyond
    .sort((a, b) => SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity))
    .map(({ severity, code, filename, line, message }) => ({ severity, code, filename, line, message }))
}

export function isShadowing({ code }: Pick<ImpactFinding, 'code'>): boolean {
  return SHADOWING_CODES.has(code)
}

function keyOf({ code, filename, message }: DiagnosticRecord): string {
  return JSON.stringify([code, filename, message.replace(LINE_IN_MESSAGE, '$1')])
}

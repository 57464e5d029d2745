/** Test cases that pass with the own content on the old ruleset and fail with it on the new one. */
import type { Locale } from '../diagnostics/text.js'
import { CaseChain } from '../logtest/case-chain.js'
import { caseChains, type SuiteCase } from '../logtest/suite-case.js'
import { EventRunner, type Moment } from '../match/run-event.js'
import type { CaseCheck } from '../records/records.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { makeFinding, type UpgradeFinding } from './findings.js'

export interface CasesRequest {
  /** The own content on each ruleset. */
  readonly old: CompiledRuleset
  readonly now: CompiledRuleset
  readonly cases: readonly SuiteCase[]
  /** When the first event of each chain arrives, unless a case says otherwise. */
  readonly moment: Moment
  readonly locale: Locale
  /** Whether there is time for another chain of cases. */
  readonly mayGoOn: () => boolean
}

export interface CasesReport {
  /** `line` is the number of the case in the list, from 1; `file` is empty. */
  readonly findings: readonly UpgradeFinding[]
  /** Whether there was time for all cases. Nothing is run if Wazuh would not start. */
  readonly complete: boolean
}

const WORDS: Readonly<Record<Locale, { readonly expected: string; readonly got: string }>> = {
  'en-US': { expected: 'expected', got: 'got' },
  'pt-BR': { expected: 'esperado', got: 'obtido' },
}

/** Runs test cases on both rulesets. @returns a finding for each case that passes on the old one and fails on the new one */
export function checkCases({ old, now, cases, moment, locale, mayGoOn }: CasesRequest): CasesReport {
  if (!old.loads || !now.loads) return { findings: [], complete: true }
  const [before, after] = [new EventRunner(old), new EventRunner(now)]
  const findings: UpgradeFinding[] = []
  for (const chain of caseChains(cases)) {
    if (!mayGoOn()) return { findings: inOrder(findings), complete: false }
    const [one, other] = [before, after].map((runner) => new CaseChain(runner, moment, locale, chain.length > 1))
    for (const place of chain) {
      const passed = one.run(cases[place]).passed
      const { passed: passes, checks } = other.run(cases[place])
      if (!passed || passes) continue
      const at = { kind: 'cases', file: '', line: place + 1, item: null } as const
      findings.push(makeFinding('case_red', at, { case: cases[place].name, reason: reasonOf(checks, locale) }, locale))
    }
  }
  return { findings: inOrder(findings), complete: true }
}

function inOrder(findings: readonly UpgradeFinding[]): UpgradeFinding[] {
  return [...findings].sort((a, b) => a.line - b.line)
}

function reasonOf(checks: readonly CaseCheck[], locale: Locale): string {
  const words = WORDS[locale]
  const shown = (text: string): string => (text === '' ? '-' : text)
  const failed = checks.filter(({ passed }) => !passed)
  return failed.map(({ label, expected, actual }) => `${label}: ${words.expected} ${shown(expected)}, ${words.got} ${shown(actual)}`).join('; ')
}

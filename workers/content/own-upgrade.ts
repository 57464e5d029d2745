/** What breaks in own files when the ruleset below them changes, with test cases and events of the caller. */
import { checkCases, checkUpgrade, type CompiledRuleset, type GivenEvents, type Locale, type Moment, type SourceFile, type SuiteCase, type UpgradeReport } from '#engine'
import { compileOn } from './compile-on.js'

export interface OwnUpgrade {
  /** The rulesets below the own files: Wazuh would start with both. */
  readonly from: CompiledRuleset
  readonly to: CompiledRuleset
  /** All of scope `adhoc`, which no file of the rulesets has. */
  readonly own: readonly SourceFile[]
  readonly cases: readonly SuiteCase[]
  readonly events: readonly GivenEvents[]
  readonly moment: Moment
  readonly locale: Locale
  readonly mayGoOn: () => boolean
}

export interface OwnUpgradeReport extends UpgradeReport {
  /** Whether there was time for all searches and cases. */
  readonly complete: boolean
}

/** Null: Wazuh would not start with the own files on the old ruleset, so that there is nothing to compare. */
export function checkOwnUpgrade({ from, to, own, cases, events, moment, locale, mayGoOn }: OwnUpgrade): OwnUpgradeReport | null {
  const old = compileOn(from, own)
  if (!old.loads) return null
  const now = compileOn(to, own)
  // Cases are what the caller asks for, and cost little; searches take all time that there is.
  const red = checkCases({ old, now, cases, moment, locale, mayGoOn })
  const report = checkUpgrade({
    old: { base: from, own: old },
    now: { base: to, own: now },
    ownScope: 'adhoc',
    compile: (files) => compileOn(to, files),
    events,
    locale,
    mayGoOn,
  })
  return { ...report, findings: [...report.findings, ...red.findings], complete: red.complete && (report.own?.complete ?? mayGoOn()) }
}

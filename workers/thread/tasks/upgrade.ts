/** Says what breaks in own files when the ruleset below them changes: that of the task is the old one. */
import type { OwnBehaviour, SourceFile, SuiteCase, UpgradeFinding } from '#engine'
import { checkOwnUpgrade } from '../../content/own-upgrade.js'
import { momentAt, now } from '../../shared/clock.js'
import type { RulesetReference, TaskHead } from '../../shared/protocol.js'
import { entryOf, plain, type TaskDefinition } from './context.js'

/** Its answer is an `UpgradeCheck`. */
export interface UpgradeTask extends TaskHead {
  readonly kind: 'upgrade'
  /** The new ruleset. It carries its files, and the disk content unless the old one does. */
  readonly to: RulesetReference
  /** The own files, all of scope `adhoc`. */
  readonly own: readonly SourceFile[]
  /** Cases that are run on both. */
  readonly cases: readonly SuiteCase[]
  readonly seconds: number
  /** Milliseconds after which nothing further is searched for. */
  readonly budgetMs: number
  /** Maximum number of findings. */
  readonly limit: number
}

/** A finding without its edits: the merged files have them. */
export interface CheckedFinding extends Omit<UpgradeFinding, 'edits'> {
  readonly mergeable: boolean
}

export interface UpgradeCheck {
  /** Whether Wazuh would start with the rulesets alone, and with the own files on the old one; nothing is compared unless it would with each. */
  readonly fromLoads: boolean
  readonly toLoads: boolean
  readonly ownLoads: boolean
  readonly complete: boolean
  /** Numbers of all findings. */
  readonly counts: Readonly<Record<UpgradeFinding['severity'] | 'mergeable', number>>
  readonly findings: readonly CheckedFinding[]
  /** Null: nothing was run. */
  readonly own: OwnBehaviour | null
  /** The own files that a merge changes. */
  readonly merged: readonly SourceFile[]
}

const NO_COUNTS = { error: 0, warning: 0, info: 0, mergeable: 0 }

export const upgrade: TaskDefinition<UpgradeTask> = {
  run(context, { to: reference, own, cases, seconds, budgetMs, limit, locale }) {
    const from = entryOf(context).ruleset
    const found = context.cache.find(reference)
    // The main thread sends all that this ruleset needs.
    if (typeof found === 'string') throw new TypeError(`an upgrade without its ${found}`)
    const to = found.entry.ruleset
    const ends = now() + budgetMs
    const mayGoOn = (): boolean => now() < ends
    const report = from.loads && to.loads ? checkOwnUpgrade({ from, to, own, cases, events: [], moment: momentAt(seconds), locale, mayGoOn }) : null
    const check: UpgradeCheck = {
      fromLoads: from.loads,
      toLoads: to.loads,
      // Without both rulesets it was not tried.
      ownLoads: report !== null,
      complete: report?.complete ?? true,
      counts: report === null ? NO_COUNTS : countsOf(report.findings),
      findings: (report?.findings ?? []).slice(0, limit).map(({ edits, ...finding }) => ({ ...finding, mergeable: edits.length > 0 })),
      own: report?.own ?? null,
      merged: (report?.merged ?? []).map(({ file, content }) => ({ ...file, content })),
    }
    return plain(check)
  },
}

function countsOf(findings: readonly UpgradeFinding[]): UpgradeCheck['counts'] {
  const counts = { ...NO_COUNTS }
  for (const { severity, edits } of findings) {
    counts[severity]++
    if (edits.length > 0) counts.mergeable++
  }
  return counts
}

/** What a publication says at the forge: the message of its commit, title and body of its review. English, because a repository has no language setting. */
import type { MergeChange } from '#workers'
import { codeSpan, impactMarkdown } from '../../../content/impact/service.js'
import { trailerOf } from './lease.js'
import type { Plan } from './plan.js'

/** Files that the body lists. */
const FILES_LISTED = 50
/** Rules that the message of a commit lists for each kind of change. */
const RULES_LISTED = 100
/** Ids of rules. Anything else would be text of the content, and forges interpret texts like `@name` and `fixes #1` in messages. */
const RULE_ID = /^\d+$/
const CHANGES = ['added', 'changed', 'removed'] as const satisfies readonly MergeChange['change'][]
/** A slug may be long, and forges cut the first line of a message. */
const SLUG_CHARACTERS = 40

export interface Announcement {
  readonly title: string
  readonly body: string
}

/** Returns the message of a commit: numbers, and the ids of rules, so that a search of the history finds them. The slug has letters, digits and hyphens only. */
export function commitMessage(slug: string, changes: readonly MergeChange[], runId: string): string {
  const rules = CHANGES.flatMap((change) => {
    const ids = changes.filter((each) => each.kind === 'rule' && each.change === change && RULE_ID.test(each.name)).map(({ name }) => name)
    return ids.length === 0 ? [] : [`Rules ${change}: ${ids.slice(0, RULES_LISTED).join(', ')}${ids.length > RULES_LISTED ? `, and ${ids.length - RULES_LISTED} more` : ''}`]
  })
  return [titleOf(slug, changes), ...(rules.length === 0 ? [] : [rules.join('\n')]), `${trailerOf(runId)}\n`].join('\n\n')
}

export function announcementOf({ project, merged, compared }: Pick<Plan, 'project' | 'merged' | 'compared'>, paths: readonly string[]): Announcement {
  const files = paths.slice(0, FILES_LISTED).map((path) => `- ${codeSpan(path)}`)
  const more = paths.length > FILES_LISTED ? [`- and ${paths.length - FILES_LISTED} more`] : []
  const parts = [
    `Publishes the project ${codeSpan(project.slug)}: ${summaryOf(merged.changes)}.`,
    compared === null ? '' : impactMarkdown(compared),
    ['**Files**', '', ...files, ...more].join('\n'),
    'Publishing the project again updates this branch and this text, unless somebody else has committed to the branch.',
  ]
  return { title: titleOf(project.slug, merged.changes), body: parts.filter((part) => part !== '').join('\n\n') }
}

function titleOf(slug: string, changes: readonly MergeChange[]): string {
  return `${slug.slice(0, SLUG_CHARACTERS)}: ${summaryOf(changes)}`
}

/** `2 rules added, 1 removed; 1 decoder changed` */
function summaryOf(changes: readonly MergeChange[]): string {
  const kinds = [...new Set(changes.map(({ kind }) => kind))]
  const parts = kinds.map((kind) => {
    const counts = CHANGES.map((change) => ({ change, count: changes.filter((each) => each.kind === kind && each.change === change).length })).filter(({ count }) => count > 0)
    return counts.map(({ change, count }, at) => (at === 0 ? `${count} ${kind}${count === 1 ? '' : 's'} ${change}` : `${count} ${change}`)).join(', ')
  })
  return parts.length === 0 ? 'no rule, decoder or list changed' : parts.join('; ')
}

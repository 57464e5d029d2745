/** What a publication says at the forge: the message of its commit, title and body of its review. English, because a repository has no language setting. */
import type { MergeChange } from '#workers'
import { codeSpan, impactMarkdown } from '../impact/service.js'
import { trailerOf } from './lease.js'
import type { Plan } from './plan.js'

/** Files that the body lists. */
const FILES_LISTED = 50

export interface Announcement {
  readonly title: string
  readonly body: string
}

/** Returns the message of a commit. The slug of a project has letters, digits and hyphens only. */
export function commitMessage(slug: string, changes: readonly MergeChange[], runId: string): string {
  return `${titleOf(slug)}\n\n${summaryOf(changes)}\n\n${trailerOf(runId)}\n`
}

export function announcementOf({ project, merged, compared }: Pick<Plan, 'project' | 'merged' | 'compared'>, paths: readonly string[]): Announcement {
  const files = paths.slice(0, FILES_LISTED).map((path) => `- ${codeSpan(path)}`)
  const more = paths.length > FILES_LISTED ? [`- and ${paths.length - FILES_LISTED} more`] : []
  const parts = [
    `The content of the project ${codeSpan(project.slug)} as a change of this branch: ${summaryOf(merged.changes)}`,
    compared === null ? '' : impactMarkdown(compared),
    ['**Files**', '', ...files, ...more].join('\n'),
    'This text is updated when the project is published again. Commits of others on this branch prevent that.',
  ]
  return { title: titleOf(project.slug), body: parts.filter((part) => part !== '').join('\n\n') }
}

function titleOf(slug: string): string {
  return `Update detection content of ${slug}`
}

function summaryOf(changes: readonly MergeChange[]): string {
  const kinds = [...new Set(changes.map(({ kind }) => kind))]
  const parts = kinds.map((kind) => {
    const count = (change: MergeChange['change']): number => changes.filter((each) => each.kind === kind && each.change === change).length
    return `${kind}s: ${count('added')} added, ${count('changed')} changed, ${count('removed')} removed`
  })
  return parts.length === 0 ? 'no item differs from the branch.' : `${parts.join('; ')}.`
}

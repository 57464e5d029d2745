/** The states of versions, reviews and workspaces, and their transitions (CONTRACT.md#versions-and-reviews). */

/** For each state: the states that may follow, and the action that changes it. */
type Transitions<State extends string> = { readonly [From in State]: { readonly [To in State]?: string } }

export type VersionStatus = 'draft' | 'published' | 'archived'
export type ReviewStatus = 'open' | 'approved' | 'changes_requested' | 'rejected' | 'closed'
export type WorkspaceStatus = 'open' | 'closed'

export const VERSION_TRANSITIONS = {
  draft: { published: 'publish, when the gate passes', archived: 'archive' },
  published: { archived: 'another version is published or restored' },
  archived: { published: 'restore, when it was published before' },
} as const satisfies Transitions<VersionStatus>

const DECISION = 'decide, until the workspace is published'

export const REVIEW_TRANSITIONS = {
  open: { approved: DECISION, changes_requested: DECISION, rejected: DECISION, closed: DECISION },
  approved: { approved: DECISION, changes_requested: DECISION, rejected: DECISION, closed: DECISION },
  changes_requested: { approved: DECISION, changes_requested: DECISION, rejected: DECISION, closed: DECISION },
  rejected: { approved: DECISION, changes_requested: DECISION, rejected: DECISION, closed: DECISION },
  closed: {},
} as const satisfies Transitions<ReviewStatus>

export const WORKSPACE_TRANSITIONS = {
  open: { closed: 'update' },
  closed: { open: 'update' },
} as const satisfies Transitions<WorkspaceStatus>

export const VERSION_STATUSES = Object.keys(VERSION_TRANSITIONS) as [VersionStatus, ...VersionStatus[]]
export const REVIEW_STATUSES = Object.keys(REVIEW_TRANSITIONS) as [ReviewStatus, ...ReviewStatus[]]
/** A status that a decision sets. */
export type ReviewDecision = Exclude<ReviewStatus, 'open'>
export const REVIEW_DECISIONS = Object.keys(REVIEW_TRANSITIONS.open) as [ReviewDecision, ...ReviewDecision[]]
export const WORKSPACE_STATUSES = Object.keys(WORKSPACE_TRANSITIONS) as [WorkspaceStatus, ...WorkspaceStatus[]]

/** Whether a transition is allowed. */
export function mayBecome<State extends string>(transitions: Transitions<State>, from: State, to: State): boolean {
  return transitions[from][to] !== undefined
}

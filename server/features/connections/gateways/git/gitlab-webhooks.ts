/** Deliveries of GitLab's webhooks. GitLab signs nothing: it sends the secret itself, in `X-Gitlab-Token`. */
import { createHash, timingSafeEqual } from 'node:crypto'
import Type from 'typebox'
import { Present } from '../../../../core/egress/answers.js'
import type { GitEvent, GitWebhooks } from './gateway.js'

/** SHA-1 or SHA-256. It becomes part of addresses of the forge. */
const CommitId = Type.String({ pattern: '^([0-9a-f]{40}|[0-9a-f]{64})$' })
const Push = Type.Object({
  ref: Type.String(),
  after: CommitId,
  project: Type.Object({ path_with_namespace: Type.String() }),
})
const MergeRequest = Type.Object({
  changes: Type.Optional(Type.Object({ target_branch: Type.Optional(Present), merge_status: Type.Optional(Present) })),
  project: Type.Object({ path_with_namespace: Type.String() }),
  object_attributes: Type.Object({
    iid: Type.Integer({ minimum: 1 }),
    action: Type.Optional(Type.String()),
    state: Type.Optional(Type.String()),
    oldrev: Type.Optional(Type.String()),
    source_branch: Type.String(),
    target_branch: Type.String(),
    last_commit: Type.Object({ id: CommitId }),
  }),
})

const BRANCH = 'refs/heads/'
/** The commit of a branch that was deleted. */
const NO_COMMIT = /^0+$/
const IGNORED: GitEvent = { kind: 'ignored' }

export const gitlabWebhooks: GitWebhooks = {
  isAuthentic({ header }, secret) {
    const token = header('x-gitlab-token')
    // Hashes have the same length, so that the comparison takes the same time for every token.
    return token !== undefined && timingSafeEqual(digest(token), digest(secret))
  },

  deliveryId({ header }) {
    // The key is the same for every attempt. Older versions send only the id of the event, which is the same for all webhooks that the event causes, directly or indirectly.
    return header('idempotency-key') ?? header('x-gitlab-event-uuid') ?? null
  },

  async parse({ header, body }, reader) {
    const event = header('x-gitlab-event')
    if (event !== 'Push Hook' && event !== 'Merge Request Hook') return IGNORED
    if (event === 'Push Hook') {
      const push = await reader.json(Push, body)
      return push.kind === 'valid' ? pushOf(push.value) : null
    }
    const review = await reader.json(MergeRequest, body)
    return review.kind === 'valid' ? reviewOf(review.value) : null
  },
}

function pushOf({ ref, after, project }: Type.Static<typeof Push>): GitEvent {
  if (!ref.startsWith(BRANCH) || NO_COMMIT.test(after)) return IGNORED
  return { kind: 'push', repository: project.path_with_namespace, branch: ref.slice(BRANCH.length), headSha: after }
}

function reviewOf({ project, changes, object_attributes: request }: Type.Static<typeof MergeRequest>): GitEvent {
  const of = { repository: project.path_with_namespace, number: request.iid }
  // Older versions report another target branch as another `merge_status` alone.
  const isRetargeted = request.state === 'opened' && (changes?.target_branch ?? changes?.merge_status) !== undefined
  switch (request.action) {
    case 'merge':
    case 'close':
      return { kind: 'review_closed', ...of, isMerged: request.action === 'merge' }
    case 'update':
      // Only a push has `oldrev`; other updates are of titles and labels.
      if (request.oldrev === undefined && !isRetargeted) return IGNORED
      break
    case 'open':
    case 'reopen':
      break
    default:
      return IGNORED
  }
  return { kind: 'review', ...of, sourceBranch: request.source_branch, targetBranch: request.target_branch, headSha: request.last_commit.id }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

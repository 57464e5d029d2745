/** Deliveries of the webhooks of Gitea and Forgejo: signed with HMAC-SHA256 over the body, in `X-Gitea-Signature`. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { Present } from '../../../../core/egress/answers.js'
import type { GitEvent, GitWebhooks } from './gateway.js'

/** SHA-1 or SHA-256. It becomes part of addresses of the forge. */
const CommitId = Type.String({ pattern: '^([0-9a-f]{40}|[0-9a-f]{64})$' })
const Repository = Type.Object({ full_name: Type.String() })
const Push = Type.Object({ ref: Type.String(), after: CommitId, repository: Repository })
const PullRequest = Type.Object({
  action: Type.String(),
  changes: Type.Optional(Type.Union([Type.Object({ ref: Type.Optional(Present) }), Type.Null()])),
  number: Type.Integer({ minimum: 1 }),
  repository: Repository,
  pull_request: Type.Object({
    merged: Type.Boolean(),
    head: Type.Object({ ref: Type.String(), sha: CommitId }),
    base: Type.Object({ ref: Type.String() }),
  }),
})

const BRANCH = 'refs/heads/'
/** The commit of a branch that was deleted. */
const NO_COMMIT = /^0+$/
const SIGNATURE = /^[0-9a-f]{64}$/i
const IGNORED: GitEvent = { kind: 'ignored' }

export const giteaWebhooks: GitWebhooks = {
  isAuthentic({ header, body }, secret) {
    const signature = header('x-gitea-signature')
    if (signature === undefined || !SIGNATURE.test(signature)) return false
    return timingSafeEqual(Buffer.from(signature, 'hex'), createHmac('sha256', secret).update(body).digest())
  },

  deliveryId({ header }) {
    return header('x-gitea-delivery') ?? null
  },

  async parse({ header, body }, reader) {
    const event = header('x-gitea-event')
    if (event !== 'push' && event !== 'pull_request') return IGNORED
    if (event === 'push') {
      const push = await reader.json(Push, body)
      return push.kind === 'valid' ? pushOf(push.value) : null
    }
    const review = await reader.json(PullRequest, body)
    return review.kind === 'valid' ? reviewOf(review.value) : null
  },
}

function pushOf({ ref, after, repository }: Static<typeof Push>): GitEvent {
  if (!ref.startsWith(BRANCH) || NO_COMMIT.test(after)) return IGNORED
  return { kind: 'push', repository: repository.full_name, branch: ref.slice(BRANCH.length), headSha: after }
}

function reviewOf({ action, changes, number, repository, pull_request: { merged, head, base } }: Static<typeof PullRequest>): GitEvent {
  const of = { repository: repository.full_name, number }
  const review: GitEvent = { kind: 'review', ...of, sourceBranch: head.ref, targetBranch: base.ref, headSha: head.sha }
  switch (action) {
    case 'opened':
    case 'reopened':
    case 'synchronized':
      return review
    case 'edited':
      // An edit is of the title, the text or the target branch.
      return changes?.ref === undefined || changes.ref === null ? IGNORED : review
    case 'closed':
      return { kind: 'review_closed', ...of, isMerged: merged }
    default:
      return IGNORED
  }
}

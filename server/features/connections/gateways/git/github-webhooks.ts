/** Deliveries of GitHub's webhooks with a JSON body (`application/json`). */
import { createHmac, timingSafeEqual } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { Present } from '../../../../core/egress/answers.js'
import type { GitEvent, GitWebhooks } from './gateway.js'

/** SHA-1: GitHub has no repositories with SHA-256. */
const Sha = Type.String({ pattern: '^[0-9a-f]{40}$' })
const Repository = Type.Object({ full_name: Type.String({ maxLength: 300 }) })
const Push = Type.Object({ ref: Type.String({ maxLength: 1000 }), after: Sha, deleted: Type.Boolean(), repository: Repository })
const Ref = Type.Object({ ref: Type.String({ maxLength: 1000 }) })
const Pull = Type.Object({
  action: Type.String({ maxLength: 100 }),
  changes: Type.Optional(Type.Object({ base: Type.Optional(Present) })),
  number: Type.Integer({ minimum: 1 }),
  repository: Repository,
  pull_request: Type.Object({
    merged: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    head: Type.Object({ ref: Type.String({ maxLength: 1000 }), sha: Sha }),
    base: Ref,
  }),
})

const BRANCH = 'refs/heads/'
/** Actions after which a review has a head that was not checked. */
const NEW_HEAD: ReadonlySet<string> = new Set(['opened', 'synchronize', 'reopened'])

/** Reads deliveries of GitHub. */
export const githubWebhooks: GitWebhooks = {
  isAuthentic(request, secret) {
    const [, signature = ''] = /^sha256=([0-9a-f]{64})$/.exec(request.header('x-hub-signature-256') ?? '') ?? []
    const expected = createHmac('sha256', secret).update(request.body).digest()
    const sent = Buffer.from(signature, 'hex')
    return sent.length === expected.length && timingSafeEqual(sent, expected)
  },

  deliveryId(request) {
    const id = request.header('x-github-delivery')
    return id !== undefined && /^[\w-]{1,100}$/.test(id) ? id : null
  },

  async parse({ header, body }, reader) {
    switch (header('x-github-event')) {
      case 'push': {
        const push = await reader.json(Push, body)
        return push.kind === 'valid' ? pushOf(push.value) : null
      }
      case 'pull_request': {
        const review = await reader.json(Pull, body)
        return review.kind === 'valid' ? reviewOf(review.value) : null
      }
      default:
        return { kind: 'ignored' }
    }
  },
}

function pushOf({ ref, after, deleted, repository }: Static<typeof Push>): GitEvent {
  if (deleted || !ref.startsWith(BRANCH)) return { kind: 'ignored' }
  return { kind: 'push', repository: repository.full_name, branch: ref.slice(BRANCH.length), headSha: after }
}

function reviewOf({ action, changes, number, repository, pull_request: { merged, head, base } }: Static<typeof Pull>): GitEvent {
  const review = { repository: repository.full_name, number }
  if (action === 'closed') return { kind: 'review_closed', ...review, isMerged: merged === true }
  // An edit is of the title, the text or the target branch.
  const isRetargeted = action === 'edited' && changes?.base !== undefined
  if (!NEW_HEAD.has(action) && !isRetargeted) return { kind: 'ignored' }
  return { kind: 'review', ...review, sourceBranch: head.ref, targetBranch: base.ref, headSha: head.sha }
}

/** Deliveries of webhooks as the forges send them: one body and one set of headers, of which each provider's reader takes its own. */
import { createHmac, randomUUID } from 'node:crypto'
import { type Answer, Client } from '../client.js'
import type { BindingRecord } from './bindings.js'

export interface ReportedReview {
  readonly number: number
  readonly sourceBranch: string
  readonly headSha: string
}

export function deliverPush(origin: string, binding: Hook, repository: string, headSha: string): Promise<Answer<{ status: string }>> {
  return deliver(origin, binding, { github: 'push', gitlab: 'Push Hook' }, { ...of(repository), ref: 'refs/heads/main', after: headSha, deleted: false })
}

/** Reports a review to `main` that was opened. */
export function deliverReview(origin: string, binding: Hook, repository: string, { number, sourceBranch, headSha }: ReportedReview): Promise<Answer<{ status: string }>> {
  return deliver(
    origin,
    binding,
    { github: 'pull_request', gitlab: 'Merge Request Hook' },
    {
      ...of(repository),
      action: 'opened',
      number,
      pull_request: { merged: false, head: { ref: sourceBranch, sha: headSha }, base: { ref: 'main' } },
      object_attributes: { iid: number, action: 'open', source_branch: sourceBranch, target_branch: 'main', last_commit: { id: headSha } },
    },
  )
}

type Hook = Pick<BindingRecord, 'id' | 'webhook_secret'>

const of = (repository: string) => ({ repository: { full_name: repository }, project: { path_with_namespace: repository } })

function deliver(origin: string, { id, webhook_secret: secret }: Hook, event: { github: string; gitlab: string }, payload: object): Promise<Answer<{ status: string }>> {
  const raw = JSON.stringify(payload)
  const [signature, delivery] = [createHmac('sha256', secret).update(raw).digest('hex'), randomUUID()]
  const headers = {
    'Content-Type': 'application/json',
    ...{ 'X-GitHub-Event': event.github, 'X-GitHub-Delivery': delivery, 'X-Hub-Signature-256': `sha256=${signature}` },
    ...{ 'X-Gitea-Event': event.github, 'X-Gitea-Delivery': delivery, 'X-Gitea-Signature': signature },
    ...{ 'X-Gitlab-Event': event.gitlab, 'Idempotency-Key': delivery, 'X-Gitlab-Token': secret },
  }
  return new Client(origin).call<{ status: string }>('POST', `/webhooks/git/${id}`, { raw, headers })
}

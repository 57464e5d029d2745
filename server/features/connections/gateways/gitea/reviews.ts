/** Pull requests, statuses and comments of Gitea. */
import Type, { type Static } from 'typebox'
import { malformedAnswer, pageUrl } from '../../../../core/egress/answers.js'
import { ProviderError } from '../../../../core/egress/provider-error.js'
import type { CommitStatus, GitReview, NewReview, ReviewGateway } from '../git/gateway.js'
import { GITEA, type GiteaApi, type GiteaCall } from './api.js'
import { repositorySegments } from './repository.js'

/** Open pull requests that are searched. */
const REVIEWS_LIMIT = 10_000
/** Longest title that Gitea stores, and longest description that its page shows in one line. */
const TITLE_CHARACTERS = 255
const DESCRIPTION_CHARACTERS = 255

const Side = Type.Object({ ref: Type.String(), sha: Type.String(), repo_id: Type.Integer() })
const PullRequest = Type.Object({
  number: Type.Integer(),
  html_url: Type.String(),
  state: Type.Union([Type.Literal('open'), Type.Literal('closed')]),
  title: Type.String(),
  head: Side,
  base: Side,
  merged: Type.Boolean(),
  merge_commit_sha: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  mergeable: Type.Boolean(),
})
const User = Type.Object({ id: Type.Integer() })
const Comment = Type.Object({ id: Type.Integer(), body: Type.String(), user: Type.Union([User, Type.Null()]) })
const Status = Type.Object({ id: Type.Integer() })

export class GiteaReviews implements ReviewGateway {
  readonly #api: GiteaApi

  constructor(api: GiteaApi) {
    this.#api = api
  }

  async findOpenReview(repository: string, { sourceBranch, targetBranch }: Pick<NewReview, 'sourceBranch' | 'targetBranch'>, signal: AbortSignal): Promise<GitReview | null> {
    const path = [...repositorySegments(repository), 'pulls']
    const open = await this.#api.list(PullRequest, REVIEWS_LIMIT, { path, query: { state: 'open', base_branch: targetBranch }, what: 'repository', signal })
    // A fork may have a branch of the same name.
    const found = open.find(({ head, base }) => head.ref === sourceBranch && base.ref === targetBranch && head.repo_id === base.repo_id)
    return found === undefined ? null : reviewOf(found)
  }

  async getReview(repository: string, number: number, signal: AbortSignal): Promise<GitReview> {
    return this.#review({ path: [...repositorySegments(repository), 'pulls', String(number)], what: 'review', signal })
  }

  async openReview(repository: string, { sourceBranch, targetBranch, title, body }: NewReview, signal: AbortSignal): Promise<GitReview> {
    const content = { head: sourceBranch, base: targetBranch, title: cut(title, TITLE_CHARACTERS), body }
    return this.#review({ method: 'POST', path: [...repositorySegments(repository), 'pulls'], body: content, what: 'branch', signal })
  }

  async updateReview(repository: string, number: number, { title, body }: Pick<NewReview, 'title' | 'body'>, signal: AbortSignal): Promise<GitReview> {
    const path = [...repositorySegments(repository), 'pulls', String(number)]
    return this.#review({ method: 'PATCH', path, body: { title: cut(title, TITLE_CHARACTERS), body }, what: 'review', signal })
  }

  async setStatus(repository: string, commitSha: string, { state, context, description, url }: CommitStatus, signal: AbortSignal): Promise<void> {
    const body = { state: state === 'canceled' ? 'error' : state, context, description: cut(description, DESCRIPTION_CHARACTERS), target_url: url ?? '' }
    await this.#api.get(Status, { method: 'POST', path: [...repositorySegments(repository), 'statuses', commitSha], body, what: 'commit', signal })
  }

  async setComment(repository: string, number: number, marker: string, body: string, signal: AbortSignal): Promise<void> {
    const issues = [...repositorySegments(repository), 'issues']
    const comments = [...issues, String(number), 'comments']
    // This list has no pages: the limit of an answer's size holds.
    const existing = await this.#api.get(Type.Array(Comment), { path: comments, what: 'review', signal }).catch(async (error: unknown) => {
      // For an unknown number Gitea answers 500 here, and 404 for the review itself.
      if (error instanceof ProviderError && error.details.status === 500) await this.getReview(repository, number, signal)
      throw error
    })
    const marked = existing.filter((comment) => comment.body.includes(marker))
    // Everybody can write the marker, and this credential may edit the comments of others.
    const account = marked.length === 0 ? null : await this.#account(signal)
    const found = marked.find(({ user }) => account === null || user?.id === account)
    if (found === undefined) await this.#api.get(Comment, { method: 'POST', path: comments, body: { body }, what: 'review', signal })
    else await this.#api.get(Comment, { method: 'PATCH', path: [...issues, 'comments', String(found.id)], body: { body }, what: 'review', signal })
  }

  /** Id of the credential's user; null: the token lacks the scope `read:user`. */
  async #account(signal: AbortSignal): Promise<number | null> {
    try {
      return (await this.#api.get(User, { path: ['user'], what: 'user', signal })).id
    } catch (error) {
      if (error instanceof ProviderError && error.failure === 'scope_missing') return null
      throw error
    }
  }

  async #review(call: GiteaCall): Promise<GitReview> {
    return reviewOf(await this.#api.get(PullRequest, call))
  }
}

function reviewOf({ number, html_url, state, title, head, base, merged, merge_commit_sha, mergeable }: Static<typeof PullRequest>): GitReview {
  const url = pageUrl(html_url)
  if (url === null) throw malformedAnswer(GITEA)
  return {
    number,
    url,
    state: merged ? 'merged' : state,
    title,
    sourceBranch: head.ref,
    targetBranch: base.ref,
    headSha: head.sha,
    mergeSha: merged ? (merge_commit_sha ?? null) : null,
    // Gitea says false also while it computes it.
    isMergeable: state === 'open' ? mergeable : null,
  }
}

/** One line of at most that many characters. */
function cut(text: string, characters: number): string {
  const line = [...text.replace(/\s+/g, ' ').trim()]
  return line.length <= characters ? line.join('') : `${line.slice(0, characters - 1).join('')}…`
}

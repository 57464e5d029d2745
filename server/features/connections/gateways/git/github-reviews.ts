/** Pull requests of GitHub, with their statuses and comments. */
import Type, { type Static } from 'typebox'
import { type GitHubClient, PageUrl, Sha, Unread } from '../github/client.js'
import type { Explanation, Refusal } from '../github/failures.js'
import { objectId, repositoryOf } from '../github/repository.js'
import type { CommitStatus, GitReview, NewReview, ReviewGateway } from './gateway.js'

const PROVIDER = 'github'
/** Characters of a status' description. */
const DESCRIPTION_LENGTH = 140
/** Comments of a review among which ours is searched. It is written when the review is opened, and GitHub lists the oldest first. */
const COMMENTS_LIMIT = 3_000
/** A comment has up to 65,536 characters; this number of them fits into an answer. */
const COMMENTS_PAGE = 30
const COMMENTS_BYTES = 8 * 1024 * 1024

const Head = Type.Object({ ref: Type.String(), sha: Sha, repo: Type.Union([Type.Object({ full_name: Type.String() }), Type.Null()]) })
const PullRequest = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  html_url: PageUrl,
  state: Type.Union([Type.Literal('open'), Type.Literal('closed')]),
  title: Type.String(),
  head: Head,
  base: Type.Object({ ref: Type.String() }),
  merged_at: Type.Union([Type.String(), Type.Null()]),
  merge_commit_sha: Type.Union([Type.String(), Type.Null()]),
  /** Absent in lists. */
  mergeable: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
})
const PullRequests = Type.Array(PullRequest)
const Author = Type.Object({ login: Type.String(), type: Type.String() })
const Comments = Type.Array(Type.Object({ id: Type.Integer(), body: Type.Optional(Type.String()), user: Type.Union([Author, Type.Null()]) }))

/** The reviews of all repositories of a client. */
export function gitHubReviews(client: GitHubClient): ReviewGateway {
  return {
    async findOpenReview(repository, { sourceBranch, targetBranch }, signal) {
      const path = repositoryOf(repository, PROVIDER)
      const call = { parameters: { ...path, state: 'open', head: `${path.owner}:${sourceBranch}`, base: targetBranch }, signal, what: 'repository' }
      const open = await client.call('GET /repos/{owner}/{repo}/pulls', PullRequests, call)
      // A fork of the same owner has the same `head`.
      const isOurs = ({ head }: Static<typeof PullRequest>): boolean => head.ref === sourceBranch && head.repo?.full_name.toLowerCase() === repository.toLowerCase()
      const found = open.find((pull) => isOurs(pull) && pull.base.ref === targetBranch)
      return found === undefined ? null : presentReview(found)
    },

    async getReview(repository, number, signal) {
      const call = { parameters: { ...repositoryOf(repository, PROVIDER), pull_number: number }, signal, what: 'review' }
      return presentReview(await client.call('GET /repos/{owner}/{repo}/pulls/{pull_number}', PullRequest, call))
    },

    async openReview(repository, { sourceBranch, targetBranch, title, body }: NewReview, signal) {
      const call = { parameters: repositoryOf(repository, PROVIDER), body: { title, body, head: sourceBranch, base: targetBranch }, signal, what: 'repository' }
      return presentReview(await client.call('POST /repos/{owner}/{repo}/pulls', PullRequest, call))
    },

    async updateReview(repository, number, { title, body }, signal) {
      const parameters = { ...repositoryOf(repository, PROVIDER), pull_number: number }
      const call = { parameters, body: { title, body }, signal, what: 'review', isRepeatable: true }
      return presentReview(await client.call('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', PullRequest, call))
    },

    /** Repeating it adds an equal status, which replaces the first. */
    async setStatus(repository, commitSha, { state, context, description, url }: CommitStatus, signal) {
      const parameters = { ...repositoryOf(repository, PROVIDER), sha: objectId(commitSha, 'commit', PROVIDER) }
      const body = { state: state === 'canceled' ? 'error' : state, context, description: cut(description), ...(url === null ? {} : { target_url: url }) }
      const explain = ({ status, message }: Refusal): Explanation | null =>
        status === 422 && /no commit found/i.test(message) ? { failure: 'not_found', details: { what: 'commit' } } : null
      await client.call('POST /repos/{owner}/{repo}/statuses/{sha}', Unread, { parameters, body, signal, what: 'commit', isRepeatable: true, explain })
    },

    async setComment(repository, number, marker, body, signal) {
      const path = repositoryOf(repository, PROVIDER)
      const call = { parameters: { ...path, issue_number: number }, signal, what: 'review' }
      const listing = { ...call, pageSize: COMMENTS_PAGE, bodyLimit: COMMENTS_BYTES }
      const comments = await client.list('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', Comments, (page) => page, COMMENTS_LIMIT, listing)
      const marked = comments.filter((comment) => comment.body?.includes(marker))
      // Everybody can write the marker, and this credential may edit the comments of others. An app comments as a bot of its own.
      const account = marked.length === 0 || client.isApp ? null : await client.account(signal)
      const ours = marked.find(({ user }) => (client.isApp ? user?.type === 'Bot' : user?.login === account))
      if (ours === undefined) await client.call('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', Unread, { ...call, body: { body } })
      else {
        const parameters = { ...path, comment_id: ours.id }
        await client.call('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', Unread, { parameters, body: { body }, signal, what: 'review', isRepeatable: true })
      }
    },
  }
}

function presentReview({ number, html_url, state, title, head, base, merged_at, merge_commit_sha, mergeable }: Static<typeof PullRequest>): GitReview {
  const isMerged = merged_at !== null
  return {
    number,
    url: html_url,
    state: isMerged ? 'merged' : state,
    title,
    sourceBranch: head.ref,
    targetBranch: base.ref,
    headSha: head.sha,
    // Before the merge it is the id of a trial merge.
    mergeSha: isMerged ? merge_commit_sha : null,
    isMergeable: mergeable ?? null,
  }
}

/** One line, within the limit. */
function cut(description: string): string {
  const characters = [...description.replace(/\s+/g, ' ').trim()]
  return characters.length <= DESCRIPTION_LENGTH ? characters.join('') : `${characters.slice(0, DESCRIPTION_LENGTH - 1).join('')}…`
}

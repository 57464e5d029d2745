/** Routes of the fake of GitHub: pull requests, statuses and comments. */
import { exampleOf } from './github-description.js'
import { dateOf, named } from './github-routes.js'
import {
  type Answering,
  GitHubRefusal,
  type GitHubState,
  notFound,
  page,
  repositoryOf,
  type StoredComment,
  type StoredPull,
  type StoredRepository,
  type StoredStatus,
} from './github-state.js'

/** Characters of a comment. */
const COMMENT_LENGTH = 65_536
const DESCRIPTION_LENGTH = 140

export const REVIEW_ROUTES: Readonly<Record<string, Answering>> = {
  'GET /repos/{owner}/{repo}/pulls': (state, request) => {
    const repository = repositoryOf(state, request)
    const { query } = request
    const [owner] = repository.fullName.split('/')
    const found = repository.pulls.filter(
      (pull) =>
        (query.get('state') ?? 'open') === pull.state &&
        (!query.has('head') || query.get('head') === `${owner}:${pull.source}`) &&
        (!query.has('base') || query.get('base') === pull.target),
    )
    const { entries, headers } = page(found, request)
    return { status: 200, headers, json: entries.map((pull) => pullJson(state, repository, pull, 'GET /repos/{owner}/{repo}/pulls')) }
  },

  'POST /repos/{owner}/{repo}/pulls': (state, request) => {
    const repository = repositoryOf(state, request)
    const { title, body = '', head, base } = request.body as { title: string; body?: string; head: string; base: string }
    const headSha = repository.branches.get(head)
    if (headSha === undefined || !repository.branches.has(base)) {
      throw new GitHubRefusal(422, 'Validation Failed', { errors: [{ resource: 'PullRequest', field: headSha === undefined ? 'head' : 'base', code: 'invalid' }] })
    }
    if (repository.pulls.some(({ state: now, source, target }) => now === 'open' && source === head && target === base)) {
      throw custom(`A pull request already exists for ${repository.fullName.split('/')[0]}:${head}.`)
    }
    if (headSha === repository.branches.get(base)) throw custom(`No commits between ${base} and ${head}`)
    const pull: StoredPull = { number: repository.pulls.length + 1, source: head, target: base, title, body, state: 'open', headSha, mergeSha: null, comments: [] }
    repository.pulls.push(pull)
    return { status: 201, json: pullJson(state, repository, pull, 'POST /repos/{owner}/{repo}/pulls', 201) }
  },

  'GET /repos/{owner}/{repo}/pulls/{pull_number}': (state, request) => {
    const repository = repositoryOf(state, request)
    return { status: 200, json: pullJson(state, repository, pullOf(repository, request.path.pull_number), 'GET /repos/{owner}/{repo}/pulls/{pull_number}') }
  },

  'PATCH /repos/{owner}/{repo}/pulls/{pull_number}': (state, request) => {
    const repository = repositoryOf(state, request)
    const pull = pullOf(repository, request.path.pull_number)
    const { title, body } = request.body as { title?: string; body?: string }
    Object.assign(pull, { title: title ?? pull.title, body: body ?? pull.body })
    return { status: 200, json: pullJson(state, repository, pull, 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}') }
  },

  'POST /repos/{owner}/{repo}/statuses/{sha}': (state, request) => {
    const repository = repositoryOf(state, request)
    const { sha } = request.path
    if (!repository.objects.commits.has(sha)) throw custom(`No commit found for SHA: ${sha}`)
    const { description = null, target_url = null, context = 'default', state: result } = request.body as Partial<StoredStatus> & Pick<StoredStatus, 'state'>
    if ((description ?? '').length > DESCRIPTION_LENGTH) throw custom(`description is too long (maximum is ${DESCRIPTION_LENGTH} characters)`)
    const status = { sha, state: result, description, target_url, context }
    repository.statuses.push(status)
    return { status: 201, json: { ...exampleOf('POST /repos/{owner}/{repo}/statuses/{sha}', 201), state: result, description, target_url, context } }
  },

  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments': (state, request) => {
    const { comments } = pullOf(repositoryOf(state, request), request.path.issue_number)
    const { entries, headers } = page(comments, request)
    return { status: 200, headers, json: entries.map(commentJson) }
  },

  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments': (state, request) => {
    const repository = repositoryOf(state, request)
    const { comments } = pullOf(repository, request.path.issue_number)
    const { body } = request.body as { body: string }
    if (body.length > COMMENT_LENGTH) throw custom(`body is too long (maximum is ${COMMENT_LENGTH} characters)`)
    const author = request.caller === 'token' ? ({ login: 'mona', type: 'User' } as const) : ({ login: 'content-checks[bot]', type: 'Bot' } as const)
    const comment = { id: 1000 * Number(request.path.issue_number) + comments.length + 1, body, ...author }
    comments.push(comment)
    return { status: 201, json: commentJson(comment) }
  },

  'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}': (state, request) => {
    const found = repositoryOf(state, request)
      .pulls.flatMap(({ comments }) => comments)
      .find(({ id }) => id === Number(request.path.comment_id))
    if (found === undefined) throw notFound()
    found.body = (request.body as { body: string }).body
    return { status: 200, json: commentJson(found) }
  },
}

/** GitHub's refusals of what the fields alone do not show. */
function custom(message: string): GitHubRefusal {
  return new GitHubRefusal(422, 'Validation Failed', { errors: [{ resource: 'PullRequest', code: 'custom', message }] })
}

function pullOf({ pulls }: StoredRepository, number: string): StoredPull {
  const found = pulls[Number(number) - 1]
  if (found === undefined) throw notFound()
  return found
}

function commentJson({ id, body, login, type }: StoredComment): object {
  const [example] = exampleOf<{ user: object }[]>('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', 200)
  return { ...example, id, body, user: { ...example.user, login, type } }
}

/** The head of an open pull request follows its branch. Its `merge_commit_sha` is a trial merge until it is merged. */
function pullJson({ origin, now }: GitHubState, repository: StoredRepository, pull: StoredPull, operation: string, status = 200): object {
  const { branches, objects, fullName } = repository
  if (pull.state === 'open') pull.headSha = branches.get(pull.source) ?? pull.headSha
  const found = exampleOf<Record<string, unknown>>(operation, status)
  const example = (Array.isArray(found) ? found[0] : found) as { head: { repo: object }; base: { repo: object } }
  const [owner] = fullName.split('/')
  const side = (of: { repo: object }, ref: string, sha: string, from = fullName): object => ({
    ...of,
    label: `${owner}:${ref}`,
    ref,
    sha,
    repo: { ...of.repo, ...named({ ...repository, fullName: from }) },
  })
  const target = branches.get(pull.target) ?? pull.headSha
  const merged = pull.mergeSha !== null
  const isDetailed = 'mergeable' in example
  return {
    ...example,
    // The teams of GitHub's example lack a field that its schema requires.
    requested_teams: [],
    number: pull.number,
    html_url: `${origin}/${fullName}/pull/${pull.number}`,
    state: pull.state,
    title: pull.title,
    body: pull.body,
    head: side(example.head, pull.source, pull.headSha, pull.fork),
    base: side(example.base, pull.target, target),
    merged_at: merged ? dateOf(new Date(now())) : null,
    merge_commit_sha: pull.mergeSha ?? 'e5bd3914e2e596debea16f433f57875b5b90bcd6',
    ...(isDetailed ? { merged, mergeable: pull.state === 'open' ? objects.merge(pull.headSha, target) !== null : null } : {}),
  }
}

/** Merges a pull request as its page does. */
export function mergePull({ branches, objects, pulls }: StoredRepository, number: number): void {
  const pull = pulls[number - 1]
  const [source, target] = [branches.get(pull.source)!, branches.get(pull.target)!]
  const tree = objects.merge(source, target)
  if (tree === null) throw new Error('the pull request has conflicts')
  const { sha } = objects.addCommit({ tree, parents: [target, source], message: `Merge pull request #${number}`, author: 'Mona' })
  branches.set(pull.target, sha)
  Object.assign(pull, { state: 'closed', mergeSha: sha, headSha: source })
}

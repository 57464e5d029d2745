/** Routes of the fake of GitHub: accounts, repositories, branches and Git's objects. */
import { MODES } from './seeds.js'
import { exampleOf } from './github-description.js'
import type { StoredCommit, TreeEntry } from './git-objects.js'
import { type Answering, type FakeRequest, GitHubRefusal, type GitHubState, notFound, page, repositoryOf, type StoredRepository } from './github-state.js'

/** GitHub returns no larger blob. */
const BLOB_LIMIT = 100 * 1024 * 1024
const TOKEN_LIFE_MS = 60 * 60_000
const BRANCHES = 'refs/heads/'

type Body<T> = { readonly body: T }

export const REPOSITORY_ROUTES: Readonly<Record<string, Answering>> = {
  'GET /user': (_, request) => {
    if (request.caller === 'installation') throw new GitHubRefusal(403, 'Resource not accessible by integration', {}, { 'X-Accepted-GitHub-Permissions': 'members=read' })
    if (request.caller !== 'token') throw new GitHubRefusal(401, 'Requires authentication')
    return { status: 200, json: { ...exampleOf('GET /user', 200), login: 'mona' } }
  },

  'GET /app/installations/{installation_id}': ({ credentials: { app } }, { caller, path }) => {
    if (caller !== 'app') throw new GitHubRefusal(401, 'A JSON web token could not be decoded')
    if (Number(path.installation_id) !== app?.installationId) throw notFound()
    const example = exampleOf<{ account: Record<string, unknown> }>('GET /app/installations/{installation_id}', 200)
    return { status: 200, json: { ...example, account: { ...example.account, login: 'acme' } } }
  },

  'POST /app/installations/{installation_id}/access_tokens': (state, { caller, path }) => {
    if (caller !== 'app') throw new GitHubRefusal(401, 'A JSON web token could not be decoded')
    if (Number(path.installation_id) !== state.credentials.app?.installationId) throw notFound()
    const token = `ghs_${String(state.installationTokens.size).padStart(36, '0')}`
    const expiresAt = state.now() + TOKEN_LIFE_MS
    state.installationTokens.set(token, expiresAt)
    const expires_at = new Date(expiresAt).toISOString().replace(/\.\d+/, '')
    return { status: 201, json: { ...exampleOf('POST /app/installations/{installation_id}/access_tokens', 201), token, expires_at } }
  },

  'GET /user/repos': (state, request) => {
    if (request.caller !== 'token') throw new GitHubRefusal(401, 'Requires authentication')
    return listed(state, request, () => true)
  },

  'GET /installation/repositories': (state, request) => {
    if (request.caller !== 'installation')
      throw new GitHubRefusal(403, 'You must authenticate with an installation access token in order to list repositories for an installation.')
    const { json, headers } = listed(state, request, () => true)
    return { status: 200, headers, json: { total_count: state.repositories.size, repository_selection: 'selected', repositories: json } }
  },

  'GET /orgs/{org}/repos': (state, request) => {
    if (request.path.org === 'mona' || !hasOwner(state, request.path.org)) throw notFound()
    return listed(state, request, (owner) => owner === request.path.org.toLowerCase())
  },

  // Only public ones, of which there are none here.
  'GET /users/{username}/repos': (state, { path }) => {
    if (!hasOwner(state, path.username)) throw notFound()
    return { status: 200, json: [] }
  },

  'GET /repos/{owner}/{repo}': (state, request) => ({
    status: 200,
    json: { ...exampleOf('GET /repos/{owner}/{repo}', 200), ...named(repositoryOf(state, request)), language: null, source: undefined },
  }),

  'GET /repos/{owner}/{repo}/branches': (state, request) => {
    const repository = repositoryOf(state, request)
    const names = [...repository.branches.keys()].sort()
    const { entries, headers } = page(names, request)
    return {
      status: 200,
      headers,
      json: entries.map((name) => ({ name, commit: { sha: repository.branches.get(name), url: urlOf(request) }, protected: repository.protectedBranches.has(name) })),
    }
  },

  'GET /repos/{owner}/{repo}/branches/{branch}': (state, request) => {
    const { branches, protectedBranches } = repositoryOf(state, request)
    const { branch } = request.path
    const sha = branches.get(branch)
    if (sha === undefined) throw new GitHubRefusal(404, 'Branch not found')
    const example = exampleOf<{ commit: object }>('GET /repos/{owner}/{repo}/branches/{branch}', 200)
    return { status: 200, json: { ...example, name: branch, commit: { ...example.commit, sha }, protected: protectedBranches.has(branch) } }
  },

  'GET /repos/{owner}/{repo}/commits': (state, request) => {
    const repository = existing(repositoryOf(state, request))
    const name = request.query.get('sha') ?? 'main'
    const head = repository.branches.get(name) ?? repository.objects.commits.get(name)?.sha
    if (head === undefined) throw notFound()
    const { entries, headers } = page(repository.objects.history(head), request)
    const [example] = exampleOf<{ commit: Record<string, unknown> }[]>('GET /repos/{owner}/{repo}/commits', 200)
    const json = entries.map(({ sha, message, author, at }) => {
      const signature = { name: author, email: `${author}@example.test`, date: dateOf(at) }
      return { ...example, sha, html_url: `${state.origin}/commit/${sha}`, commit: { ...example.commit, message, author: signature, committer: signature } }
    })
    return { status: 200, headers, json }
  },

  'GET /repos/{owner}/{repo}/git/trees/{tree_sha}': (state, request) => {
    const { objects } = existing(repositoryOf(state, request))
    const sha = objects.commits.get(request.path.tree_sha)?.tree ?? request.path.tree_sha
    const root = objects.tree(sha)
    if (root === undefined) throw notFound()
    const found: object[] = []
    const add = (entries: ReadonlyMap<string, TreeEntry>, prefix: string): void => {
      for (const [name, entry] of entries) {
        if (found.length > state.listingLimit) return
        const isTree = objects.isTree(entry)
        const isSubmodule = entry.mode === MODES.submodule
        const size = objects.blobs.get(entry.sha)?.size
        found.push({
          path: prefix + name,
          mode: isTree ? '040000' : entry.mode,
          type: isTree ? 'tree' : isSubmodule ? 'commit' : 'blob',
          sha: entry.sha,
          ...(size === undefined ? {} : { size }),
          ...(isSubmodule ? {} : { url: urlOf(request) }),
        })
        if (isTree && request.query.has('recursive')) add(objects.tree(entry.sha)!, `${prefix}${name}/`)
      }
    }
    add(root, '')
    return { status: 200, json: { sha, url: urlOf(request), tree: found.slice(0, state.listingLimit), truncated: found.length > state.listingLimit } }
  },

  'POST /repos/{owner}/{repo}/git/trees': (state, request) => {
    const { objects } = existing(repositoryOf(state, request))
    const { base_tree, tree } = (request as Body<{ base_tree?: string; tree: readonly { path: string; mode: string; content?: string; sha?: string | null }[] }>).body
    if (base_tree !== undefined && objects.tree(base_tree) === undefined) throw notFound()
    const files = base_tree === undefined ? new Map<string, TreeEntry>() : objects.filesOf(base_tree)
    for (const { path, mode, content, sha } of tree) {
      if (content !== undefined && sha !== undefined) throw new GitHubRefusal(422, 'Must supply either tree.sha or tree.content, not both')
      if (sha === null && !files.has(path)) throw new GitHubRefusal(422, 'GitRPC::BadObjectState')
      if (typeof sha === 'string' && mode !== MODES.submodule && !objects.blobs.has(sha)) throw new GitHubRefusal(422, `tree.sha ${sha} is not a valid blob`)
      if (sha === null) files.delete(path)
      else files.set(path, { mode, sha: sha ?? objects.addBlob(Buffer.from(content ?? '')) })
    }
    const sha = objects.addFiles(files)
    const entries = [...objects.tree(sha)!].map(([path, entry]) => ({ path, mode: entry.mode, type: objects.isTree(entry) ? 'tree' : 'blob', sha: entry.sha, url: urlOf(request) }))
    return { status: 201, json: { sha, url: urlOf(request), tree: entries, truncated: false } }
  },

  'GET /repos/{owner}/{repo}/git/blobs/{file_sha}': (state, request) => {
    const sha = request.path.file_sha
    const blob = existing(repositoryOf(state, request)).objects.blobs.get(sha)
    if (blob === undefined) throw notFound()
    if (blob.size > BLOB_LIMIT) {
      const message =
        'This API returns blobs up to 100 MB in size. The requested blob is too large to fetch via the API, but you can always clone the repository via Git to obtain it.'
      throw new GitHubRefusal(403, message, { errors: [{ resource: 'Blob', field: 'data', code: 'too_large' }] })
    }
    if (blob.bytes === null) throw new Error(`blob ${sha} of ${blob.size} bytes was read`)
    const content = blob.bytes.toString('base64').replace(/.{60}/g, '$&\n')
    return { status: 200, json: { ...exampleOf('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', 200), content, encoding: 'base64', sha, size: blob.size } }
  },

  'POST /repos/{owner}/{repo}/git/blobs': (state, request) => {
    const { objects } = existing(repositoryOf(state, request))
    const { content, encoding } = (request as Body<{ content: string; encoding: 'utf-8' | 'base64' }>).body
    const sha = objects.addBlob(Buffer.from(content, encoding))
    return { status: 201, json: { sha, url: urlOf(request) } }
  },

  'GET /repos/{owner}/{repo}/git/commits/{commit_sha}': (state, request) => {
    const commit = existing(repositoryOf(state, request)).objects.commits.get(request.path.commit_sha)
    if (commit === undefined) throw notFound()
    return { status: 200, json: commitJson(state, 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}', 200, commit) }
  },

  'POST /repos/{owner}/{repo}/git/commits': (state, request) => {
    const { objects } = existing(repositoryOf(state, request))
    const { message, tree, parents = [] } = (request as Body<{ message: string; tree: string; parents?: readonly string[] }>).body
    if (objects.tree(tree) === undefined) throw new GitHubRefusal(422, 'Tree SHA does not exist')
    if (!parents.every((parent) => objects.commits.has(parent))) throw new GitHubRefusal(422, 'Parent SHA does not exist or is not a commit object')
    return { status: 201, json: commitJson(state, 'POST /repos/{owner}/{repo}/git/commits', 201, objects.addCommit({ message, tree, parents, author: 'Mona' })) }
  },

  'GET /repos/{owner}/{repo}/git/ref/{ref}': (state, request) => {
    const name = request.path.ref.replace(/^heads\//, '')
    const sha = existing(repositoryOf(state, request)).branches.get(name)
    if (sha === undefined) throw notFound()
    return { status: 200, json: referenceJson(name, sha, request) }
  },

  'POST /repos/{owner}/{repo}/git/refs': (state, request) => {
    const { branches, objects, protectedBranches } = existing(repositoryOf(state, request))
    const { ref, sha } = (request as Body<{ ref: string; sha: string }>).body
    if (!ref.startsWith(BRANCHES)) throw new GitHubRefusal(422, 'Reference name is not well-formed')
    const name = ref.slice(BRANCHES.length)
    if (branches.has(name)) throw new GitHubRefusal(422, 'Reference already exists')
    if (!objects.commits.has(sha)) throw new GitHubRefusal(422, 'Object does not exist')
    if (protectedBranches.has(name)) throw ruleViolation()
    branches.set(name, sha)
    return { status: 201, json: referenceJson(name, sha, request) }
  },

  'PATCH /repos/{owner}/{repo}/git/refs/{ref}': (state, request) => {
    const { branches, objects, protectedBranches } = existing(repositoryOf(state, request))
    const { sha, force = false } = (request as Body<{ sha: string; force?: boolean }>).body
    const name = request.path.ref.replace(/^heads\//, '')
    const head = branches.get(name)
    if (head === undefined) throw new GitHubRefusal(422, 'Reference does not exist')
    if (!objects.commits.has(sha)) throw new GitHubRefusal(422, 'Object does not exist')
    if (protectedBranches.has(name)) throw ruleViolation()
    if (!force && !objects.history(sha).some((commit) => commit.sha === head)) throw new GitHubRefusal(422, 'Update is not a fast forward')
    branches.set(name, sha)
    return { status: 200, json: referenceJson(name, sha, request) }
  },
}

/** GitHub's objects are empty until the first commit. */
function existing(repository: StoredRepository): StoredRepository {
  if (repository.branches.size === 0) throw new GitHubRefusal(409, 'Git Repository is empty.')
  return repository
}

function ruleViolation(): GitHubRefusal {
  return new GitHubRefusal(422, 'Repository rule violations found\n\nChanges must be made through a pull request.\n\n')
}

function hasOwner({ repositories }: GitHubState, owner: string): boolean {
  return [...repositories.keys()].some((name) => name.startsWith(`${owner.toLowerCase()}/`))
}

function listed(
  { repositories }: GitHubState,
  request: FakeRequest,
  isWanted: (owner: string) => boolean,
): { status: number; json: unknown; headers: Readonly<Record<string, string>> } {
  // GitHub's example of an installation's repositories lacks fields that its schema requires.
  const operation = request.operation === 'GET /orgs/{org}/repos' ? request.operation : 'GET /user/repos'
  const [example] = exampleOf<object[]>(operation, 200)
  const all = [...repositories.values()].filter(({ fullName }) => isWanted(fullName.toLowerCase().split('/')[0]))
  const { entries, headers } = page(all, request)
  return { status: 200, headers, json: entries.map((repository) => ({ ...example, ...named(repository) })) }
}

/** The fields by which a repository differs from GitHub's example. */
export function named({ fullName, id }: StoredRepository): Record<string, unknown> {
  const [login, name] = fullName.split('/')
  const { owner } = exampleOf<{ owner: object }>('GET /repos/{owner}/{repo}', 200)
  return { id, name, full_name: fullName, owner: { ...owner, login }, private: true, default_branch: 'main' }
}

function commitJson({ origin }: GitHubState, operation: string, status: number, { sha, tree, parents, message, author, at }: StoredCommit): object {
  const url = `${origin}/commit/${sha}`
  const signature = { name: author, email: `${author.toLowerCase()}@example.test`, date: dateOf(at) }
  return {
    ...exampleOf(operation, status),
    sha,
    html_url: url,
    message,
    author: signature,
    committer: signature,
    tree: { sha: tree, url },
    parents: parents.map((parent) => ({ sha: parent, url, html_url: url })),
  }
}

function referenceJson(name: string, sha: string, request: FakeRequest): object {
  return { ref: BRANCHES + name, node_id: 'MDM6UmVm', url: urlOf(request), object: { type: 'commit', sha, url: urlOf(request) } }
}

const urlOf = ({ url }: FakeRequest): string => url.href

/** GitHub writes times without milliseconds. */
export const dateOf = (at: Date): string => at.toISOString().replace(/\.\d+/, '')

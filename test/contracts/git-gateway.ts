/**
 * What every provider of Git has to do: the sentences of `server/features/connections/gateways/git/gateway.ts`. All providers run it (`gitGatewayContract` for each), so nothing
 * here may depend on one of them. A provider brings a `GitUnderTest`, which puts content into its repositories behind the gateway's back.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiError } from '../../server/core/errors.js'
import { type CommitStatus, FILE_BYTES, type GitCapabilities, type GitGateway, type NewCommit, type ReviewGateway } from '../../server/features/connections/gateways/git/gateway.js'
import type { HttpClient } from '../../server/core/egress/client.js'
import { ProviderError, type ProviderFailure } from '../../server/core/egress/provider-error.js'
import { objectId, type SeedCommit, seedBytes, type SeedFile } from '../support/git/seeds.js'
import { FAULTS, failing } from './provider-faults.js'

export interface GitUnderTest {
  readonly gateway: GitGateway
  /** Creates an empty repository of a new name. Its default branch is `main`. @returns `owner/name` */
  createRepository(): Promise<string>
  /** Adds commits to a branch, which is created without a parent if it does not exist. @returns their ids */
  push(repository: string, branch: string, ...commits: readonly SeedCommit[]): Promise<readonly string[]>
  createBranches(repository: string, names: readonly string[], commitSha: string): Promise<void>
  /** Modes of a commit's entries, by path. */
  modesOf(repository: string, commitSha: string): Promise<ReadonlyMap<string, string>>
  /** Forbids pushes to a branch; null: the provider can't. */
  readonly protectBranch: ((repository: string, branch: string) => Promise<void>) | null
  /** Null: the provider has no reviews. */
  readonly reviews: ReviewsUnderTest | null
  /** Null: the provider is in memory. */
  readonly overHttp: OverHttp | null
  close(): Promise<void>
}

/** What people do with reviews, and see of them. */
export interface ReviewsUnderTest {
  merge(repository: string, number: number): Promise<void>
  close(repository: string, number: number): Promise<void>
  bodyOf(repository: string, number: number): Promise<string>
  /** Adds a comment of a person. */
  comment(repository: string, number: number, body: string): Promise<void>
  /** Bodies of its comments, in order. */
  commentsOf(repository: string, number: number): Promise<readonly string[]>
  /** The latest status of each context. */
  statusesOf(repository: string, commitSha: string): Promise<readonly CommitStatus[]>
}

export interface OverHttp {
  /** `base_url` of an integration. */
  readonly baseUrl: string
  /** A gateway like `gateway`, with another client and clock. */
  open(http: Pick<HttpClient, 'send'>, clock: () => number): GitGateway
  /** The gateway's credential, which must never be told. */
  readonly secret: string
  /** A gateway whose credential the provider refuses. */
  readonly refused: GitGateway
}

export interface GitProviderUnderTest {
  readonly name: string
  readonly capabilities: GitCapabilities
  /** Whether `GitUnderTest.overHttp` is there. */
  readonly isOverHttp: boolean
  /** False: the provider compares the changed files, not the head, when it creates a commit (GitLab). Default: true. */
  readonly comparesHead?: boolean
  /** Why the tests can't run here. */
  readonly skip?: string | false
  start(): Promise<GitUnderTest>
}

const UNKNOWN_SHA = '1234567890123456789012345678901234567890'
const LATIN_1 = Buffer.from('<rule id="100001">decis\xe3o</rule>\r\n', 'latin1')
const BYTES = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256))

/** Files whose paths and contents a careless gateway spoils. */
const ODD_FILES: Readonly<Record<string, SeedFile>> = {
  'README.md': '# Content\n',
  'empty.xml': '',
  'rules/0001-first.xml': '<group name="a,">\n</group>\n',
  'rules/no line end': 'no line end',
  'rules/crlf.xml': '<!-- one -->\r\n<!-- two -->\r\n',
  'rules/latin-1.xml': LATIN_1,
  'rules/bytes.bin': BYTES,
  'rules/bom.xml': '\ufeff<group/>\n',
  'rules/with space/and #hash?query&more=%41+plus.xml': 'odd path',
  'rules/ação/決定-😀.xml': 'Unicode path',
  'rules/z.xml': 'last',
  'rules-and-more.xml': 'sorts between a folder and its files in Git',
  'scripts/run.sh': { mode: 'executable', content: '#!/bin/sh\n' },
  'link.xml': { mode: 'symlink', content: 'rules/z.xml' },
  'vendor/library': { mode: 'submodule', content: UNKNOWN_SHA },
}

/** A signal that never aborts. */
const never = (): AbortSignal => new AbortController().signal
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')
const blobOf = (content: string | Uint8Array): string => objectId('blob', Buffer.from(content as Uint8Array))

function isFailure(...failures: readonly ProviderFailure[]): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof ProviderError, `${error}`)
    assert.ok(failures.includes(error.failure), `${error.failure} instead of ${failures.join(' or ')}: ${JSON.stringify(error.details)}`)
    return true
  }
}

export function gitGatewayContract({ name, capabilities, isOverHttp, skip = false, start, comparesHead = true }: GitProviderUnderTest): void {
  describe(`Git gateway contract: ${name}`, { skip }, () => {
    let provider: GitUnderTest
    let gateway: GitGateway

    before(async () => {
      provider = await start()
      gateway = provider.gateway
    })
    after(() => provider?.close())

    const seeded = async (...commits: readonly SeedCommit[]): Promise<{ repository: string; head: string; shas: readonly string[] }> => {
      const repository = await provider.createRepository()
      const shas = await provider.push(repository, 'main', ...commits)
      return { repository, head: shas.at(-1)!, shas }
    }
    const filesOf = async (repository: string, commitSha: string): Promise<Record<string, string>> => {
      const files = await gateway.listFiles(repository, commitSha, never())
      return Object.fromEntries(await Promise.all(files.map(async (file) => [file.path, text(await gateway.readFile(repository, commitSha, file, never()))])))
    }
    const changeOf = (parentSha: string, change: Partial<NewCommit> = {}): NewCommit => ({
      branch: 'main',
      parentSha,
      createsBranch: false,
      message: 'Add a file',
      changes: [{ path: 'new.xml', content: Buffer.from('new'), blobSha: null }],
      ...change,
    })

    describe('repositories', () => {
      it('are listed with their default branch', async () => {
        const { repository } = await seeded({ files: { a: 'a' } })
        if (!capabilities.supports_repository_listing) {
          await assert.rejects(gateway.listRepositories(never()), isFailure('unsupported'))
          return
        }
        const found = (await gateway.listRepositories(never())).find(({ fullName }) => fullName === repository)
        assert.equal(found?.defaultBranch, 'main')
        assert.equal(typeof found.isPrivate, 'boolean')
      })
    })

    describe('branches', () => {
      it('are listed to the end, sorted by name, with their heads', async () => {
        const { repository, head } = await seeded({ files: { a: 'a' } })
        const names = Array.from({ length: 110 }, (_, index) => `feature/${String(index).padStart(3, '0')}`)
        await provider.createBranches(repository, names, head)
        const found = await gateway.listBranches(repository, never())
        assert.deepEqual(
          found.map((branch) => branch.name),
          [...names, 'main'],
        )
        assert.ok(found.every(({ commitSha, isProtected }) => commitSha === head && !isProtected))
      })

      it('have names with slashes, spaces of URLs and Unicode', async () => {
        const { repository, head } = await seeded({ files: { a: 'a' } })
        const names = ['a/b/c', 'ação-#1', '100%25']
        await provider.createBranches(repository, names, head)
        for (const branch of names) {
          assert.deepEqual(await gateway.getBranch(repository, branch, never()), { name: branch, commitSha: head, isProtected: false })
        }
      })

      it('are not found by an unknown name, or in an unknown repository', async () => {
        const { repository } = await seeded({ files: { a: 'a' } })
        await assert.rejects(gateway.getBranch(repository, 'missing', never()), isFailure('not_found'))
        await assert.rejects(gateway.getBranch(`${repository}-missing`, 'main', never()), isFailure('not_found', 'credentials_refused'))
        await assert.rejects(gateway.listBranches(`${repository}-missing`, never()), isFailure('not_found', 'credentials_refused'))
      })

      it('of an empty repository are none', async () => {
        const repository = await provider.createRepository()
        assert.deepEqual(await gateway.listBranches(repository, never()), [])
        await assert.rejects(gateway.getBranch(repository, 'main', never()), isFailure('not_found'))
      })
    })

    describe('files', () => {
      it('are listed by kind with Git’s ids, sorted by path, and read byte for byte', async () => {
        const { repository, head } = await seeded({ files: ODD_FILES })
        const found = await gateway.listFiles(repository, head, never())
        assert.deepEqual(
          found.map(({ path }) => path),
          Object.keys(ODD_FILES).sort(),
        )
        for (const file of found) {
          const { mode, bytes } = seedBytes(ODD_FILES[file.path] as Exclude<SeedFile, null>)
          assert.equal(file.kind, mode === 'executable' ? 'file' : mode, file.path)
          assert.equal(file.blobSha, mode === 'submodule' ? bytes.toString() : objectId('blob', bytes), file.path)
          if (mode === 'submodule') continue
          assert.ok(file.size === null || file.size === bytes.length, file.path)
          assert.deepEqual(Buffer.from(await gateway.readFile(repository, head, file, never())), bytes, file.path)
        }
      })

      it('are those of the commit, not of the branch', async () => {
        const { repository, shas } = await seeded({ files: { 'a.xml': 'one', 'b.xml': 'b' } }, { files: { 'a.xml': 'two', 'b.xml': null } })
        assert.deepEqual(await filesOf(repository, shas[0]), { 'a.xml': 'one', 'b.xml': 'b' })
        assert.deepEqual(await filesOf(repository, shas[1]), { 'a.xml': 'two' })
      })

      it('are listed to the end', async () => {
        const paths = Array.from({ length: 2_500 }, (_, index) => `rules/${index % 50}/${index}.xml`)
        const { repository, head } = await seeded({ files: Object.fromEntries(paths.map((path) => [path, path])) })
        const found = await gateway.listFiles(repository, head, never())
        assert.deepEqual(
          found.map(({ path }) => path),
          [...paths].sort(),
        )
      })

      it('of an unknown commit are not found', async () => {
        const { repository } = await seeded({ files: { a: 'a' } })
        await assert.rejects(gateway.listFiles(repository, UNKNOWN_SHA, never()), isFailure('not_found'))
      })

      it('are read up to a size, and refused above it', async () => {
        const limit = Buffer.alloc(FILE_BYTES, 'x')
        const { repository, head } = await seeded({ files: { limit, above: Buffer.alloc(FILE_BYTES + 1, 'x') } })
        const [above, within] = await gateway.listFiles(repository, head, never())
        assert.equal((await gateway.readFile(repository, head, within, never())).length, FILE_BYTES)
        await assert.rejects(gateway.readFile(repository, head, above, never()), isFailure('too_large'))
        await assert.rejects(gateway.readFile(repository, head, { ...above, size: null }, never()), isFailure('too_large'))
      })
    })

    describe('commits', () => {
      it('are listed newest first, up to the limit', async () => {
        const { repository, shas } = await seeded(...Array.from({ length: 70 }, (_, index) => ({ message: `Change ${index}\n\nBody é`, files: { a: String(index) } })))
        const found = await gateway.listCommits(repository, 'main', 60, never())
        assert.deepEqual(
          found.map(({ sha }) => sha),
          [...shas].reverse().slice(0, 60),
        )
        assert.equal(found[0].message.trim(), 'Change 69\n\nBody é')
        assert.ok(found.every(({ authorName, authoredAt }) => authorName !== '' && !Number.isNaN(authoredAt.getTime())))
        assert.equal((await gateway.listCommits(repository, 'main', 100, never())).length, 70)
        await assert.rejects(gateway.listCommits(repository, 'missing', 10, never()), isFailure('not_found'))
      })
    })

    describe('commit', () => {
      it('changes, adds and deletes files, and leaves the others', async () => {
        const { repository, head } = await seeded({ files: { ...ODD_FILES, 'old/only.xml': 'old' } })
        const created = await gateway.commit(
          repository,
          changeOf(head, {
            message: 'Publish "ação"\n\nThe body.',
            changes: [
              { path: 'rules/0001-first.xml', content: Buffer.from('<group name="b,">\n</group>\n'), blobSha: blobOf('<group name="a,">\n</group>\n') },
              { path: 'rules/latin-1.xml', content: Buffer.concat([LATIN_1, LATIN_1]), blobSha: blobOf(LATIN_1) },
              { path: 'rules/with space/and #hash?query&more=%41+plus.xml', content: BYTES, blobSha: blobOf('odd path') },
              { path: 'rules/ação/決定-😀.xml', content: null, blobSha: blobOf('Unicode path') },
              { path: 'new/folder/ação/regras.xml', content: Buffer.from('new'), blobSha: null },
              { path: 'new/empty.xml', content: Buffer.alloc(0), blobSha: null },
              { path: 'old/only.xml', content: null, blobSha: blobOf('old') },
            ],
          }),
          never(),
        )
        assert.equal((await gateway.getBranch(repository, 'main', never())).commitSha, created.sha)
        const expected: Record<string, SeedFile> = {
          ...ODD_FILES,
          'rules/0001-first.xml': '<group name="b,">\n</group>\n',
          'rules/latin-1.xml': Buffer.concat([LATIN_1, LATIN_1]),
          'rules/with space/and #hash?query&more=%41+plus.xml': BYTES,
          'new/folder/ação/regras.xml': 'new',
          'new/empty.xml': '',
        }
        delete expected['rules/ação/決定-😀.xml']
        const found = await gateway.listFiles(repository, created.sha, never())
        assert.deepEqual(
          found.map(({ path, kind, blobSha }) => [path, kind, blobSha]),
          Object.keys(expected)
            .sort()
            .map((path) => {
              const { mode, bytes } = seedBytes(expected[path] as Exclude<SeedFile, null>)
              return [path, mode === 'executable' ? 'file' : mode, mode === 'submodule' ? bytes.toString() : objectId('blob', bytes)]
            }),
        )
        const [newest, before] = await gateway.listCommits(repository, 'main', 2, never())
        assert.deepEqual([newest.sha, newest.message.trim(), before.sha], [created.sha, 'Publish "ação"\n\nThe body.', head])
      })

      it('keeps the mode of a changed file, and creates plain files', async () => {
        const { repository, head } = await seeded({ files: ODD_FILES })
        const { sha } = await gateway.commit(
          repository,
          changeOf(head, {
            changes: [
              { path: 'scripts/run.sh', content: Buffer.from('#!/bin/sh\nexit 1\n'), blobSha: blobOf('#!/bin/sh\n') },
              { path: 'scripts/new.sh', content: Buffer.from('#!/bin/sh\n'), blobSha: null },
            ],
          }),
          never(),
        )
        const modes = await provider.modesOf(repository, sha)
        assert.equal(modes.get('scripts/run.sh'), '100755')
        assert.equal(modes.get('scripts/new.sh'), '100644')
        assert.equal(modes.get('link.xml'), '120000')
        assert.equal(modes.get('vendor/library'), '160000')
      })

      it('creates a branch at the parent, and refuses one that exists', async () => {
        const { repository, shas } = await seeded({ files: { a: '1' } }, { files: { a: '2' } })
        const created = await gateway.commit(repository, changeOf(shas[0], { branch: 'publish/one', createsBranch: true }), never())
        assert.deepEqual(await filesOf(repository, created.sha), { a: '1', 'new.xml': 'new' })
        const [newest, parent] = await gateway.listCommits(repository, 'publish/one', 10, never())
        assert.deepEqual([newest.sha, parent.sha], [created.sha, shas[0]])
        assert.equal((await gateway.getBranch(repository, 'main', never())).commitSha, shas[1])
        await assert.rejects(gateway.commit(repository, changeOf(shas[1], { branch: 'publish/one', createsBranch: true }), never()), isFailure('head_moved'))
        await assert.rejects(gateway.commit(repository, changeOf(shas[1], { branch: 'main', createsBranch: true }), never()), isFailure('head_moved'))
        assert.equal((await gateway.getBranch(repository, 'publish/one', never())).commitSha, created.sha)
      })

      it('refuses a head that has moved, whatever file the other commit changed', async () => {
        const { repository, head } = await seeded({ files: { a: '1', b: '1' } })
        for (const files of [{ b: '2' }, { 'new.xml': 'theirs' }]) {
          const [moved] = await provider.push(repository, 'main', { files })
          await assert.rejects(gateway.commit(repository, changeOf(head), never()), isFailure('head_moved'))
          assert.equal((await gateway.getBranch(repository, 'main', never())).commitSha, moved)
        }
      })

      it('refuses a branch that was set back to an older commit', async () => {
        const { repository, shas } = await seeded({ files: { a: '1' } }, { files: { a: '2' } })
        await provider.createBranches(repository, ['rewound'], shas[0])
        await assert.rejects(gateway.commit(repository, changeOf(shas[1], { branch: 'rewound' }), never()), isFailure('head_moved'))
        assert.equal((await gateway.getBranch(repository, 'rewound', never())).commitSha, shas[0])
      })

      it('of several callers at once is accepted from one', async () => {
        const { repository, head } = await seeded({ files: { a: '1' } })
        const changes = Array.from({ length: 4 }, (_, index) =>
          changeOf(head, { message: `Race ${index}`, changes: [{ path: `race-${index}`, content: Buffer.from('r'), blobSha: null }] }),
        )
        const outcomes = await Promise.allSettled(changes.map((change) => gateway.commit(repository, change, never())))
        const accepted = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.sha] : []))
        assert.equal(accepted.length, 1)
        for (const outcome of outcomes) if (outcome.status === 'rejected') isFailure('head_moved')(outcome.reason)
        const added = (await gateway.listCommits(repository, 'main', 10, never())).map(({ sha }) => sha).filter((sha) => sha !== head)
        if (comparesHead) {
          assert.equal((await gateway.getBranch(repository, 'main', never())).commitSha, accepted[0])
          assert.deepEqual(added, accepted)
          return
        }
        // What was added nevertheless is told by the error, and overwrites nothing.
        const told = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [(outcome.reason as ProviderError).details.commit_sha] : []))
        assert.ok(added.includes(accepted[0]))
        assert.ok(added.every((sha) => sha === accepted[0] || told.includes(sha)))
        const found = await filesOf(repository, added[0])
        assert.equal(Object.keys(found).length, 1 + added.length)
      })

      it('of several callers at once who change one file is accepted from one', async () => {
        const { repository, head } = await seeded({ files: { a: '1' } })
        const contents = ['2', '3', '4', '5']
        const outcomes = await Promise.allSettled(
          contents.map((content) => gateway.commit(repository, changeOf(head, { changes: [{ path: 'a', content: Buffer.from(content), blobSha: blobOf('1') }] }), never())),
        )
        const accepted = outcomes.findIndex(({ status }) => status === 'fulfilled')
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
        for (const outcome of outcomes) if (outcome.status === 'rejected') isFailure('head_moved')(outcome.reason)
        const [newest, before] = await gateway.listCommits(repository, 'main', 10, never())
        assert.equal(before.sha, head)
        assert.deepEqual(await filesOf(repository, newest.sha), { a: contents[accepted] })
      })

      it('of a branch that does not exist is refused', async () => {
        const { repository, head } = await seeded({ files: { a: '1' } })
        await assert.rejects(gateway.commit(repository, changeOf(head, { branch: 'missing' }), never()), isFailure('not_found'))
      })

      it('to a protected branch is refused', async (test) => {
        if (provider.protectBranch === null) return test.skip('the provider has no protected branches')
        const { repository, head } = await seeded({ files: { a: '1' } })
        await provider.protectBranch(repository, 'main')
        assert.equal((await gateway.getBranch(repository, 'main', never())).isProtected, true)
        await assert.rejects(gateway.commit(repository, changeOf(head), never()), isFailure('branch_protected'))
        assert.equal((await gateway.getBranch(repository, 'main', never())).commitSha, head)
      })
    })

    it('has reviews where it says so', () => {
      assert.equal(gateway.reviews !== null, capabilities.supports_review_publish)
      assert.equal(provider.reviews !== null, capabilities.supports_review_publish)
      assert.equal(provider.overHttp !== null, isOverHttp)
    })

    describe('reviews', { skip: !capabilities.supports_review_publish && 'the provider has none' }, () => {
      const reviewed = async (): Promise<{ repository: string; reviews: ReviewGateway; main: string; source: string }> => {
        const { repository, head } = await seeded({ files: { a: '1\n' } })
        await provider.createBranches(repository, ['proposal'], head)
        const [source] = await provider.push(repository, 'proposal', { files: { b: '1\n' } })
        assert.ok(gateway.reviews !== null)
        return { repository, reviews: gateway.reviews, main: head, source }
      }
      const branches = { sourceBranch: 'proposal', targetBranch: 'main' }
      const proposal = { ...branches, title: 'Publish "ação" & more', body: '## What changes\n\n| a | b |\n|---|---|\n| ç | <x> |\n' }

      it('are opened, found, updated, and follow their branch', async () => {
        const { repository, reviews, source } = await reviewed()
        assert.equal(await reviews.findOpenReview(repository, branches, never()), null)
        const opened = await reviews.openReview(repository, proposal, never())
        const { number, url, state, title, sourceBranch, targetBranch, headSha } = opened
        assert.deepEqual({ state, title, sourceBranch, targetBranch, headSha }, { state: 'open', title: proposal.title, ...branches, headSha: source })
        assert.ok(URL.canParse(url))
        assert.equal(await provider.reviews!.bodyOf(repository, number), proposal.body)
        assert.equal((await reviews.findOpenReview(repository, branches, never()))?.number, number)
        assert.equal(await reviews.findOpenReview(repository, { sourceBranch: 'main', targetBranch: 'proposal' }, never()), null)
        assert.equal(await reviews.findOpenReview(repository, { sourceBranch: 'proposal', targetBranch: 'other' }, never()), null)

        const updated = await reviews.updateReview(repository, number, { title: 'Another title', body: 'Another body' }, never())
        assert.deepEqual([updated.number, updated.title], [number, 'Another title'])
        assert.equal(await provider.reviews!.bodyOf(repository, number), 'Another body')

        const { sha } = await gateway.commit(repository, changeOf(source, { branch: 'proposal' }), never())
        await until(async () => (await reviews.getReview(repository, number, never())).headSha === sha)
      })

      it('that are merged or closed are not open', async () => {
        const { repository, reviews, main } = await reviewed()
        const first = await reviews.openReview(repository, proposal, never())
        await provider.reviews!.close(repository, first.number)
        const closed = await reviews.getReview(repository, first.number, never())
        assert.deepEqual([closed.state, closed.mergeSha], ['closed', null])
        assert.equal(await reviews.findOpenReview(repository, branches, never()), null)

        const second = await reviews.openReview(repository, proposal, never())
        await until(async () => (await reviews.getReview(repository, second.number, never())).isMergeable === true)
        await provider.reviews!.merge(repository, second.number)
        const merged = await reviews.getReview(repository, second.number, never())
        const head = (await gateway.getBranch(repository, 'main', never())).commitSha
        assert.deepEqual([merged.state, merged.mergeSha], ['merged', head])
        assert.notEqual(head, main)
        assert.equal(await reviews.findOpenReview(repository, branches, never()), null)
        assert.deepEqual(await filesOf(repository, head), { a: '1\n', b: '1\n' })
      })

      it('with conflicts are not mergeable', async () => {
        const { repository, reviews } = await reviewed()
        await provider.push(repository, 'proposal', { files: { a: 'ours\n' } })
        await provider.push(repository, 'main', { files: { a: 'theirs\n' } })
        const { number } = await reviews.openReview(repository, proposal, never())
        await until(async () => (await reviews.getReview(repository, number, never())).isMergeable === false)
      })

      it('of an unknown number are not found', async () => {
        const { repository, reviews } = await reviewed()
        await assert.rejects(reviews.getReview(repository, 4711, never()), isFailure('not_found'))
        await assert.rejects(reviews.updateReview(repository, 4711, { title: 't', body: 'b' }, never()), isFailure('not_found'))
        await assert.rejects(reviews.setComment(repository, 4711, '<!-- m -->', '<!-- m -->', never()), isFailure('not_found'))
      })

      it('have one comment a marker, which is replaced', async () => {
        const { repository, reviews } = await reviewed()
        const { number } = await reviews.openReview(repository, proposal, never())
        for (let left = 0; left < 3; left++) await provider.reviews!.comment(repository, number, `A person says ${left}`)
        await provider.reviews!.comment(repository, number, '<!-- one -->\nof a person')
        await reviews.setComment(repository, number, '<!-- one -->', '<!-- one -->\nfirst', never())
        await reviews.setComment(repository, number, '<!-- two -->', '<!-- two -->\nother', never())
        await provider.reviews!.comment(repository, number, 'A person says more')
        await reviews.setComment(repository, number, '<!-- one -->', '<!-- one -->\nsecond', never())
        assert.deepEqual(
          [...(await provider.reviews!.commentsOf(repository, number))].sort(),
          ['<!-- one -->\nof a person', '<!-- one -->\nsecond', '<!-- two -->\nother', 'A person says 0', 'A person says 1', 'A person says 2', 'A person says more'].sort(),
        )
      })

      it('have statuses of their commits, one a context', async () => {
        const { repository, reviews, source } = await reviewed()
        const status = { context: 'detection/content', description: 'The check runs', url: 'https://app.example.test/checks/1' }
        await reviews.setStatus(repository, source, { ...status, state: 'pending' }, never())
        await reviews.setStatus(repository, source, { ...status, context: 'other', state: 'error', url: null }, never())
        await reviews.setStatus(repository, source, { ...status, state: 'failure', description: `2 cases fail${'.'.repeat(2_000)}` }, never())
        const found = await provider.reviews!.statusesOf(repository, source)
        const failure = found.find(({ context }) => context === status.context)
        assert.equal(failure?.state, 'failure')
        assert.ok(failure.description.startsWith('2 cases fail'))
        assert.equal(failure.url, status.url)
        assert.ok(found.some(({ context }) => context === 'other'))
        await reviews.setStatus(repository, source, { ...status, state: 'success' }, never())
        const succeeded = (await provider.reviews!.statusesOf(repository, source)).find(({ context }) => context === status.context)
        assert.deepEqual(succeeded, { ...status, state: 'success' })
        await reviews.setStatus(repository, source, { ...status, context: 'third', state: 'canceled' }, never())
        const canceled = (await provider.reviews!.statusesOf(repository, source)).find(({ context }) => context === 'third')
        assert.ok(['canceled', 'error'].includes(canceled?.state ?? ''), canceled?.state)
      })
    })

    describe('failures', () => {
      interface Subject {
        readonly repository: string
        readonly head: string
      }
      const calls: Readonly<Record<string, (gateway: GitGateway, subject: Subject, signal: AbortSignal) => Promise<unknown>>> = {
        listRepositories: (opened, _, signal) => opened.listRepositories(signal),
        listBranches: (opened, { repository }, signal) => opened.listBranches(repository, signal),
        getBranch: (opened, { repository }, signal) => opened.getBranch(repository, 'main', signal),
        listFiles: (opened, { repository, head }, signal) => opened.listFiles(repository, head, signal),
        readFile: (opened, { repository, head }, signal) => opened.readFile(repository, head, { path: 'a', kind: 'file', blobSha: blobOf('a'), size: 1 }, signal),
        listCommits: (opened, { repository }, signal) => opened.listCommits(repository, 'main', 10, signal),
        commit: (opened, { repository, head }, signal) => opened.commit(repository, changeOf(head), signal),
        'commit that creates a branch': (opened, { repository, head }, signal) => opened.commit(repository, changeOf(head, { branch: 'new', createsBranch: true }), signal),
        findOpenReview: (opened, { repository }, signal) => opened.reviews!.findOpenReview(repository, { sourceBranch: 'a', targetBranch: 'main' }, signal),
        getReview: (opened, { repository }, signal) => opened.reviews!.getReview(repository, 1, signal),
        openReview: (opened, { repository }, signal) => opened.reviews!.openReview(repository, { sourceBranch: 'a', targetBranch: 'main', title: 't', body: 'b' }, signal),
        updateReview: (opened, { repository }, signal) => opened.reviews!.updateReview(repository, 1, { title: 't', body: 'b' }, signal),
        setStatus: (opened, { repository, head }, signal) => opened.reviews!.setStatus(repository, head, { state: 'success', context: 'c', description: 'd', url: null }, signal),
        setComment: (opened, { repository }, signal) => opened.reviews!.setComment(repository, 1, '<!-- m -->', '<!-- m -->', signal),
      }
      const REVIEW_CALLS: ReadonlySet<string> = new Set(['findOpenReview', 'getReview', 'openReview', 'updateReview', 'setStatus', 'setComment'])
      let subject: Subject
      before(async () => {
        subject = await seeded({ files: { a: 'a' } })
      })
      for (const [call, make] of Object.entries(calls)) {
        if (REVIEW_CALLS.has(call) && !capabilities.supports_review_publish) continue
        if (call === 'listRepositories' && !capabilities.supports_repository_listing) continue

        it(`of ${call}: an aborted signal ends it`, async () => {
          await assert.rejects(make(gateway, subject, AbortSignal.abort()), (error: unknown) => {
            isFailure('unavailable')(error)
            assert.equal((error as ProviderError).details.failure, 'aborted')
            return true
          })
        })

        for (const fault of isOverHttp ? FAULTS : []) {
          it(`of ${call}: ${fault.name}`, async () => {
            const { open, secret } = provider.overHttp!
            const now = Date.UTC(2026, 0, 1)
            const opened = open(failing(fault, secret), () => now)
            const error = await make(opened, subject, never()).then(
              () => null,
              (thrown: unknown) => thrown,
            )
            if (error === null && fault.isShape === true && call === 'setStatus') return
            assert.ok(error instanceof ApiError, error === null ? 'it was done' : `${error}`)
            fault.check(error, now)
            assertHidden(error, secret)
          })
        }
      }

      it('a refused credential is told as such', { skip: !isOverHttp && 'the provider is in memory' }, async () => {
        const { refused } = provider.overHttp!
        await assert.rejects(refused.listBranches(subject.repository, never()), isFailure('credentials_refused'))
        await assert.rejects(refused.commit(subject.repository, changeOf(subject.head), never()), isFailure('credentials_refused'))
      })

      it('nothing was written by a call that failed', async () => {
        const found = await gateway.listBranches(subject.repository, never())
        assert.deepEqual(
          found.map((branch) => [branch.name, branch.commitSha]),
          [['main', subject.head]],
        )
      })
    })
  })
}

/** Providers compute some things after they have answered. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let left = 600; left > 0; left--) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.fail('it never became so')
}

/** Looks for a secret in everything that an error may show: its texts, details, and those of its causes. */
function assertHidden(error: unknown, secret: string): void {
  for (let each = error; each instanceof Error; each = each.cause) {
    const shown = JSON.stringify([each.message, each.stack, each instanceof ApiError ? [each.params, each.details, each.headers] : Object.entries(each)])
    assert.ok(!shown.includes(secret), 'an error shows the credential')
    assert.ok(!shown.includes(Buffer.from(secret).toString('base64').replace(/=+$/, '')), 'an error shows the encoded credential')
  }
}

/** Discovery, validation and bundles over HTTP: what a repository has, before and besides an import. The forge is in memory. */
import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import type { Static } from 'typebox'
import { ProviderError, type ProviderFailure, PROVIDER_FAILURES } from '../../server/core/egress/provider-error.js'
import { SOURCE_FILES_LIMIT } from '../../server/content/shared/workspace.js'
import type { GitBindingValidationResult, GitBundleAnswer, GitDiscoverAnswer, GitStructureAnswer } from '../../server/features/connections/git-bindings/discover-schema.js'
import { type Actor, bootstrap, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type BindingRecord, bindingsOf, bound, createBinding, createGitIntegration, openersOf } from '../support/git/bindings.js'
import { MemoryGit } from '../support/git/memory-git.js'
import type { SeedFile } from '../support/git/seeds.js'
import { createProject } from '../support/projects.js'
import { refused, SIGNUP } from './steps.js'

type Structure = Static<typeof GitStructureAnswer>
type Bundle = Static<typeof GitBundleAnswer>
type Discovered = Static<typeof GitDiscoverAnswer>
type Validation = Static<typeof GitBindingValidationResult>

const rules = (...ids: number[]) =>
  `<group name="vpn,">\n${ids.map((id) => `  <rule id="${id}" level="3">\n    <description>Rule ${id}</description>\n  </rule>\n`).join('')}</group>\n`
const decoder = (name: string) => `<decoder name="${name}">\n  <program_name>^${name}$</program_name>\n</decoder>\n`
const FILES = { 'rules/a.xml': rules(100100, 100101), 'rules/b.xml': rules(100200), 'decoders/vpn.xml': decoder('vpn') }

describe('what a repository has', () => {
  let app: TestApp
  let admin: Actor
  let other: Actor
  let integration: string
  const git = new MemoryGit()
  const of = (id = integration, { organizationId } = admin) => `/platform/organizations/${organizationId}/integrations/${id}`
  const repositoryOf = (files: Readonly<Record<string, SeedFile>>): string => {
    const repository = git.createRepository()
    git.push(repository, 'main', { files })
    return repository
  }
  const structureOf = async (files: Readonly<Record<string, SeedFile>>): Promise<Structure> => {
    const answer = await admin.client.post<Structure>(`${of()}/discover`, { repository: repositoryOf(files), branch: 'main' })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  before(async () => {
    app = await startTestApp({ openers: openersOf(git), env: { ...SIGNUP, NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' } })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
    integration = await createGitIntegration(admin)
  })
  after(() => app.close())

  describe('without a binding', () => {
    test('the folders of rules and decoders are found by content, and strays do not count', async () => {
      const found = await structureOf({
        'ruleset/rules/linux/a.xml': rules(1, 2, 3, 4, 5),
        'ruleset/rules/windows/b.xml': rules(6, 7, 8, 9, 10),
        'ruleset/decoders/vpn.xml': decoder('vpn'),
        'ruleset/lists/cloud/keys': 'a:\n',
        'ruleset/lists/keys.cdb': 'compiled',
        'examples/rule.xml': rules(11),
        'pom.xml': '<project/>',
        'README.md': 'Ours',
      })
      assert.deepEqual([found.rules_path, found.decoders_path, found.lists_path], ['ruleset/rules', 'ruleset/decoders', 'ruleset/lists'])
      assert.deepEqual(found.counts, { rule_files: 3, decoder_files: 1, list_files: 1, rules: 11, decoders: 1 })
      assert.deepEqual(
        found.folders.map(({ path, rules: count, decoders, list_files }) => [path, count, decoders, list_files]),
        [
          ['examples', 1, 0, 0],
          ['ruleset/decoders', 0, 1, 0],
          ['ruleset/lists/cloud', 0, 0, 1],
          ['ruleset/rules/linux', 5, 0, 0],
          ['ruleset/rules/windows', 5, 0, 0],
        ],
      )
    })

    test('one folder of both, the root, and a repository without content', async () => {
      const both = await structureOf({ 'content/a/x.xml': rules(1), 'content/b/y.xml': rules(2), 'content/a/d.xml': decoder('x'), 'content/b/d.xml': decoder('y') })
      assert.deepEqual([both.rules_path, both.decoders_path, both.lists_path], ['content', 'content', null])
      const root = await structureOf({ 'local_rules.xml': rules(1), 'local_decoder.xml': decoder('x') })
      assert.deepEqual([root.rules_path, root.decoders_path], ['', ''])
      const none = await structureOf({ 'README.md': 'Nothing', 'pom.xml': '<project/>' })
      assert.deepEqual([none.rules_path, none.decoders_path, none.lists_path, none.folders], [null, null, null, []])
    })

    test('hostile files are no content, and are not followed', async () => {
      const found = await structureOf({
        'rules/a.xml': rules(1),
        'rules/link.xml': { mode: 'symlink', content: '/etc/passwd' },
        'rules/latin.xml': Buffer.from([0xff]),
        'rules/lfs.xml': 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n',
        'rules/mixed.xml': rules(2) + decoder('x'),
      })
      assert.deepEqual(found.counts, { rule_files: 1, decoder_files: 0, list_files: 0, rules: 1, decoders: 0 })
      assert.deepEqual(found.warnings, [
        { code: 'not_utf8', path: 'rules/latin.xml' },
        { code: 'lfs_pointer', path: 'rules/lfs.xml' },
        { code: 'kind_mixed', path: 'rules/mixed.xml' },
      ])
      const many = repositoryOf(Object.fromEntries(Array.from({ length: SOURCE_FILES_LIMIT + 1 }, (_, at) => [`${at}.xml`, 'x'])))
      refused(await admin.client.post(`${of()}/discover`, { repository: many, branch: 'main' }), 400, 'provider_too_large')
    })

    test('a bundle has the content of the suggested paths, and stores nothing', async () => {
      const count = async (): Promise<number> => {
        let records = 0
        for await (const { collection } of app.service.storage.dump()) if (['contents', 'workspaces', 'git_bindings', 'git_runs'].includes(collection)) records++
        return records
      }
      const before = await count()
      const repository = repositoryOf({ ...FILES, 'lists/keys': 'a:1\n', 'tests/pom.xml': '<project/>' })
      const answer = await admin.client.post<Bundle>(`${of()}/sync-import`, { repository, branch: 'main' })
      assert.equal(answer.status, 200, answer.text)
      const { body } = answer
      assert.deepEqual([body.rules_path, body.decoders_path, body.lists_path], ['rules', 'decoders', 'lists'])
      for (const id of ['100100', '100101', '100200']) assert.ok(body.rules_xml.includes(`id="${id}"`))
      assert.ok(body.decoders_xml.includes('name="vpn"'))
      assert.deepEqual(body.lists, [{ name: 'etc/lists/keys', content: 'a:1\n' }])
      assert.deepEqual(
        body.source_files.map(({ path, kind }) => [path, kind]),
        [
          ['decoders/vpn.xml', 'decoders'],
          ['lists/keys', 'lists'],
          ['rules/a.xml', 'rules'],
          ['rules/b.xml', 'rules'],
        ],
      )
      assert.equal(await count(), before)
      // Each blob is read once, the list by the second pass.
      assert.equal(git.calls.filter((call) => call.method === 'readFile' && call.repository === repository).length, 5)
      refused(await admin.client.post(`${of()}/sync-import`, { repository: repositoryOf({ a: 'x' }), branch: 'main' }), 400, 'provider_not_found')
    })

    test('fields are checked, and integrations of others or of another kind refused', async () => {
      const chat = await createGitIntegration(admin, {
        kind: 'messaging',
        provider: 'slack',
        settings: { events: ['version.published'] },
        credentials: { webhook_url: 'https://chat.example.test/hook' },
      })
      const body = { repository: 'team/content', branch: 'main' }
      for (const action of ['discover', 'sync-import']) {
        refused(await admin.client.post(`${of(chat)}/${action}`, body), 400, 'bad_request')
        refused(await admin.client.post(`${of(await createGitIntegration(other))}/${action}`, body), 404, 'not_found')
        refused(await admin.client.post(`${of()}/${action}`, { ...body, repository: '../x' }), 422, 'request_validation_failed')
        refused(await admin.client.post(`${of()}/${action}`, { ...body, branch: 'a..b' }), 422, 'request_validation_failed')
        refused(await admin.client.post(`${of()}/${action}`, body), 400, 'provider_not_found')
      }
    })
  })

  describe('of a binding', () => {
    const discover = async (url: string): Promise<Discovered> => {
      const answer = await admin.client.post<Discovered>(`${url}/discover`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }

    test('is counted and stored, without a warning before the first import', async () => {
      const { url, head, binding } = await bound(admin, git, FILES, { integration_id: integration })
      const found = await discover(url)
      const counts = { rule_files: 2, decoder_files: 1, list_files: 0, rules: 3, decoders: 1 }
      assert.deepEqual([found.commit_sha, found.counts, found.warnings], [head, counts, []])
      assert.deepEqual(
        found.files.map(({ path, kind, rule_count, decoder_count }) => [path, kind, rule_count, decoder_count]),
        [
          ['decoders/vpn.xml', 'decoders', 0, 1],
          ['rules/a.xml', 'rules', 2, 0],
          ['rules/b.xml', 'rules', 1, 0],
        ],
      )
      assert.deepEqual((await admin.client.get<BindingRecord>(url)).body.discovered, counts)
      assert.deepEqual([found.run.run_type, found.run.status, found.run.commit_sha], ['discover', 'succeeded', head])
      assert.deepEqual((await admin.client.get<unknown[]>(`/platform/projects/${binding.project_id}/workspaces`)).body, [])
    })

    test('new, removed and renamed files since the import are named', async () => {
      const { url, repository } = await bound(admin, git, { ...FILES, 'rules/old.xml': rules(100300) }, { integration_id: integration })
      assert.equal((await admin.client.post(`${url}/import`)).status, 200)
      git.push(repository, 'main', {
        files: {
          'rules/a.xml': null,
          'rules/access.xml': rules(100100, 100101, 100102),
          'rules/old.xml': null,
          'rules/new.xml': rules(100400),
          'rules/link.xml': { mode: 'symlink', content: 'a.xml' },
        },
      })
      const { warnings } = await discover(url)
      assert.deepEqual(warnings, [
        { code: 'file_renamed', path: 'rules/access.xml', from: 'rules/a.xml' },
        { code: 'symlink', path: 'rules/link.xml', from: null },
        { code: 'file_new', path: 'rules/new.xml', from: null },
        { code: 'file_removed', path: 'rules/old.xml', from: null },
      ])
    })

    test('a failure is a run, and counts stay', async () => {
      const { url } = await bound(admin, git, FILES, { integration_id: integration })
      git.failNext('listFiles', 'unavailable')
      refused(await admin.client.post(`${url}/discover`), 502, 'provider_unavailable')
      const [run] = (await admin.client.get<Discovered['run'][]>(`${url}/runs?run_type=discover`)).body
      assert.deepEqual([run.status, run.error?.code], ['failed', 'provider_unavailable'])
      assert.equal((await admin.client.get<BindingRecord>(url)).body.discovered, null)
    })
  })

  describe('is checked before a binding is created', () => {
    const ENGLISH = { headers: { 'x-locale': 'en-US' } }
    let project: string
    const requestOf = (repository: string, fields: object = {}) => ({
      project_id: project,
      integration_id: integration,
      repository,
      branch: 'main',
      rules_path: 'rules',
      decoders_path: 'decoders',
      publish_strategy: 'direct',
      ...fields,
    })
    const validate = async (repository: string, fields: object = {}): Promise<Validation> => {
      const answer = await admin.client.post<Validation>(`${bindingsOf(admin)}/validate`, requestOf(repository, fields), ENGLISH)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.body.valid, answer.body.errors.length === 0)
      for (const { message } of [...answer.body.errors, ...answer.body.warnings]) assert.match(message, /^[A-Z\w].*\.$/)
      return answer.body
    }
    const codes = (entries: Validation['errors']) => entries.map(({ code, path }) => [code, path])

    before(async () => {
      project = (await createProject(admin)).id
    })

    test('a repository that fits is valid', async () => {
      assert.deepEqual(await validate(repositoryOf({ ...FILES, 'lists/keys': 'a:\n' }), { lists_path: 'lists', publish_strategy: 'review', sync_on_webhook: true }), {
        valid: true,
        warnings: [],
        errors: [],
      })
    })

    test('paths without files, clashing variables and skipped files are found', async () => {
      const missing = await validate(repositoryOf({ 'rules/a.xml': rules(1), 'decoders/README.md': 'none yet' }), { lists_path: 'lists' })
      assert.deepEqual(codes(missing.errors), [['path_missing', 'lists']])
      assert.deepEqual(codes(missing.warnings), [
        ['path_without_content', 'decoders'],
        ['path_without_content', 'lists'],
      ])
      assert.equal(missing.errors[0].message, 'The branch has nothing at this path.')
      const clash = await validate(repositoryOf({ ...FILES, 'rules/a.xml': `<var name="NET">10.</var>\n${rules(1)}`, 'rules/b.xml': `<var name="NET">192.</var>\n${rules(2)}` }))
      assert.deepEqual(codes(clash.errors), [['variable_clash', null]])
      const skipped = await validate(repositoryOf({ ...FILES, 'rules/link.xml': { mode: 'symlink', content: 'a.xml' } }))
      assert.deepEqual([codes(skipped.errors), codes(skipped.warnings)], [[], [['symlink', 'rules/link.xml']]])
    })

    test('strategy, protection and other bindings are compared', async () => {
      const repository = repositoryOf(FILES)
      git.protectBranch(repository, 'main')
      assert.deepEqual(codes((await validate(repository)).warnings), [['branch_protected', null]])
      assert.deepEqual((await validate(repository, { publish_strategy: 'review' })).warnings, [])
      const plain = await createGitIntegration(admin, { provider: 'git', credentials: {} })
      const unsupported = await validate(repository, { integration_id: plain, publish_strategy: 'review', sync_on_webhook: true })
      assert.deepEqual([codes(unsupported.errors), codes(unsupported.warnings)], [[['strategy_unsupported', null]], [['webhook_unsupported', null]]])
      await createBinding(admin, repository, { project_id: project, integration_id: integration })
      assert.deepEqual(codes((await validate(repository, { publish_strategy: 'review' })).warnings), [['branch_bound', null]])
      assert.deepEqual((await validate(repository, { publish_strategy: 'review', project_id: (await createProject(admin)).id })).warnings, [])
    })

    test('every failure of the provider is an error in the answer', async () => {
      const repository = repositoryOf(FILES)
      for (const failure of PROVIDER_FAILURES) {
        for (const method of ['getBranch', 'listFiles', 'readFile'] as const) {
          git.failNext(method, new ProviderError(failure as ProviderFailure, { provider: 'gitea', details: { provider_message: 'ghp_secret' } }))
          const answer = await validate(repository)
          // A file that the provider calls too large is skipped, like others.
          if (method === 'readFile' && failure === 'too_large') assert.deepEqual([answer.valid, answer.warnings[0].code], [true, 'file_too_large'])
          else assert.deepEqual(codes(answer.errors), [[`provider_${failure}`, null]], `${method} ${failure}`)
          assert.ok(!JSON.stringify(answer).includes('ghp_secret'))
        }
      }
      assert.deepEqual(codes((await validate('team/none')).errors), [['provider_not_found', null]])
      assert.deepEqual(codes((await validate(repository, { branch: 'none' })).errors), [['provider_not_found', null]])
    })

    test('ids of others are not found, and fields are checked as in a creation', async () => {
      const url = `${bindingsOf(admin)}/validate`
      refused(await admin.client.post(url, requestOf('team/content', { project_id: (await createProject(other)).id })), 404, 'not_found')
      refused(await admin.client.post(url, requestOf('team/content', { integration_id: await createGitIntegration(other) })), 404, 'not_found')
      refused(await admin.client.post(url, requestOf('team/content', { rules_path: '../x' })), 422, 'request_validation_failed')
    })
  })
})

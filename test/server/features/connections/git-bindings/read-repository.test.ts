/** Reading the content of a repository: what is content, what is skipped, and the limits. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CALLS_AT_ONCE, FILE_BYTES, type GitFile, type GitGateway } from '../../../../../server/features/connections/gateways/git/gateway.js'
import { ProviderError } from '../../../../../server/core/egress/provider-error.js'
import { LISTS_LIMIT, XML_BYTES } from '../../../../../server/content/shared/content.js'
import { SOURCE_FILES_LIMIT } from '../../../../../server/content/shared/workspace.js'
import { listFolder, listName, type ReadRequest, readRepository } from '../../../../../server/features/connections/git-bindings/read-repository.js'
import type { RepositoryPaths } from '../../../../../server/features/connections/git-bindings/store.js'
import { MemoryGit } from '../../../../support/git/memory-git.js'
import type { SeedFile } from '../../../../support/git/seeds.js'

const PATHS: RepositoryPaths = { rules_path: 'rules', decoders_path: 'decoders', lists_path: 'lists' }
const RULE = '<group name="a,">\n  <rule id="100100" level="3">\n    <description>A</description>\n  </rule>\n</group>\n'
const DECODER = '<decoder name="vpn">\n  <program_name>^vpnd$</program_name>\n</decoder>\n'
const signal = new AbortController().signal

async function read(files: Readonly<Record<string, SeedFile>>, paths: RepositoryPaths = PATHS, options: Partial<ReadRequest> = {}) {
  const git = new MemoryGit()
  const repository = git.createRepository()
  const [commitSha] = git.push(repository, 'main', { files })
  return { git, ...(await readRepository(git, { repository, commitSha, paths, provider: 'memory', ...options }, signal)) }
}

/** A gateway with that tree, whose files all have the same text. */
function treeOf(files: readonly GitFile[], text = RULE): GitGateway {
  const git = new MemoryGit()
  return Object.assign(git, { listFiles: async () => files, readFile: async () => Buffer.from(text) })
}

const readTree = (gateway: GitGateway, paths = PATHS) => readRepository(gateway, { repository: 'a/b', commitSha: 'c', paths, provider: 'memory' }, signal)
const entry = (path: string, fields: Partial<GitFile> = {}): GitFile => ({ path, kind: 'file', blobSha: `sha-of-${path}`, size: 10, ...fields })
const failsWith = (what: string) => (error: unknown) => error instanceof ProviderError && error.failure === 'too_large' && error.details.what === what

describe('reading a repository', () => {
  test('files below the paths are content, of the kind of their folder', async () => {
    const { files, skipped } = await read({
      'rules/a.xml': RULE,
      'rules/deep/b.xml': '<!-- nothing yet -->\n',
      'rules/notes.txt': 'no content',
      'rules-of-others/c.xml': RULE,
      'decoders/vpn.xml': DECODER,
      'lists/amazon/keys': 'a:1\n',
      'lists/keys.cdb': 'compiled',
      'lists/README.md': 'read me',
      'lists/.gitkeep': '',
      'other.xml': RULE,
    })
    assert.deepEqual(
      files.map(({ path, kind, rule_ids, decoder_names }) => [path, kind, rule_ids, decoder_names]),
      [
        ['decoders/vpn.xml', 'decoders', [], ['vpn']],
        ['lists/amazon/keys', 'lists', [], []],
        ['rules/a.xml', 'rules', ['100100'], []],
        ['rules/deep/b.xml', 'rules', [], []],
      ],
    )
    assert.deepEqual(skipped, [])
    assert.match(files[0].sha, /^[0-9a-f]{40}$/)
  })

  test('in one folder of both, the elements of a file decide its kind', async () => {
    const { files, skipped } = await read(
      {
        'content/a.xml': RULE,
        'content/b.xml': `<!-- <group> -->${DECODER}`,
        'content/mixed.xml': RULE + DECODER,
        'content/other.xml': '<ossec_config/>',
        'content/unclosed.xml': `<!-- ${RULE}`,
        'content/keys': 'a:\n',
      },
      { rules_path: 'content', decoders_path: 'content', lists_path: 'content' },
    )
    assert.deepEqual(
      files.map(({ path, kind }) => [path, kind]),
      [
        ['content/a.xml', 'rules'],
        ['content/b.xml', 'decoders'],
        ['content/keys', 'lists'],
      ],
    )
    assert.deepEqual(skipped, [
      { code: 'kind_mixed', path: 'content/mixed.xml' },
      { code: 'kind_unknown', path: 'content/other.xml' },
      { code: 'kind_unknown', path: 'content/unclosed.xml' },
    ])
  })

  test('the most specific path decides, and a path may be one file', async () => {
    const files = { 'a.xml': DECODER, 'rules/b.xml': RULE, 'lists/keys': 'a:\n' }
    const nested = await read(files, { rules_path: 'rules', decoders_path: '', lists_path: 'lists/keys' })
    assert.deepEqual(
      nested.files.map(({ path, kind }) => [path, kind]),
      [
        ['a.xml', 'decoders'],
        ['lists/keys', 'lists'],
        ['rules/b.xml', 'rules'],
      ],
    )
    assert.equal(listFolder('lists/keys', nested.files), 'lists')
    assert.equal(listFolder('lists', nested.files), 'lists')
    assert.deepEqual(
      [listName('lists/keys', 'lists/keys'), listName('lists/amazon/keys', 'lists'), listName('keys', '')],
      ['etc/lists/keys', 'etc/lists/amazon/keys', 'etc/lists/keys'],
    )
    const single = await read(files, { rules_path: 'rules/b.xml', decoders_path: 'a.xml', lists_path: null })
    assert.deepEqual(
      single.files.map(({ path }) => path),
      ['a.xml', 'rules/b.xml'],
    )
  })

  test('the text has the bytes of the blob: byte order mark, line ends, everything', async () => {
    const text = `\ufeff${RULE.replaceAll('\n', '\r\n')}<!-- çã\u0000 -->`
    const { files } = await read({ 'rules/a.xml': text })
    assert.ok(Buffer.from(files[0].xml).equals(Buffer.from(text)))
  })

  test('links, submodules, pointers, other encodings and large files are skipped and not followed', async () => {
    const { git, files, skipped } = await read({
      'rules/a.xml': RULE,
      'rules/link.xml': { mode: 'symlink', content: '../../../../etc/passwd' },
      'rules/module.xml': { mode: 'submodule', content: 'f'.repeat(40) },
      'rules/pointer.xml': 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n',
      'rules/latin.xml': Buffer.from([0x3c, 0xe9, 0x3e]),
      'rules/large.xml': 'x'.repeat(FILE_BYTES + 1),
    })
    assert.deepEqual(
      files.map(({ path }) => path),
      ['rules/a.xml'],
    )
    assert.deepEqual(skipped, [
      { code: 'file_too_large', path: 'rules/large.xml' },
      { code: 'not_utf8', path: 'rules/latin.xml' },
      { code: 'symlink', path: 'rules/link.xml' },
      { code: 'submodule', path: 'rules/module.xml' },
      { code: 'lfs_pointer', path: 'rules/pointer.xml' },
    ])
    assert.equal(git.count('readFile'), 3)
  })

  test('a file whose size the provider does not know may turn out too large', async () => {
    const git = treeOf([entry('rules/a.xml', { size: null })])
    Object.assign(git, { readFile: () => Promise.reject(new ProviderError('too_large', { provider: 'memory' })) })
    assert.deepEqual((await readTree(git)).skipped, [{ code: 'file_too_large', path: 'rules/a.xml' }])
  })

  test('a path that leaves its folder, hides itself or occurs twice is skipped, and shown without control characters', async () => {
    const unsafe = [
      'rules/../../etc/cron.d/a.xml',
      'rules//a.xml',
      'rules/./b.xml',
      'rules/.git/c.xml',
      'rules/.GIT/c.xml',
      'rules/a\u0000.xml',
      'rules/\u202elmx.xml',
      `rules/${'a'.repeat(1030)}.xml`,
    ]
    const { files, skipped } = await readTree(treeOf([...unsafe.map((path) => entry(path)), entry('rules/x.xml'), entry('rules/x.xml')]))
    assert.deepEqual(
      files.map(({ path }) => path),
      ['rules/x.xml'],
    )
    assert.deepEqual(new Set(skipped.map(({ code }) => code)), new Set(['path_unsafe']))
    assert.equal(skipped.length, unsafe.length + 1)
    for (const { path } of skipped) assert.doesNotMatch(path, /[\p{Cc}\u202e]/u)
    assert.ok(skipped.every(({ path }) => path.length <= 257))
  })

  test('a blob that is known is not read again, also under another path', async () => {
    const first = await read({ 'rules/a.xml': RULE, 'decoders/a.xml': DECODER })
    const again = await read({ 'rules/moved.xml': RULE, 'decoders/a.xml': `${DECODER}\n` }, PATHS, { known: first.files })
    assert.equal(again.git.count('readFile'), 1)
    assert.equal(again.files.find(({ path }) => path === 'rules/moved.xml')?.xml, RULE)
  })

  test('only selected files are read', async () => {
    const { git, files } = await read({ 'rules/a.xml': RULE, 'rules/b.xml': RULE.replace('100100', '100101') }, PATHS, { selects: (path) => path === 'rules/b.xml' })
    assert.deepEqual([files.map(({ path }) => path), git.count('readFile')], [['rules/b.xml'], 1])
  })

  test('a repository beyond the limits of a content is refused with a code', async () => {
    const many = Array.from({ length: SOURCE_FILES_LIMIT + 1 }, (_, at) => entry(`rules/${at}.xml`))
    const git = treeOf(many)
    await assert.rejects(readTree(git), failsWith('files'))
    assert.equal((await readTree(treeOf(many.slice(1)))).files.length, SOURCE_FILES_LIMIT)
    const half = `<!--x${'é'.repeat(XML_BYTES / 4 - 4)}-->`
    assert.equal((await readTree(treeOf([entry('rules/a.xml'), entry('rules/b.xml'), entry('decoders/c.xml')], half))).files.length, 3)
    await assert.rejects(readTree(treeOf([entry('rules/a.xml'), entry('rules/b.xml')], `${half} `)), failsWith('bytes of rules'))
    await assert.rejects(readTree(treeOf([entry('lists/a'), entry('lists/b')], `${half} `)), failsWith('bytes of lists'))
    const lists = Array.from({ length: LISTS_LIMIT + 1 }, (_, at) => entry(`lists/${at}`))
    await assert.rejects(readTree(treeOf(lists, 'a:\n')), failsWith('lists'))
  })

  test('a limited number of files is read at the same time, and none after a failure', async () => {
    let running = 0
    let most = 0
    let count = 0
    const git = treeOf(Array.from({ length: 50 }, (_, at) => entry(`rules/${at}.xml`)))
    Object.assign(git, {
      async readFile() {
        most = Math.max(most, (running += 1))
        count += 1
        await new Promise(setImmediate)
        running -= 1
        if (count >= 20) throw new ProviderError('unavailable', { provider: 'memory' })
        return Buffer.from(RULE)
      },
    })
    await assert.rejects(readTree(git), (error: unknown) => error instanceof ProviderError && error.failure === 'unavailable')
    assert.equal(most, CALLS_AT_ONCE)
    await new Promise(setImmediate)
    assert.ok(count < 20 + CALLS_AT_ONCE)
  })
})

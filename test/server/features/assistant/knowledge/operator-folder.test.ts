/** The operator's folder: what is read, what is refused, and what the log says. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { IndexedKnowledge } from '../../../../../server/features/assistant/knowledge/base.js'
import type { KnowledgeRecord } from '../../../../../server/features/assistant/knowledge/knowledge.js'
import { OPERATOR_LIMITS, operatorRecords } from '../../../../../server/features/assistant/knowledge/operator-folder.js'

let root: string
let folder: string
let lines: { readonly file?: string; readonly reason?: string }[]

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'knowledge-'))
})
after(() => rm(root, { recursive: true }))
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'folder-'))
  lines = []
})

const log = { info: () => undefined, warn: (fields: object) => void lines.push(fields as { file?: string; reason?: string }) } as unknown as { info(): void; warn(): void }
const put = (name: string, content: string | Uint8Array): Promise<void> => writeFile(join(folder, name), content)

async function read(limits = OPERATOR_LIMITS, from = folder): Promise<KnowledgeRecord[]> {
  const found: KnowledgeRecord[] = []
  for await (const record of operatorRecords(from, log, limits)) found.push(record)
  return found
}

/** The reason of each refused file. */
const refusals = (): Record<string, string | undefined> => Object.fromEntries(lines.map(({ file, reason }) => [file, reason]))

describe('the folder of the operator', () => {
  test('is split by headings, with the path of headings as title', async () => {
    await mkdir(join(folder, 'soc'))
    await put('soc/vpn.md', 'Before.\n# VPN\nCall the desk.\n## Brute force ##\nSee WD-1234.\n```\n# no heading\n```\n## Brute force\nAgain.\n#### Deep\nx\n')
    await put('notes.txt', '# Not Markdown')
    const found = await read()
    assert.deepEqual(
      found.map(({ uid, title }) => [uid, title]),
      [
        ['operator:soc/vpn.md:introduction', 'soc/vpn.md'],
        ['operator:soc/vpn.md:vpn', 'VPN'],
        ['operator:soc/vpn.md:vpn.brute-force', 'VPN › Brute force'],
        ['operator:soc/vpn.md:vpn.brute-force~2', 'VPN › Brute force'],
        ['operator:soc/vpn.md:vpn.brute-force.deep', 'VPN › Brute force › Deep'],
      ],
    )
    assert.match(found[2].text, /# no heading/)
    for (const { trust, kind, locale, contextTypes } of found) assert.deepEqual([trust, kind, locale, contextTypes], ['operator', 'operator', null, ['rule', 'decoder', 'general']])
  })

  test('does not lead out of itself: links are not followed, pipes do not block', async () => {
    await writeFile(join(root, 'secret.md'), '# secret\nkey')
    await mkdir(join(root, 'outside'), { recursive: true })
    await writeFile(join(root, 'outside', 'other.md'), '# other\nkey')
    await symlink(join(root, 'secret.md'), join(folder, 'link.md'))
    await symlink(join(root, 'outside'), join(folder, 'linked'))
    execFileSync('mkfifo', [join(folder, 'pipe.md')])
    await put('own.md', '# own\ntext')
    assert.deepEqual(
      (await read()).map(({ uid }) => uid),
      ['operator:own.md:own'],
    )
  })

  test('refuses files that are no UTF-8, too large or too many, whole and with a line in the log', async () => {
    await put('a.md', Uint8Array.of(0x23, 0x20, 0xc3, 0x28))
    await put('b.md', `# b\n${'x'.repeat(300)}`)
    await put('c.md', '# c\n1\n## c\n2\n## d\n3')
    await put('d.md', '# d\ntext')
    await put('e.md', '# e\ntext')
    await put('f.md', '# f\ntext')
    const found = await read({ ...OPERATOR_LIMITS, fileBytes: 200, files: 2, records: 2 })
    assert.deepEqual(
      found.map(({ title }) => title),
      ['d', 'e'],
    )
    assert.deepEqual(refusals(), { 'a.md': 'not_utf8', 'b.md': 'too_large', 'c.md': 'too_many_records', 'f.md': 'too_many_files' })
    lines = []
    await read({ ...OPERATOR_LIMITS, totalBytes: 25 })
    assert.equal(refusals()['d.md'], 'too_many_bytes')
    assert.ok(!JSON.stringify(lines).includes('text'))
  })

  test('limits depth and entries, and names at most twenty files in the log', async () => {
    await mkdir(join(folder, '1/2/3'), { recursive: true })
    await put('1/2/3/deep.md', '# deep\nx')
    assert.equal((await read({ ...OPERATOR_LIMITS, depth: 3 })).length, 0)
    assert.equal((await read({ ...OPERATOR_LIMITS, depth: 4 })).length, 1)
    assert.equal((await read({ ...OPERATOR_LIMITS, entries: 3 })).length, 0)
    lines = []
    for (let file = 0; file < 30; file += 1) await put(`${file}.md`, Uint8Array.of(0xff))
    await read()
    assert.equal(lines.length, 21)
  })

  test('refuses binary files, and files that are too large', async () => {
    await put('binary.md', Uint8Array.of(0x23, 0x20, 0x00, 0x41))
    await put('large.md', 'x'.repeat(OPERATOR_LIMITS.fileBytes + 1))
    assert.deepEqual(await read(), [])
    assert.deepEqual(refusals(), { 'binary.md': 'binary', 'large.md': 'too_large' })
  })

  // A pattern that takes the square of a line would keep this test for hours.
  test('is read in the time of its size: blanks, marks, headings without an end', async () => {
    const long = 400_000
    await put('blanks.md', `# a${' '.repeat(long)}b\ntext`)
    await put('marks.md', `# a ${'#'.repeat(long)} b\ntext`)
    await put('fences.md', '```x\n'.repeat(long / 5))
    await put('lines.md', '\n'.repeat(long))
    const found = await read()
    assert.deepEqual([...new Set(found.map(({ uid }) => uid.split(':')[1]))], ['blanks.md', 'fences.md', 'marks.md'])
    for (const { uid, title } of found) assert.ok(uid.length < 200 && title.length <= 200, uid)
  })

  test('has short uids below long headings, and different ones for headings that look alike', async () => {
    await put('long.md', `# ${'x'.repeat(1000)}\n## a\n1\n## a\n2\n### 2\n3\n## a.2\n4\n## a~2\n5\n`)
    const uids = (await read()).map(({ uid }) => uid)
    assert.deepEqual([uids.length, new Set(uids).size], [5, 5])
    for (const uid of uids) assert.ok(uid.length < 200, uid)
  })

  test('that is missing, or a file, leaves the built-in records', async () => {
    for (const path of [join(folder, 'missing'), join(root, 'secret.md')]) {
      assert.deepEqual(await read(OPERATOR_LIMITS, path), [])
      assert.equal(lines.length, 1)
      lines = []
    }
  })

  test('is searched in both languages, and read again by a reindex', async () => {
    await put('vpn.md', '# Chamados da VPN\nAbra o chamado WD-1234 quando o concentrador recusa a sessão com -1.')
    const base = new IndexedKnowledge({ declarations: () => ({ routes: [], tags: {}, templates: [] }), folder, log, clock: () => 0 })
    for (const locale of ['en-US', 'pt-BR'] as const) {
      for (const question of ['WD-1234', 'concentrador da vpn']) {
        const [first] = await base.search(question, { limit: 4, locale })
        assert.equal(first.record.uid, 'operator:vpn.md:chamados-da-vpn', `${question} ${locale}`)
        assert.equal(first.record.trust, 'operator')
      }
    }
    const size = base.size
    await rm(join(folder, 'vpn.md'))
    assert.equal(await base.reindex(), size - 1)
    assert.ok((await base.search('WD-1234', { limit: 4, locale: 'en-US' })).every(({ record }) => record.trust === 'built_in'))
  })
})

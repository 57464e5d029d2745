/** Commits and trees are read as Git writes them; hostile ones are refused in a time that grows with their bytes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { COMMIT_BYTES, ENTRIES_LIMIT } from '../../../workers/git/limits.js'
import { commitObject, PackTooLargeError, parseCommit, parseTree } from '../../../workers/git/objects.js'
import { MalformedGitError } from '../../../workers/git/pkt-line.js'

const TREE = 'a'.repeat(40)
const PARENT = 'b'.repeat(40)
const commitBy = (author: string): Buffer => Buffer.from(`tree ${TREE}\nparent ${PARENT}\nauthor ${author}\ncommitter c <c> 0 +0000\n\nmessage\n`)
const entry = (mode: string, name: string): Buffer => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.alloc(20, 1)])

describe('commits', () => {
  it('are read as they are written', () => {
    const at = new Date(1_700_000_000_000)
    const { bytes } = commitObject({ tree: TREE, parent: PARENT, person: { name: 'Ana <Maria>', email: 'a@example.com' }, at, message: 'a\n\nb' })
    assert.deepEqual(parseCommit(bytes), { tree: TREE, parents: [PARENT], authorName: 'Ana', authoredAt: at, message: 'a\n\nb\n' })
    for (const [author, name] of Object.entries({ 'Ana <a@b> 1 +0000': 'Ana', '<a@b> 1 -0300': '', ' <> 1 +0000': '', 'A B <a> b> -1 +0000': 'A B' }))
      assert.equal(parseCommit(commitBy(author)).authorName, name, author)
  })

  it('without a readable author are refused', () => {
    for (const author of ['', 'Ana', 'Ana <a> 1', 'Ana <a> x +0000', 'Ana a> 1 +0000', 'Ana <a 1 +0000', 'Ana <a> 9999999999999999 +0000'])
      assert.throws(() => parseCommit(commitBy(author)), MalformedGitError, author)
  })

  it('whose author is made for slow expressions are refused', () => {
    assert.throws(() => parseCommit(commitBy('<'.repeat(900_000))), MalformedGitError)
    assert.throws(() => parseCommit(commitBy('<>'.repeat(450_000))), MalformedGitError)
    assert.throws(() => parseCommit(commitBy('<> '.repeat(300_000))), MalformedGitError)
  })

  it('that are large are refused before they are split', () => {
    assert.throws(() => parseCommit(Buffer.alloc(COMMIT_BYTES + 1, 'a\n')), PackTooLargeError)
  })
})

describe('trees', () => {
  it('are read as they are written', () => {
    const id = '01'.repeat(20)
    const bytes = Buffer.concat([entry('100644', 'a b'), entry('40000', 'c'), entry('040000', 'd')])
    assert.deepEqual(parseTree(bytes), [
      { mode: '100644', name: 'a b', id },
      { mode: '40000', name: 'c', id },
      { mode: '40000', name: 'd', id },
    ])
  })

  it('with malformed entries are refused', () => {
    for (const bytes of [entry('100644', ''), entry('100644', 'a/b'), entry('1', 'a'), entry('1006440', 'a'), entry(`${'0'.repeat(1000)}40000`, 'a'), Buffer.from('100644 a')])
      assert.throws(() => parseTree(bytes), MalformedGitError)
  })

  it('with more entries than a listing are refused', () => {
    assert.throws(() => parseTree(Buffer.concat(Array<Buffer>(ENTRIES_LIMIT + 1).fill(entry('100644', 'a')))), PackTooLargeError)
  })
})

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { CustomContentState, RefusedContent, ReloadAnswer, TaskOutcome } from '#workers'
import { ContentWatch } from '../../../server/analysis/watch.js'

/** The intervals are long, so that only the tests check the folder. */
const NEVER_MS = 1_000_000

let folder: string
let watch: ContentWatch
let answers: TaskOutcome<ReloadAnswer>[]
/** Result of the reload at the start, which is not counted; null: it has run. */
let first: TaskOutcome<ReloadAnswer> | null
let reloads: number
let state: CustomContentState
const lines: string[] = []
const entries: object[] = []
const note = (fields: object, line?: string): void => {
  lines.push(line ?? '')
  entries.push(fields)
}
const log = { info: note, error: note }

function loaded(changed: boolean, contentId: string, refused: RefusedContent | null = null): TaskOutcome<ReloadAnswer> {
  return { outcome: 'ok', value: { changed, contentId, refused } }
}

beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'watch-')), 'custom')
  answers = []
  first = loaded(false, 'content 0')
  reloads = 0
  state = { state: 'current', since: null }
  lines.length = 0
  entries.length = 0
})

afterEach(() => {
  watch.close()
  rmSync(join(folder, '..'), { recursive: true })
})

function start(): ContentWatch {
  watch = new ContentWatch({
    directory: folder,
    log: log as never,
    pollMs: NEVER_MS,
    settleMs: NEVER_MS,
    pool: {
      get customContent() {
        return state
      },
      reload: async () => {
        if (first !== null) {
          const answer = first
          first = null
          return answer
        }
        reloads++
        return answers.shift() ?? loaded(true, `content ${reloads}`)
      },
    },
  })
  return watch
}

function write(name: string, content: string): void {
  mkdirSync(join(folder, 'rules'), { recursive: true })
  writeFileSync(join(folder, 'rules', name), content)
}

describe('ContentWatch', () => {
  it('waits for a folder that does not exist yet', async () => {
    start()
    await watch.check()
    assert.equal(reloads, 0)
    write('a.xml', 'one')
    await watch.check()
    assert.equal(reloads, 0)
    await watch.check()
    assert.equal(reloads, 1)
    assert.deepEqual(watch.state, { reloads: 1, failures: 0, isStale: false, contentId: 'content 1' })
  })

  it('loads changes between the start and the first check at once, and retries a failed reload', async () => {
    write('a.xml', 'one')
    first = loaded(true, 'newer')
    await start().check()
    assert.deepEqual(watch.state, { reloads: 1, failures: 0, isStale: false, contentId: 'newer' })
    watch.close()
    first = { outcome: 'busy' }
    start()
    await watch.check()
    assert.deepEqual(watch.state, { reloads: 1, failures: 1, isStale: false, contentId: 'content 1' })
  })

  it('does not reload while nothing changes', async () => {
    write('a.xml', 'one')
    start()
    for (let i = 0; i < 3; i++) await watch.check()
    assert.equal(reloads, 0)
  })

  it('waits until the folder does not change', async () => {
    write('a.xml', 'one')
    start()
    await watch.check()
    for (const content of ['two', 'three 3', 'four 44']) {
      write('a.xml', content)
      await watch.check()
      assert.equal(reloads, 0)
    }
    await watch.check()
    assert.equal(reloads, 1)
    await watch.check()
    assert.equal(reloads, 1)
  })

  it('detects a file that replaces another one of the same size', async () => {
    write('a.xml', 'one')
    start()
    await watch.check()
    write('.a.xml.tmp', 'two')
    renameSync(join(folder, 'rules', '.a.xml.tmp'), join(folder, 'rules', 'a.xml'))
    await watch.check()
    await watch.check()
    assert.equal(reloads, 1)
  })

  it('detects that the folder was deleted', async () => {
    write('a.xml', 'one')
    start()
    await watch.check()
    rmSync(folder, { recursive: true })
    await watch.check()
    await watch.check()
    assert.equal(reloads, 1)
  })

  it('retries after a failure and logs it', async () => {
    write('a.xml', 'one')
    start()
    await watch.check()
    answers.push({ outcome: 'busy' }, { outcome: 'busy' })
    write('a.xml', 'two 2')
    await watch.check()
    await watch.check()
    assert.deepEqual(watch.state, { reloads: 0, failures: 1, isStale: true, contentId: null })
    await watch.check()
    assert.equal(watch.state.failures, 2)
    await watch.check()
    assert.deepEqual(watch.state, { reloads: 1, failures: 2, isStale: false, contentId: 'content 3' })
    assert.ok(lines.some((line) => line.includes('stays')))
  })

  it('logs content with which Wazuh would not start once, with file, line and code, and logs when it loads again', async () => {
    write('a.xml', 'one')
    await start().first
    const errors = [{ scope: 'custom', file: 'rules/a.xml', line: 3, code: 'rule_id_missing' }] as const
    const refused = loaded(false, 'content 0', { contentId: 'broken', errors, errorCount: 7 })
    state = { state: 'stale', since: new Date(0) }
    answers.push(refused, refused, refused, loaded(false, 'content 0', { contentId: 'broken otherwise', errors, errorCount: 1 }))
    write('a.xml', 'two 2')
    for (let look = 0; look < 4; look++) await watch.check()
    assert.equal(reloads, 3, 'each check retries')
    assert.deepEqual(entries, [{ directory: folder, content_id: 'broken', errors, error_count: 7, at_work: 'the last custom content that loads' }])
    assert.deepEqual(watch.state, { reloads: 0, failures: 1, isStale: true, contentId: null })
    state = { state: 'left_out', since: new Date(0) }
    await watch.check()
    assert.equal((entries[1] as { at_work: string }).at_work, 'the default ruleset alone')
    answers.push(loaded(false, 'content 0'))
    await watch.check()
    assert.deepEqual(entries.slice(2), [{ directory: folder, content_id: 'content 0' }])
    assert.deepEqual(watch.state, { reloads: 0, failures: 2, isStale: false, contentId: null })
  })

  it('does not log a change that does not affect the content', async () => {
    write('a.xml', 'one')
    start()
    await watch.check()
    answers.push(loaded(false, 'same'))
    write('notes.txt', 'for people')
    await watch.check()
    await watch.check()
    assert.equal(reloads, 1)
    assert.equal(watch.state.reloads, 0)
  })

  it('reloads when the operating system reports a change', async () => {
    write('a.xml', 'one')
    let tellLoaded!: () => void
    const wasLoaded = new Promise<void>((resolve) => {
      tellLoaded = resolve
    })
    watch = new ContentWatch({
      directory: folder,
      log: log as never,
      pollMs: 20,
      settleMs: 5,
      pool: {
        customContent: state,
        reload: async () => {
          tellLoaded()
          return loaded(true, 'x')
        },
      },
    })
    await watch.check()
    // The poll's timer does not keep the process.
    const alive = setInterval(() => {}, 1000)
    write('a.xml', 'two 2')
    await wasLoaded
    clearInterval(alive)
  })
})

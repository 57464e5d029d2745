/** What `npm run release` says and does, with programs that only record their arguments. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url))
const SCRIPT = '.build/release.mjs'
const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as { readonly version: string }
const TAG = `git tag --annotate v${version} --message Version ${version}`
const PUSH = `git push origin v${version}`
const IMAGE = [`docker build --file docker/Dockerfile --tag content:${version} .`, `docker push content:${version}`]

describe('a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'release-'))
  const seen = join(folder, 'seen')
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** @param failing the command that fails @param changed what `git status` says */
  function release(
    args: readonly string[],
    { root = CHECKOUT, failing = '-', changed = '' } = {},
  ): { readonly code: number | null; readonly said: string; readonly done: readonly string[] } {
    const tools = join(folder, 'tools')
    mkdirSync(tools, { recursive: true })
    writeFileSync(seen, '')
    for (const tool of ['git', 'npm', 'docker']) {
      const script = `#!/bin/sh\necho "${tool} $*" >> '${seen}'\nif [ "${tool} $1" = 'git status' ]; then printf '%s' '${changed}'; fi\n[ "${tool} $1" != '${failing}' ]\n`
      writeFileSync(join(tools, tool), script, { mode: 0o755 })
    }
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, SCRIPT), ...args], {
      encoding: 'utf8',
      env: { PATH: `${tools}:${process.env.PATH}`, IMAGE: 'content' },
    })
    const done = readFileSync(seen, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !/^(git status|docker --version)/.test(line))
    return { code: status, said: stdout + stderr, done }
  }

  it('is tried by one command, which only packs', () => {
    const { code, said, done } = release([], { changed: ' M README.md' })
    assert.deepEqual([code, done], [0, ['npm pack --dry-run']], said)
    assert.deepEqual(
      said.split('\n').filter((line) => line.startsWith('$ ')),
      [TAG, PUSH, 'npm publish', ...IMAGE].map((command) => `$ ${command}`),
    )
    assert.match(said, /not clean/)
  })

  it('does what it says with --publish, and stops at the first failure', () => {
    assert.deepEqual(release(['--publish']).done, [TAG, PUSH, 'npm publish', ...IMAGE])
    const stopped = release(['--publish'], { failing: 'git push' })
    assert.deepEqual([stopped.code, stopped.done], [1, [TAG, PUSH]])
    assert.match(stopped.said, /git push ended with 1/)
    assert.deepEqual(release(['--publish'], { changed: ' M README.md' }).done, [])
    assert.equal(release(['--publich']).code, 2)
  })

  it('names the files that have another version', () => {
    const root = join(folder, 'copy')
    for (const path of [SCRIPT, 'package.json', 'package-lock.json', 'CHANGELOG.md', 'docker/ci', 'docker/helm/Chart.yaml']) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      cpSync(join(CHECKOUT, path), join(root, path), { recursive: true })
    }
    writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'detection-content', version: '9.9.9' }))
    const { code, said, done } = release([], { root })
    assert.deepEqual([code, done], [1, []])
    for (const path of ['CHANGELOG.md', 'docker/ci/github/example.yml', 'docker/ci/jenkins/Jenkinsfile', 'docker/ci/git-hook/pre-commit']) assert.ok(said.includes(path), path)
  })
})

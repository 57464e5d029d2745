/**
 * A real forge for tests: the Gitea of ../shared/bin beside the checkout, one a process. Where it is not there, tests say so and are skipped. Invariants:
 *  1. every test has repositories of names of its own
 *  2. nothing outlives the test process, however that ends
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { accessSync, closeSync, constants, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, guardOf } from '../child-servers.js'
import type { CommitStatus } from '../../../server/features/connections/gateways/git/gateway.js'
import { BareRepository, skipWithoutGit } from './git-binary.js'
import type { SeedCommit } from './seeds.js'

const PROGRAM = join(fileURLToPath(new URL('../../../..', import.meta.url)), '../shared/bin/forge')
/** It unpacks itself first, on a machine that may be busy. */
const START_MS = 120_000
const LOOK_MS = 50
const STARTS = 3

export interface Forge {
  /** `http://127.0.0.1:port` */
  readonly url: string
  readonly username: string
  readonly password: string
  /** Has all scopes. */
  readonly token: string
  /** Calls its API. @param path below `/api/v1` @throws if the status is not 2xx */
  api<T>(method: string, path: string, body?: unknown): Promise<T>
  /** Creates an empty, private repository of a new name, whose default branch is `main`. */
  createRepository(): Promise<ForgeRepository>
  /** Creates a token of the admin with these scopes (`read:user`). */
  createToken(...scopes: readonly string[]): Promise<string>
}

export interface ForgeRepository {
  /** `owner/name` */
  readonly fullName: string
  /** Pushes commits to a branch with `git`. @returns their ids */
  push(branch: string, ...commits: readonly SeedCommit[]): Promise<string[]>
  createBranches(names: readonly string[], commitSha: string): Promise<void>
  modesOf(commitSha: string): Promise<ReadonlyMap<string, string>>
  /** Texts of a branch, by path. */
  textsOf(branch: string): Promise<Record<string, string>>
  /** Has the forge report pushes and pull requests to an address. */
  addWebhook(url: string, secret: string): Promise<void>
  mergePull(number: number): Promise<void>
  closePull(number: number): Promise<void>
  pull(number: number): Promise<ForgePull>
  comment(number: number, body: string): Promise<void>
  /** Bodies of a pull request's comments, in order. */
  commentsOf(number: number): Promise<readonly string[]>
  /** The latest status of each context. */
  statusesOf(commitSha: string): Promise<readonly CommitStatus[]>
}

export interface ForgePull {
  readonly title: string
  readonly body: string
  /** Null: not merged. */
  readonly merge_commit_sha: string | null
}

interface ForgeStatus {
  readonly status: CommitStatus['state']
  readonly context: string
  readonly description: string
  readonly target_url: string
}

let shared: Promise<Forge> | undefined

/** What a test file asks: why its tests can't run (false: they can), and the forge that it shares with the rest of its process. */
export function forgeForTests(): { readonly skip: string | false; forge(): Promise<Forge> } {
  return { skip: skipReason(), forge: () => (shared ??= startForge()) }
}

function skipReason(): string | false {
  try {
    accessSync(PROGRAM, constants.X_OK)
  } catch {
    return `no forge at ${PROGRAM}`
  }
  return skipWithoutGit()
}

/** Its program makes the administrator and the token by commands of their own, whose failures it does not tell, so a forge that refuses its token is started again. */
async function startForge(): Promise<Forge> {
  for (let start = 1; ; start++) {
    const { forge, log } = await startProgram()
    try {
      await forge.api('GET', '/user')
      return forge
    } catch (error) {
      if (start === STARTS) throw new Error(`the forge refuses its token: ${log()}`, { cause: error })
    }
  }
}

async function startProgram(): Promise<{ readonly forge: RunningForge; log(): string }> {
  const folder = mkdtempSync(join(tmpdir(), 'forge-'))
  const logOf = (name: string): string => {
    const file = join(folder, name)
    return existsSync(file) ? readFileSync(file, 'utf8').slice(-2_000) : ''
  }
  const log = (): string => `${logOf('migrate.log')}${logOf('forge.log')}`
  const out = openSync(join(folder, 'forge.log'), 'a')
  const port = await freePort()
  const child = spawn(PROGRAM, ['--dir', folder, '--port', String(port)], { stdio: ['ignore', out, out] })
  closeSync(out)
  child.unref()
  const guard = guardOf(child)
  process.once('exit', () => {
    child.kill('SIGKILL')
    guard.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const ready = join(folder, 'forge.json')
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the forge does not start: ${log()}`)
    return existsSync(ready)
  }, 'the forge answers')
  const started = JSON.parse(readFileSync(ready, 'utf8')) as Pick<Forge, 'url' | 'username' | 'password' | 'token'>
  return { forge: new RunningForge(folder, started), log }
}

class RunningForge implements Forge {
  readonly url: string
  readonly username: string
  readonly password: string
  readonly token: string
  readonly #folder: string

  constructor(folder: string, { url, username, password, token }: Pick<Forge, 'url' | 'username' | 'password' | 'token'>) {
    this.#folder = folder
    this.url = url
    this.username = username
    this.password = password
    this.token = token
  }

  api<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.#call(method, path, body, `token ${this.token}`)
  }

  async createToken(...scopes: readonly string[]): Promise<string> {
    const basic = `Basic ${Buffer.from(`${this.username}:${this.password}`).toString('base64')}`
    return (await this.#call<{ sha1: string }>('POST', `/users/${this.username}/tokens`, { name: randomName(), scopes }, basic)).sha1
  }

  async createRepository(): Promise<ForgeRepository> {
    const name = randomName()
    await this.api('POST', '/user/repos', { name, private: true, default_branch: 'main' })
    const fullName = `${this.username}/${name}`
    // It does nothing, and the forge starts itself once more for each branch of a push to say so: 0.2 s of processor time.
    rmSync(join(this.#folder, 'repositories', `${fullName}.git`, 'hooks', 'update'))
    const address = new URL(`${this.url}/${fullName}.git`)
    address.username = this.username
    address.password = this.token
    const local = BareRepository.create(join(this.#folder, 'seeds', name))
    const headOf = (branch: string) =>
      this.api<{ commit: { id: string } }>('GET', `/repos/${fullName}/branches/${encodeURIComponent(branch)}`).then(
        ({ commit }) => commit.id,
        () => null,
      )
    const hasCommit = (sha: string): Promise<boolean> =>
      local.run(['cat-file', '-e', sha]).then(
        () => true,
        () => false,
      )
    const fetchAll = (): Promise<Buffer> => local.run(['fetch', '--quiet', address.href, '+refs/heads/*:refs/heads/*'])
    const pushAll = async (names: readonly string[], head: string): Promise<void> => {
      await local.run(['push', '--quiet', address.href, ...names.map((branch) => `refs/heads/${branch}`)])
      // The forge's API reads branches from its database, which follows pushes a little later.
      for (const branch of new Set([names[0], names.at(-1)!])) await until(async () => (await headOf(branch)) === head, `${branch} of ${fullName} is at ${head}`)
    }
    return {
      fullName,
      async push(branch, ...commits) {
        const head = await headOf(branch)
        if (head !== local.headOf(branch)) await fetchAll()
        const shas = await local.push(branch, ...commits)
        await pushAll([branch], shas.at(-1)!)
        return shas
      },
      async createBranches(names, commitSha) {
        if (!(await hasCommit(commitSha))) await fetchAll()
        await local.createBranches(names, commitSha)
        await pushAll(names, commitSha)
      },
      async modesOf(commitSha) {
        if (!(await hasCommit(commitSha))) await fetchAll()
        return local.modesOf(commitSha)
      },
      async textsOf(branch) {
        await fetchAll()
        return local.textsOf(branch)
      },
      addWebhook: async (url, secret) => {
        const config = { url, content_type: 'json', secret }
        await this.api('POST', `/repos/${fullName}/hooks`, { type: 'gitea', active: true, events: ['push', 'pull_request', 'pull_request_sync'], config })
      },
      mergePull: (number) => this.api('POST', `/repos/${fullName}/pulls/${number}/merge`, { Do: 'merge' }),
      closePull: (number) => this.api('PATCH', `/repos/${fullName}/pulls/${number}`, { state: 'closed' }),
      pull: (number) => this.api('GET', `/repos/${fullName}/pulls/${number}`),
      comment: (number, body) => this.api('POST', `/repos/${fullName}/issues/${number}/comments`, { body }),
      commentsOf: async (number) => (await this.api<{ body: string }[]>('GET', `/repos/${fullName}/issues/${number}/comments`)).map(({ body }) => body),
      statusesOf: async (commitSha) => {
        const { statuses } = await this.api<{ statuses: ForgeStatus[] | null }>('GET', `/repos/${fullName}/commits/${commitSha}/status`)
        return (statuses ?? []).map(({ status, context, description, target_url }) => ({ state: status, context, description, url: target_url }))
      },
    }
  }

  async #call<T>(method: string, path: string, body: unknown, authorization: string): Promise<T> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    assert.ok(response.ok, `${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
}

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + START_MS
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`it never became so: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

function randomName(): string {
  return `test-${randomBytes(6).toString('hex')}`
}

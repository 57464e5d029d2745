/** Repositories that tests fill with the `git` program, which the service itself never starts. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MODES, type SeedCommit, seedBytes } from './seeds.js'

/** No configuration and no credentials of this machine's user. */
const ENVIRONMENT = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' }
const PERSON = 'Seed Author <seed@example.test>'
/** Commits get increasing times, in seconds. */
let time = 1_767_225_600

/** Why tests can't use `git`; false: they can. */
export function skipWithoutGit(): string | false {
  return spawnSync('git', ['--version']).status === 0 ? false : 'no git on the PATH'
}

/** Runs `git`. @returns what it printed */
export function git(args: readonly string[], input: string | Buffer = ''): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, { env: ENVIRONMENT, stdio: ['pipe', 'pipe', 'pipe'] })
    const out: Buffer[] = []
    const errors: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
    child.stdin.on('error', () => undefined)
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out))
      else reject(new Error(`git ${args.join(' ')} ended with ${code}: ${Buffer.concat(errors).toString()}`))
    })
    child.stdin.end(input)
  })
}

/** A bare repository in a folder of its own. */
export class BareRepository {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  /** As `git init --bare` does it: each start of a program costs a large test process 20 ms. */
  static create(folder: string): BareRepository {
    for (const part of ['hooks', 'objects', 'refs/heads']) mkdirSync(join(folder, part), { recursive: true })
    writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n[http]\n\treceivepack = true\n')
    return new BareRepository(folder)
  }

  run(args: readonly string[], input: string | Buffer = ''): Promise<Buffer> {
    return git(['-C', this.folder, ...args], input)
  }

  /** Null: the branch does not exist. */
  headOf(branch: string): string | null {
    const [loose, packed] = [join(this.folder, 'refs/heads', branch), join(this.folder, 'packed-refs')]
    if (existsSync(loose)) return readFileSync(loose, 'utf8').trim()
    const lines = existsSync(packed) ? readFileSync(packed, 'utf8').split('\n') : []
    return lines.find((line) => line.endsWith(` refs/heads/${branch}`))?.slice(0, 40) ?? null
  }

  /** Adds commits to a branch, which is created without a parent if it does not exist. @returns their ids */
  async push(branch: string, ...commits: readonly SeedCommit[]): Promise<string[]> {
    const ref = `refs/heads/${branch}`
    const exists = this.headOf(branch) !== null
    const stream = Buffer.concat(commits.flatMap((commit, index) => [...commitStream(ref, commit, index, exists)]))
    const marks = join(this.folder, 'seed-marks')
    await this.run(['fast-import', '--quiet', `--export-marks=${marks}`], stream)
    const found = new Map(
      readFileSync(marks, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(' ') as [string, string]),
    )
    return commits.map((_, index) => found.get(`:${index + 1}`)!)
  }

  async createBranches(names: readonly string[], commitSha: string): Promise<void> {
    await this.run(['update-ref', '--stdin', '-z'], names.map((name) => `update refs/heads/${name}\0${commitSha}\0\0`).join(''))
  }

  /** Modes of a commit's entries, by path. */
  async modesOf(commitSha: string): Promise<Map<string, string>> {
    const lines = (await this.run(['ls-tree', '-r', '-z', commitSha])).toString().split('\0').filter(Boolean)
    return new Map(lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.slice(0, 6)]))
  }

  /** Texts of a branch's files, by path. */
  async textsOf(branch: string): Promise<Record<string, string>> {
    const paths = [...(await this.modesOf(`refs/heads/${branch}`)).keys()]
    return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, (await this.run(['cat-file', 'blob', `refs/heads/${branch}:${path}`])).toString()])))
  }
}

/** The commit in the format of `git fast-import`. */
function* commitStream(ref: string, { message = 'Change content', files }: SeedCommit, index: number, exists: boolean): Generator<Buffer> {
  const data = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')])
  yield Buffer.from(`commit ${ref}\nmark :${index + 1}\ncommitter ${PERSON} ${time++} +0000\n`)
  yield data(Buffer.from(message))
  if (index === 0 && exists) yield Buffer.from(`from ${ref}^0\n`)
  for (const [path, file] of Object.entries(files)) {
    const quoted = `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`
    if (file === null) yield Buffer.from(`D ${quoted}\n`)
    else {
      const { mode, bytes } = seedBytes(file)
      yield Buffer.from(`M ${MODES[mode]} ${mode === 'submodule' ? bytes.toString() : 'inline'} ${quoted}\n`)
      if (mode !== 'submodule') yield data(bytes)
    }
  }
  yield Buffer.from('\n')
}

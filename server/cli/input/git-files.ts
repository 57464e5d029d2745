/** Files of a revision in a Git repository, read by the `git` program: with arguments and without a shell, without hooks, and with limits. */
import { execFile } from 'node:child_process'
import { posix } from 'node:path'
import { UsageError } from '../usage-error.js'

/** Files of a revision that are read, and their bytes together. A large ruleset has 600 files and 8 MB. */
const FILES_LIMIT = 5_000
const BYTES_LIMIT = 64 * 1024 * 1024
/** Bytes of a list of files or commits. */
const LISTING_LIMIT = 32 * 1024 * 1024
/** Bytes of the line before each file. */
const HEADER_LIMIT = 128
const TIME_LIMIT_MS = 60_000
const REGULAR = /^100(?:644|755) blob ([0-9a-f]{40,64}) +(\d+)\t(.*)$/s
/** Nothing is fetched, asked for or written. */
const QUIET = { GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' } as const

/** A file of a revision. */
export interface GitFile {
  /** From the root of the repository. */
  readonly path: string
  readonly content: string
}

export interface GitCommit {
  readonly id: string
  readonly date: string
  readonly author: string
  readonly subject: string
}

/** `REV:path`. Null: the text has another form. */
export function readRevision(written: string): { readonly revision: string; readonly path: string } | null {
  const parts = /^([^:]+):(.*)$/s.exec(written)
  // A revision never begins with a dash, and one letter is a drive of Windows.
  if (parts === null || parts[1].startsWith('-') || parts[1].length < 2) return null
  return { revision: parts[1], path: parts[2] }
}

interface GitCall {
  readonly input?: string
  /** Bytes of the output. */
  readonly maxBuffer?: number
  readonly cwd?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The exit code of `rev-parse` for a name that it does not know. */
const UNKNOWN = 1

class UnknownName extends Error {}

/** The repository of a folder. Nothing in it is changed. */
export class GitRepository {
  readonly #env: Environment
  readonly #folder: string | undefined

  /** @param env of the process @param folder default: the current one */
  constructor(env: Environment, folder?: string) {
    this.#env = env
    this.#folder = folder
  }

  /** The id of a commit. @throws UsageError when there is none of that name */
  async resolve(revision: string): Promise<string> {
    try {
      return (await this.#git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`])).toString('utf8').trim()
    } catch (fault) {
      if (fault instanceof UnknownName) throw new UsageError('revision_unknown', { revision })
      throw fault
    }
  }

  /** A path from the root of the repository; one that begins with `./` or `../` is relative to the current folder. @throws UsageError */
  async pathInRepository(path: string): Promise<string> {
    const isRelative = /^\.\.?(?:\/|$)/.test(path)
    const prefix = isRelative ? (await this.#git(['rev-parse', '--show-prefix'])).toString('utf8').trim() : ''
    const joined = posix.normalize(posix.join(prefix, path)).replace(/\/$/, '')
    if (joined === '..' || joined.startsWith('../')) throw new UsageError('file_not_found', { file: path })
    return joined === '.' ? '' : joined
  }

  /** The files at a path of a commit: of a folder all in it that the caller wants, of a file itself. @throws UsageError when they are too many or too large */
  async readCommit(commit: string, path: string, wants: (path: string) => boolean): Promise<GitFile[]> {
    const listed = (await this.#git(['--literal-pathspecs', 'ls-tree', '-r', '-z', '-l', '--full-tree', commit, ...(path === '' ? [] : ['--', path])])).toString('utf8')
    const blobs = listed.split('\0').flatMap((entry) => {
      const parts = REGULAR.exec(entry)
      return parts === null || !(parts[3] === path || wants(parts[3])) ? [] : [{ id: parts[1], size: Number(parts[2]), path: parts[3] }]
    })
    const bytes = blobs.reduce((sum, { size }) => sum + size, 0)
    if (blobs.length > FILES_LIMIT || bytes > BYTES_LIMIT)
      throw new UsageError('revision_too_large', { revision: `${commit.slice(0, 12)}:${path}`, files: FILES_LIMIT, bytes: BYTES_LIMIT })
    if (blobs.length === 0) return []
    const output = await this.#git(['cat-file', '--batch'], { input: blobs.map(({ id }) => `${id}\n`).join(''), maxBuffer: bytes + blobs.length * HEADER_LIMIT })
    let at = 0
    return blobs.map(({ size, path: file }) => {
      const start = output.indexOf(0x0a, at) + 1
      at = start + size + 1
      return { path: file, content: output.toString('utf8', start, start + size) }
    })
  }

  /** Commits that changed a path, without those that an older one has, the oldest first. @param from the older commit; empty: none */
  async commitsBetween(from: string, to: string, path: string): Promise<GitCommit[]> {
    const format = '--format=%H%x1f%cI%x1f%an%x1f%s'
    const range = from === '' ? [to] : [to, `^${from}`]
    // Unlike those of `ls-tree`, these paths are relative to the folder.
    const cwd = (await this.#git(['rev-parse', '--show-toplevel'])).toString('utf8').trim()
    const output = await this.#git(
      ['--literal-pathspecs', 'log', '-z', '--first-parent', '--reverse', format, '--end-of-options', ...range, '--', ...(path === '' ? [] : [path])],
      { cwd },
    )
    return output
      .toString('utf8')
      .split('\0')
      .flatMap((entry) => {
        const [id, date, author, subject] = entry.split('\x1f')
        return subject === undefined ? [] : [{ id, date, author, subject }]
      })
  }

  #git(args: readonly string[], { input = '', maxBuffer = LISTING_LIMIT, cwd }: GitCall = {}): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const options = { encoding: 'buffer', maxBuffer, timeout: TIME_LIMIT_MS, windowsHide: true, env: { ...this.#env, ...QUIET }, ...(cwd === undefined ? {} : { cwd }) } as const
      const child = execFile(
        'git',
        ['--no-pager', ...(this.#folder === undefined ? [] : ['-C', this.#folder]), '-c', 'log.showSignature=false', ...args],
        options,
        (fault, stdout, stderr) => {
          if (fault === null) return resolve(stdout)
          if (fault.code === UNKNOWN) return reject(new UnknownName())
          reject(new UsageError('git_failed', { reason: typeof fault.code === 'string' ? fault.code : (stderr.toString('utf8').split('\n', 1)[0] ?? '') }))
        },
      )
      // It may end before it has read everything.
      child.stdin?.on('error', () => {})
      child.stdin?.end(input)
    })
  }
}

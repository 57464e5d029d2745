/** The content of an editor's folder as the last commit has it. */
import { statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { SourceFile } from '#engine'
import { looksLikeContent } from '../../language/index.js'
import { readGit } from '../input/compared-content.js'
import { GitRepository } from '../input/git-files.js'

/** A folder or file of content, in the repository that it belongs to. */
interface Place {
  readonly git: GitRepository
  /** From the folder in which `git` runs. */
  readonly path: string
}

export class HeadContent {
  readonly #places: readonly Place[]
  /** Whether somebody named the places. Otherwise other XML in them is no content. */
  readonly #isNamed: boolean
  #known: { readonly key: string; readonly files: readonly SourceFile[] } | null = null

  /** @param paths of the own content @param env of the process */
  constructor(paths: readonly string[], isNamed: boolean, env: Readonly<Record<string, string | undefined>>) {
    this.#isNamed = isNamed
    this.#places = paths.map((path) => {
      const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
      return { git: new GitRepository(env, isFolder ? path : dirname(path)), path: isFolder ? './' : `./${basename(path)}` }
    })
  }

  /** The own files, read again when there is another commit. Null: a place is in no repository, or there is no commit yet. */
  async read(): Promise<readonly SourceFile[] | null> {
    try {
      const commits = await Promise.all(this.#places.map(({ git }) => git.resolve('HEAD')))
      const key = commits.join('\n')
      if (this.#known?.key !== key) this.#known = { key, files: await this.#readAll(commits) }
      return this.#known.files
    } catch {
      // Git says why on the command line; an editor without it works as well.
      return null
    }
  }

  async #readAll(commits: readonly string[]): Promise<SourceFile[]> {
    const files: SourceFile[] = []
    for (const [index, { git, path }] of this.#places.entries()) {
      for (const file of await readGit(git, commits[index], await git.pathInRepository(path))) {
        if (this.#isNamed || file.kind === 'lists' || looksLikeContent(file.content)) files.push(file)
      }
    }
    return files
  }
}

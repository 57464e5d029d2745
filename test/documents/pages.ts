/** The pages of documentation of this repository, and the commands in them. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url))
const LEFT_OUT = new Set(['node_modules', 'dist', 'data', '.git'])

/** Returns every Markdown page of the checkout, by its path with `/`. */
export function pages(): string[] {
  return readdirSync(CHECKOUT, { withFileTypes: true })
    .filter(({ name }) => !LEFT_OUT.has(name))
    .flatMap((entry) => (entry.isDirectory() ? readdirSync(join(CHECKOUT, entry.name), { recursive: true, encoding: 'utf8' }).map((path) => join(entry.name, path)) : [entry.name]))
    .filter((path) => path.endsWith('.md'))
    .map((path) => path.split(sep).join('/'))
}

export function readPage(page: string): string {
  return readFileSync(join(CHECKOUT, page), 'utf8')
}

/** Returns the lines indented by four spaces outside of fences, by the heading above them. */
export function commandsBySection(page: string): Map<string, string> {
  const sections = new Map<string, string>()
  let section = ''
  let fenced = false
  for (const line of readPage(page).split('\n')) {
    if (line.startsWith('```')) fenced = !fenced
    if (fenced) continue
    if (line.startsWith('#')) section = line.replace(/^#+ /, '')
    else if (line.startsWith('    ')) sections.set(section, `${sections.get(section) ?? ''}${line.slice(4)}\n`)
  }
  return sections
}

/** Returns the commands of one section. */
export function commandsOf(page: string, section: string): string {
  const commands = commandsBySection(page).get(section)
  if (commands === undefined) throw new Error(`${page} has no commands under "${section}"`)
  return commands
}

/** Returns the texts of the fences of a language, by the heading above them. */
export function fencesBySection(page: string, language: string): Map<string, string[]> {
  const sections = new Map<string, string[]>()
  let section = ''
  for (const [, heading, fence, text] of readPage(page).matchAll(/^#+ (.+)$|^```(\w*)\n([\s\S]*?)^```$/gm)) {
    if (heading !== undefined) section = heading
    else if (fence === language) sections.set(section, [...(sections.get(section) ?? []), text])
  }
  return sections
}

/** Returns the target of every link to a file, as a path from the checkout, with its heading. */
export function linksOf(page: string): { readonly path: string; readonly heading: string | null }[] {
  return [...readPage(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file, heading] = target.split('#')
      const path =
        file === ''
          ? page
          : relative(CHECKOUT, join(CHECKOUT, page, '..', file))
              .split(sep)
              .join('/')
      return { path, heading: heading ?? null }
    })
}

/** Returns the anchors of a page's headings, in GitHub's form. */
export function anchorsOf(page: string): string[] {
  return [...readPage(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

export function exists(path: string): boolean {
  return existsSync(join(CHECKOUT, path))
}

/** Returns the tools that the commands need and this machine lacks. */
export function missingTools(): string[] {
  return ['bash', 'curl'].filter((tool) => {
    try {
      execFileSync(tool, ['--version'], { stdio: 'ignore' })
      return false
    } catch {
      return true
    }
  })
}

/**
 * Checks that the repository explains itself: comments link to sections of `engine/BEHAVIOUR.md` and `server/CONTRACT.md`, each link resolves, each section is
 * linked or says that it is context, and no comment cites specification pages outside of the repository.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..')
const FOLDERS = ['engine', 'workers', 'server', 'test']
const PAGES: Readonly<Record<string, string>> = { BEHAVIOUR: 'engine/BEHAVIOUR.md', CONTRACT: 'server/CONTRACT.md' }

const LINK = /\b(BEHAVIOUR|CONTRACT)\.md(#[\w-]+(?:,[\s*]+#[\w-]+)*)/g
const OUTSIDE = /(?:\/\/|\*).*\b(?:interface|decisions|diagnostics|engine-decoding|engine-rules)\.md\b/
const HEADING = /^(#{2,}) (.+)$/gm

interface Section {
  readonly anchor: string
  readonly isContext: boolean
}

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.c?ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name)),
).map((path) => ({ path: relative(ROOT, path), text: readFileSync(path, 'utf8') }))

/** Returns the innermost sections of a page, with their anchors on GitHub. */
function sectionsOf(page: string): Section[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const headings = [...text.matchAll(HEADING)]
  return headings.flatMap(([line, marks, title], index) => {
    const next = headings[index + 1]
    if (next !== undefined && next[1].length > marks.length) return []
    const body = text.slice(headings[index].index + line.length, next?.index)
    const anchor = title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-')
    return [{ anchor, isContext: body.includes('_Context._') }]
  })
}

const links = sources.flatMap(({ path, text }) =>
  [...text.matchAll(LINK)].flatMap(([, page, anchors]) => [...anchors.matchAll(/#([\w-]+)/g)].map((match) => ({ path, page, anchor: match[1] }))),
)

test('every link of a comment resolves to a section', () => {
  assert.ok(links.length > 100)
  for (const page of Object.keys(PAGES)) {
    const anchors = new Set(sectionsOf(PAGES[page]).map(({ anchor }) => anchor))
    const broken = links.filter((link) => link.page === page && !anchors.has(link.anchor))
    assert.deepEqual(broken, [])
  }
})

test('every section is linked, or says that it is context', () => {
  for (const page of Object.keys(PAGES)) {
    const linked = new Set(links.filter((link) => link.page === page).map(({ anchor }) => anchor))
    const unused = sectionsOf(PAGES[page]).filter(({ anchor, isContext }) => !isContext && !linked.has(anchor))
    assert.deepEqual(unused, [])
  }
})

test('no comment cites a page outside of the repository', () => {
  const citing = sources.filter(({ text }) => text.split('\n').some((line) => OUTSIDE.test(line))).map(({ path }) => path)
  assert.deepEqual(citing, [])
})

/**
 * Checks the pages and the words of the repository: sentences are short, long pages have a table of contents, decisions are sorted, what pages name exists, no
 * sentence or comment has an inverted beginning, tests have short titles, and `server/cluster` has one word for each thing.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..')
/** Folders with sources and pages; others are built, installed, or of Git. */
const FOLDERS = ['.build', '.ci', 'bench', 'docker', 'engine', 'server', 'test', 'workers']
/** A longer sentence is two. */
const SENTENCE_CHARACTERS = 200
/** A page of so many sections has a table of contents. */
const SECTIONS = 5
/** A longer title tells a story, whose steps have titles of their own. */
const TITLE_CHARACTERS = 120

const FILES = [
  ...readdirSync(ROOT, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : [])),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true }).flatMap((entry) =>
      entry.isFile() ? [relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/')] : [],
    ),
  ),
]
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

interface Page {
  readonly path: string
  /** Without what is in fences. */
  readonly text: string
}

/** The change log is a list, and `bench` has tables of results. */
const PAGES = FILES.filter((path) => path.endsWith('.md') && path !== 'CHANGELOG.md' && !path.startsWith('bench/') && !path.startsWith('test/cases/')).map(
  (path): Page => ({ path, text: read(path).replace(/^( *)```[\s\S]*?^\1```$/gm, '') }),
)
const SOURCES = FILES.filter((path) => /\.c?ts$/.test(path))
/** Files with prose of ours. */
const PROSE = FILES.filter(
  (path) => /\.(?:md|[cm]?tsx?|mjs|ya?ml|sh|css|html)$/.test(path) || (path.endsWith('.json') && path.startsWith('server/content/templates/catalog/')),
).filter((path) => !path.startsWith('test/cases/'))

/** Paragraphs, list items and cells of tables, without code blocks. */
function blocksOf(text: string): string[] {
  const blocks: string[] = []
  let block = ''
  const end = (): void => {
    blocks.push(block)
    block = ''
  }
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) end()
    else if (line.trimStart().startsWith('|')) {
      end()
      blocks.push(...line.split(/(?<!\\)\|/))
    } else if (block === '' && line.startsWith('    ')) continue
    else {
      const item = /^\s*(?:[-*]|\d+\.) /.exec(line)?.[0] ?? ''
      if (item !== '') end()
      block += ` ${line.slice(item.length).trim()}`
    }
  }
  end()
  return blocks
}

/** Without targets of links, emphasis and quotations. */
const plainOf = (block: string): string =>
  block
    .trim()
    .replace(/\]\([^)]*\)/g, ']')
    .replaceAll('**', '')
    .replace(/(?<!\S)\*[^*]+\*/g, '*')

const sentencesOf = (text: string): string[] => blocksOf(text).flatMap((block) => plainOf(block).split(/(?<=[.!?][)"`*_]*) +(?=[A-Z0-9`"(*_[@~-])/))

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .trim()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')

test('sentences of pages are short', () => {
  assert.ok(PAGES.length > 20)
  const long = PAGES.flatMap(({ path, text }) => sentencesOf(text).flatMap((sentence) => (sentence.length < SENTENCE_CHARACTERS ? [] : [`${path}: ${sentence}`])))
  assert.deepEqual(long, [])
})

test('a page of several sections has one table of contents, with its sections', () => {
  for (const { path, text } of PAGES) {
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => `- [${title}](#${anchorOf(title)})`)
    const contents = text.match(/^- \[[^\]]*\]\(#[^)]*\)$/gm) ?? []
    assert.deepEqual(contents, sections.length < SECTIONS ? [] : sections, path)
  }
})

test('decisions are sorted: within a section the newest is first', () => {
  let decisions = 0
  for (const { path, text } of PAGES) {
    let last = '9'
    for (const [, heading, date = ''] of text.matchAll(/^(?:(#+ )|- \*\*(\d{4}-\d\d-\d\d) · )/gm)) {
      if (heading !== undefined) last = '9'
      else {
        assert.ok(date <= last, `${path}: ${date} is after ${last}`)
        last = date
        decisions++
      }
    }
  }
  assert.ok(decisions > 100)
})

/** A file as pages name it: by its path, or by the end of it. */
const NAMED_FILE = /^[\w.-]+(?:\/[\w.-]+)*\.(?:c?ts|mjs|md|ya?ml|cfg|json)$/

test('links of pages and the files that pages name exist', () => {
  const names = new Set(FILES.flatMap((path) => path.split('/').map((_, index, parts) => parts.slice(index).join('/'))))
  const missing = PAGES.flatMap(({ path, text }) => {
    const links = [...text.matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)].flatMap(([, target]) => {
      const to = normalize(join(dirname(path), target))
        .split(sep)
        .join('/')
        .replace(/\/$/, '')
      return FILES.some((file) => file === to || file.startsWith(`${to}/`)) ? [] : [`${path} → ${target}`]
    })
    const spans = [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, span]) => (NAMED_FILE.test(span) && !names.has(span) ? [`${path}: ${span}`] : []))
    return [...links, ...spans]
  })
  assert.deepEqual(missing, [])
})

/**
 * Beginnings of sentences and comments that say too late, or never, what the sentence is about, in English and in Portuguese; and a pronoun that has no clear
 * reference. Names and headings have a capital behind the preposition; a description in a rule stands behind `>`.
 */
const UNCLEAR: readonly RegExp[] = [/(?<![\w,;>)] |[\w<>])Of (?!extends )[a-z\d`"${]/g, /(?:['"`]|[.!?:] )(?:De|Das?|Dos) [a-zà-ú]/g, /\bwho(?:so)?ever\b/gi]

test('no sentence or comment begins with "Of", and none has an unclear pronoun', () => {
  const unclear = (text: string): string[] => UNCLEAR.flatMap((form) => [...text.matchAll(form)].map(({ index }) => text.slice(index, index + 60).split('\n')[0]))
  const planted = ['/** ', '// ', ' * It is short. ', '- **', "'"].map((before) => `${before}${'Of'} the first one.`)
  for (const text of [...planted, `'Vale. ${'Dos'} dois vale um.'`, `Who${'ever'} asks`]) assert.equal(unclear(text).length, 1, text)
  for (const text of ['The kind of thing', "'Of The Provider'", 'Do the same']) assert.deepEqual(unclear(text), [])
  assert.ok(PROSE.length > 2000)
  assert.deepEqual(
    PROSE.flatMap((path) => unclear(read(path)).map((found) => `${path}: ${found}`)),
    [],
  )
})

/** A class, type or function of ours. */
const NAMED_CODE = /^(?:[A-Z][a-z]+(?:[A-Z][a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+)(?:\.[a-z]\w*)?(?:\(\))?$/

/** Decisions also name what is refused, and what was there before. */
test('classes and functions that pages name exist', () => {
  const code = SOURCES.filter((path) => !path.startsWith('test/layout/'))
    .map(read)
    .join('\n')
  const words = new Set(code.match(/\w+/g))
  const missing = PAGES.flatMap(({ path, text }) =>
    [...text.replace(/^## Decisions$[\s\S]*/m, '').matchAll(/`([^`\n]+)`/g)].flatMap(([, span]) =>
      NAMED_CODE.test(span) && !span.match(/\w+/g)?.every((word) => words.has(word)) ? [`${path}: ${span}`] : [],
    ),
  )
  assert.deepEqual(missing, [])
})

test('anchors of links between pages exist', () => {
  const anchorsOf = (path: string): Set<string> => new Set([...read(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) => anchorOf(title)))
  const broken = PAGES.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)#\s:]*)#([^)]*)\)/g)].flatMap(([, target, anchor]) => {
      const to = target === '' ? path : normalize(join(dirname(path), target))
      return !to.endsWith('.md') || anchorsOf(to).has(anchor) ? [] : [`${path} → ${target}#${anchor}`]
    }),
  )
  assert.deepEqual(broken, [])
})

test('titles of tests are short', () => {
  const long = SOURCES.filter((path) => path.startsWith('test/')).flatMap((path) => {
    const text = read(path)
    // Nearly no file has a line that is long enough.
    if (!new RegExp(`\\('.{${TITLE_CHARACTERS}}`).test(text)) return []
    const found: string[] = []
    const visit = (node: ts.Node): void => {
      const [title] = ts.isCallExpression(node) && /^(?:test|it|describe|t\.test)$/.test(node.expression.getText()) ? node.arguments : []
      if (title !== undefined && ts.isStringLiteralLike(title) && title.text.length > TITLE_CHARACTERS) found.push(`${path}: ${title.text}`)
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
    return found
  })
  assert.deepEqual(long, [])
})

/** Other words for peers and for the processes of an instance; a member is a user in an organization. */
const OTHER_WORDS = /\w*(?:neighbour|(?<!re)member|sibling)\w*/gi

test('the cluster has peers and instances, and no other word for them', () => {
  const paths = [...SOURCES.filter((path) => path.startsWith('server/cluster/') || path.startsWith('test/server/cluster/')), 'workers/peer-pools.ts', 'workers/analysis-pool.ts']
  assert.ok(paths.length > 20)
  assert.deepEqual(
    paths.flatMap((path) => [...`${path}\n${read(path)}`.matchAll(OTHER_WORDS)].map(([word]) => `${path}: ${word}`)),
    [],
  )
})

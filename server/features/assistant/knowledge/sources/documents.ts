/** Records from the documents in the package, which describe the engine and the service, by heading. They are in English. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { AiContextType, KnowledgeKind, KnowledgeRecord } from '../knowledge.js'
import { SectionSlugs, splitMarkdown } from '../markdown.js'
import { recordsOf } from '../record.js'
import type { Source } from './source.js'

interface PackageDocument {
  readonly path: string
  /** Begins the uid of its records. */
  readonly name: string
  readonly kind: KnowledgeKind
}

/** Documents are not built: they lie beside the sources. */
const ROOT = new URL('../../../../../../', import.meta.url)

export const DOCUMENTS: readonly PackageDocument[] = [
  { path: 'engine/BEHAVIOUR.md', name: 'behaviour', kind: 'behaviour' },
  { path: 'server/CONTRACT.md', name: 'interface:document.contract', kind: 'interface' },
  { path: 'server/README.md', name: 'interface:document.service', kind: 'interface' },
  { path: 'server/GIT.md', name: 'interface:document.git', kind: 'interface' },
  { path: 'server/IDENTITY.md', name: 'interface:document.identity', kind: 'interface' },
  { path: 'server/ASSISTANT.md', name: 'interface:document.assistant', kind: 'interface' },
  { path: 'server/INTEGRATIONS.md', name: 'interface:document.integrations', kind: 'interface' },
  { path: 'server/cli/README.md', name: 'command:document', kind: 'command' },
]

/** By the first heading below the title. Sections with other headings are about both. */
const BEHAVIOUR_TYPES: Readonly<Record<string, readonly AiContextType[]>> = { Decoders: ['decoder'], Predecoding: ['decoder'], Rules: ['rule'], Lists: ['rule'] }

export const documents: Source = async function* () {
  for (const document of DOCUMENTS) {
    const markdown = await readDocument(document.path)
    if (markdown !== null) yield* documentRecords(document, markdown)
  }
}

/** Null: an image was built without the documents. */
async function readDocument(path: string): Promise<string | null> {
  try {
    return await readFile(fileURLToPath(new URL(path, ROOT)), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** A line of a table of contents: it would find the introduction for every heading. */
const CONTENTS_LINE = /^- \[[^\]]*\]\(#[^)]*\)\n/gm

function* documentRecords({ name, kind }: PackageDocument, markdown: string): Generator<KnowledgeRecord> {
  const slugs = new SectionSlugs()
  for (const { path, text } of splitMarkdown(markdown.replace(CONTENTS_LINE, ''))) {
    const [, area] = path
    const contextTypes = kind === 'behaviour' ? (BEHAVIOUR_TYPES[area] ?? (['rule', 'decoder'] as const)) : (['general'] as const)
    const separator = name.includes(':') ? '.' : ':'
    yield* recordsOf({ uid: `${name}${separator}${slugs.of(path.slice(1))}`, kind, title: path.join(' › '), locale: null, contextTypes }, text)
  }
}

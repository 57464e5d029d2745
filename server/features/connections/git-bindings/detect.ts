/**
 * Finds the rules, decoders and lists of a repository by content, without a binding: the elements of an XML file decide its kind, and the folder that has most
 * rules is suggested. Lists have no form of their own, so they are the files of a folder named `lists`.
 */
import { CALLS_AT_ONCE, FILE_BYTES, type GitFile, type GitGateway } from '../gateways/git/gateway.js'
import { inParts } from '../gateways/git/in-parts.js'
import type { SourceFileEntry } from '../../../content/shared/content.js'
import { describeSourceFile } from '../../../content/shared/source-files.js'
import { SOURCE_FILES_LIMIT } from '../../../content/shared/workspace.js'
import { writtenKind } from './file-kind.js'
import { folderOf, isBelow, isSafePath } from './paths.js'
import { byPath, eachAtOnce, isList, readText, type SkippedFile, shownPath, tooLarge } from './read-repository.js'
import type { DiscoveredCounts } from './store.js'

/** Bytes of XML that are read: ten times the complete Wazuh ruleset. */
const SCAN_BYTES = 32 * 1024 * 1024
/** Part of the rules or decoders that the suggested folder has at least. The others are examples and tests. */
const MOST = 0.8
const LISTS_FOLDER = 'lists'

/** What a folder has, without its subfolders. */
export interface DetectedFolder extends DiscoveredCounts {
  readonly path: string
}

/** Null: there are none. */
export interface SuggestedPaths {
  readonly rules_path: string | null
  readonly decoders_path: string | null
  readonly lists_path: string | null
}

export interface Detected {
  readonly suggested: SuggestedPaths
  readonly counts: DiscoveredCounts
  /** Folders that have any content, sorted by path. */
  readonly folders: readonly DetectedFolder[]
  /** Rule and decoder files, sorted by path. */
  readonly files: readonly SourceFileEntry[]
  readonly skipped: readonly SkippedFile[]
}

/** Names the commit to look at. */
export interface DetectRequest {
  readonly repository: string
  readonly commitSha: string
  /** For errors. */
  readonly provider: string
}

/** @throws ApiError of the provider; provider_too_large beyond the limits */
export async function detectContent(gateway: GitGateway, request: DetectRequest, signal: AbortSignal): Promise<Detected> {
  const tree: GitFile[] = []
  for await (const part of inParts(await gateway.listFiles(request.repository, request.commitSha, signal))) {
    for (const file of part) if (file.kind === 'file' && isSafePath(file.path)) tree.push(file)
  }
  const { files, skipped } = await readXml(gateway, request, tree, signal)
  const lists_path = listsFolder(tree)
  const lists = tree.flatMap(({ path }) => (lists_path !== null && isBelow(path, lists_path) && isList(path) && !path.endsWith('.xml') ? [path] : []))
  const suggested = { rules_path: suggestedFolder(files, 'rules'), decoders_path: suggestedFolder(files, 'decoders'), lists_path: lists.length === 0 ? null : lists_path }
  return { suggested, counts: countFiles(files, lists.length), folders: foldersOf(files, lists), files, skipped }
}

/** Counts files, rules and decoders. @param lists number of lists */
export function countFiles(files: readonly SourceFileEntry[], lists: number): DiscoveredCounts {
  const [rules, decoders] = [files.filter(({ kind }) => kind === 'rules'), files.filter(({ kind }) => kind === 'decoders')]
  return {
    rule_files: rules.length,
    decoder_files: decoders.length,
    list_files: lists,
    rules: rules.reduce((sum, { rule_ids }) => sum + rule_ids.length, 0),
    decoders: decoders.reduce((sum, { decoder_names }) => sum + decoder_names.length, 0),
  }
}

async function readXml(gateway: GitGateway, request: DetectRequest, tree: readonly GitFile[], signal: AbortSignal): Promise<Pick<Detected, 'files' | 'skipped'>> {
  const xml = tree.filter(({ path, size }) => path.endsWith('.xml') && (size === null || size <= FILE_BYTES))
  if (xml.length > SOURCE_FILES_LIMIT) throw tooLarge(request.provider, 'XML files', SOURCE_FILES_LIMIT)
  const files: SourceFileEntry[] = []
  const skipped: SkippedFile[] = []
  let bytes = 0
  await eachAtOnce(xml, CALLS_AT_ONCE, async (file) => {
    const text = await readText(gateway, request, file, signal)
    if (typeof text !== 'string') return void skipped.push({ code: text.skip, path: shownPath(file.path) })
    bytes += text.length
    if (bytes > SCAN_BYTES) throw tooLarge(request.provider, 'bytes of XML', SCAN_BYTES)
    const kind = writtenKind(text)
    if (kind === 'mixed') skipped.push({ code: 'kind_mixed', path: shownPath(file.path) })
    // Other XML is no content.
    else if (kind !== null) files.push(describeSourceFile({ path: file.path, kind, xml: text, sha: file.blobSha }))
  })
  return { files: files.sort(byPath), skipped: skipped.sort(byPath) }
}

/** Returns the deepest folder that has most items of a kind; null: there are none. */
function suggestedFolder(files: readonly SourceFileEntry[], kind: 'rules' | 'decoders'): string | null {
  const own = files.filter((file) => file.kind === kind)
  if (own.length === 0) return null
  // Each folder counts the items of all files below it. A file without ids, which may be a draft, counts as one.
  const weights = new Map<string, number>()
  let total = 0
  for (const { path, rule_ids, decoder_names } of own) {
    const weight = Math.max(1, rule_ids.length + decoder_names.length)
    total += weight
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) weights.set(folder, (weights.get(folder) ?? 0) + weight)
  }
  const [deepest] = [...weights].filter(([, weight]) => weight >= total * MOST).sort(([one], [other]) => other.length - one.length)
  return deepest?.[0] ?? ''
}

/** Returns the folder named `lists` that is nearest to the root; null: there is none. */
function listsFolder(tree: readonly GitFile[]): string | null {
  const folders = new Set<string>()
  for (const { path } of tree) {
    // The first one in a path is the nearest.
    const at = `/${path}`.indexOf(`/${LISTS_FOLDER}/`)
    if (at >= 0) folders.add(path.slice(0, at + LISTS_FOLDER.length))
  }
  return [...folders].sort((one, other) => one.split('/').length - other.split('/').length || (one < other ? -1 : 1))[0] ?? null
}

function foldersOf(files: readonly SourceFileEntry[], lists: readonly string[]): DetectedFolder[] {
  const paths = new Set([...files.map(({ path }) => folderOf(path)), ...lists.map(folderOf)])
  const byFolder = new Map([...paths].map((path) => [path, { files: [] as SourceFileEntry[], lists: 0 }]))
  for (const file of files) byFolder.get(folderOf(file.path))!.files.push(file)
  for (const path of lists) byFolder.get(folderOf(path))!.lists += 1
  return [...byFolder].map(([path, own]) => ({ path, ...countFiles(own.files, own.lists) })).sort(byPath)
}

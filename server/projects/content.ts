/**
 * The rules, decoders and lists of projects, workspaces and versions: one document for each of them, under the identifier of its owner. Owner and content change in one
 * commit; whoever needs both reads the owner first, so that an `ETag` is never newer than what was shown with it.
 */
import { createHash } from 'node:crypto'
import type { FileKind, RulesetSelection, SourceFile } from '#workers'
import { type TenantDocument, tenantCollection } from '../storage/contract.js'

/** A file of a repository that a workspace was imported from. */
export interface SourceFileEntry {
  readonly path: string
  readonly kind: FileKind
  readonly xml: string
  /** Of the file in the repository. */
  readonly sha: string
  readonly rule_ids: readonly string[]
  readonly decoder_names: readonly string[]
}

/** A CDB list. */
export interface ContentList {
  /** Path by which rules name it. */
  readonly name: string
  /** Lines of `key:value`. */
  readonly content: string
}

/** What is published: the parts of a content that versions hold. */
export interface PublishedContent {
  readonly decoders_xml: string
  readonly rules_xml: string
  /** By name, each name once. */
  readonly lists: readonly ContentList[]
}

export interface ContentDocument extends TenantDocument, PublishedContent {
  readonly project_id: string
  /** Of a workspace: the event that is being tried. */
  readonly event_text: string
  /** Of a workspace. */
  readonly source_files: readonly SourceFileEntry[]
}

/** As stored: documents that were written before there were lists have none. */
export type StoredContent = Omit<ContentDocument, 'lists'> & { readonly lists?: ContentDocument['lists'] }

export const CONTENTS = tenantCollection<StoredContent>('contents', [{ keys: { project_id: 1, _id: 1 } }])

/** Characters of each of `decoders_xml` and `rules_xml` (CONTRACT.md#limits). */
export const XML_CHARACTERS = 2 * 1024 * 1024
/** Lists of a content, and bytes of UTF-8 of all of them together (CONTRACT.md#lists-of-content). A content with them and both XML texts at their longest still fits into a document. */
export const LISTS_LIMIT = 100
export const LISTS_BYTES = 2 * 1024 * 1024

/** Names that findings tell. They come after the shipped ones in load order, whose rules they build on. */
export const DECODERS_FILENAME = 'project_decoders.xml'
export const RULES_FILENAME = 'project_rules.xml'

/** What decides how events are judged, apart from what is on disk. */
export interface RulesetContent extends PublishedContent {
  readonly include_disk_defaults: boolean
  readonly include_disk_custom: boolean
}

/** The files as the pool takes them. An empty part gives no file; an empty list does, as rules may name it. */
export function rulesetOf({
  decoders_xml,
  rules_xml,
  lists,
  include_disk_defaults,
  include_disk_custom,
}: RulesetContent): RulesetSelection & { readonly files: readonly SourceFile[] } {
  const files: SourceFile[] = []
  if (decoders_xml.trim() !== '') files.push({ filename: DECODERS_FILENAME, kind: 'decoders', scope: 'adhoc', content: decoders_xml })
  if (rules_xml.trim() !== '') files.push({ filename: RULES_FILENAME, kind: 'rules', scope: 'adhoc', content: rules_xml })
  for (const { name, content } of lists) files.push({ filename: name, kind: 'lists', scope: 'adhoc', content })
  return { includeDefaults: include_disk_defaults, includeCustom: include_disk_custom, files }
}

/** SHA-256 over what decides: the same hash means the same content on the same base. Lower-case hex. Content without lists has the hash it had before there were lists. */
export function contentHash({ decoders_xml, rules_xml, lists, include_disk_defaults, include_disk_custom }: RulesetContent): string {
  return hashParts([decoders_xml, rules_xml, String(include_disk_defaults), String(include_disk_custom), ...textsOf(lists)])
}

function hashParts(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}:${part}`)
  return hash.digest('hex')
}

function textsOf(lists: readonly ContentList[]): string[] {
  return lists.flatMap(({ name, content }) => [name, content])
}

/** Bytes of the contents of lists, in UTF-8. */
export function listsBytes(lists: readonly ContentList[]): number {
  return lists.reduce((bytes, { content }) => bytes + Buffer.byteLength(content), 0)
}

/** Lists as they are stored, by name: their order in a request means nothing, and must not change the hash. */
export function sortedLists(lists: readonly ContentList[]): ContentList[] {
  return lists.map(({ name, content }) => ({ name, content })).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The parts that versions hold. */
export function publishedOf({ decoders_xml, rules_xml, lists }: PublishedContent): PublishedContent {
  return { decoders_xml, rules_xml, lists }
}

/** Of a text in a list, besides its characters. */
const TEXT_BYTES = 4

/** Bytes of the texts of a content, by which listings decide whether they go out in one piece. */
export function contentBytes({ decoders_xml, rules_xml, lists, event_text, source_files }: PublishedContent & Pick<ContentDocument, 'event_text' | 'source_files'>): number {
  let bytes = 0
  for (const text of [decoders_xml, rules_xml, event_text]) bytes += Buffer.byteLength(text)
  for (const text of textsOf(lists)) bytes += Buffer.byteLength(text) + TEXT_BYTES
  // Names are the caller's as well, and may be megabytes of a file without a text.
  for (const { path, xml, sha, rule_ids, decoder_names } of source_files)
    for (const text of [path, xml, sha, ...rule_ids, ...decoder_names]) bytes += Buffer.byteLength(text) + TEXT_BYTES
  return bytes
}

/** XML as a diff of the audit trail shows it: enough to see that it changed, and to what. */
export function describeXml(xml: string): string {
  return `${createHash('sha256').update(xml).digest('hex').slice(0, SHOWN_HASH)} (${Buffer.byteLength(xml)} bytes)`
}

/** Lists as a diff of the audit trail shows them. */
export function describeLists(lists: readonly ContentList[]): string {
  return `${hashParts(textsOf(lists)).slice(0, SHOWN_HASH)} (${lists.length} lists, ${listsBytes(lists)} bytes)`
}

/** Digits of a hash that tell contents apart for people. */
const SHOWN_HASH = 16

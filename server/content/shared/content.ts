/**
 * The rules, decoders and lists of projects, workspaces and versions. Each has one content document, with the identifier of its owner. Owner and content
 * change in one commit. Code that needs both reads the owner first, so that an `ETag` is never newer than the content that is sent with it.
 */
import { createHash } from 'node:crypto'
import type { FileKind, SourceFile } from '#workers'
import { type TenantDocument, tenantCollection } from '../../core/storage/contract.js'

/** A file of the repository from which a workspace was imported. */
export interface SourceFileEntry {
  readonly path: string
  readonly kind: FileKind
  readonly xml: string
  /** Hash of the file in the repository. */
  readonly sha: string
  readonly rule_ids: readonly string[]
  readonly decoder_names: readonly string[]
}

/** A CDB list. */
export interface ContentList {
  /** Path by which rules name the list. */
  readonly name: string
  /** Lines of `key:value`. */
  readonly content: string
}

/** The parts of a content that are published, which versions hold. */
export interface PublishedContent {
  readonly decoders_xml: string
  readonly rules_xml: string
  /** Sorted by name, each name once. */
  readonly lists: readonly ContentList[]
}

export interface ContentDocument extends TenantDocument, PublishedContent {
  readonly project_id: string
  /** The event that is tried in a workspace; empty for projects and versions. */
  readonly event_text: string
  /** The imported files of a workspace, and of its versions; empty for projects. */
  readonly source_files: readonly SourceFileEntry[]
}

/** A content as it is stored. Documents that are older than lists do not have the field. */
export type StoredContent = Omit<ContentDocument, 'lists'> & { readonly lists?: ContentDocument['lists'] }

export const CONTENTS = tenantCollection<StoredContent>('contents', [{ keys: { project_id: 1, _id: 1 } }])

/** Maximum UTF-8 bytes of `decoders_xml`, and of `rules_xml` (CONTRACT.md#limits). */
export const XML_BYTES = 2 * 1024 * 1024
/** Maximum lists of a content, and maximum UTF-8 bytes of all lists (CONTRACT.md#lists-of-content). With two XML texts of maximum length they fit into a document. */
export const LISTS_LIMIT = 100
export const LISTS_BYTES = 2 * 1024 * 1024

/** File names in diagnostics. In load order they follow the shipped files, on whose rules they build. */
export const DECODERS_FILENAME = 'project_decoders.xml'
export const RULES_FILENAME = 'project_rules.xml'

/** Everything that determines the outcome of events, apart from the files on disk. */
export interface RulesetContent extends PublishedContent {
  readonly include_disk_defaults: boolean
  readonly include_disk_custom: boolean
}

/** Own files that are compiled together: the content of a project, or files of a repository. Their names are in the diagnostics. */
export interface FileSet {
  readonly includeDefaults: boolean
  readonly includeCustom: boolean
  /** All of scope `adhoc`. */
  readonly files: readonly SourceFile[]
}

/** Returns the files for the pool. An empty XML text becomes no file. An empty list becomes a file, because rules may name it. */
export function rulesetOf({ decoders_xml, rules_xml, lists, include_disk_defaults, include_disk_custom }: RulesetContent): FileSet {
  const files: SourceFile[] = []
  if (decoders_xml.trim() !== '') files.push({ filename: DECODERS_FILENAME, kind: 'decoders', scope: 'adhoc', content: decoders_xml })
  if (rules_xml.trim() !== '') files.push({ filename: RULES_FILENAME, kind: 'rules', scope: 'adhoc', content: rules_xml })
  for (const { name, content } of lists) files.push({ filename: name, kind: 'lists', scope: 'adhoc', content })
  return { includeDefaults: include_disk_defaults, includeCustom: include_disk_custom, files }
}

/** Returns the SHA-256 of a content and its base, in lower-case hex. Content without lists has the same hash as before lists were supported. */
export function contentHash({ decoders_xml, rules_xml, lists, include_disk_defaults, include_disk_custom }: RulesetContent): string {
  return hashParts([decoders_xml, rules_xml, String(include_disk_defaults), String(include_disk_custom), ...textsOf(lists)])
}

/** Returns the SHA-256 of a file set, in lower-case hex. */
export function fileSetHash({ files, includeDefaults, includeCustom }: FileSet): string {
  return hashParts([String(includeDefaults), String(includeCustom), ...files.flatMap(({ filename, kind, content }) => [filename, kind, content])])
}

function hashParts(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}:${part}`)
  return hash.digest('hex')
}

function textsOf(lists: readonly ContentList[]): string[] {
  return lists.flatMap(({ name, content }) => [name, content])
}

/** The most bytes of UTF-8 that a UTF-16 code unit becomes. */
const CODE_UNIT_BYTES = 3

/** Whether the text has more than `limit` bytes of UTF-8. Those of short texts are not counted. */
export function exceedsBytes(text: string, limit: number): boolean {
  return text.length * CODE_UNIT_BYTES > limit && Buffer.byteLength(text) > limit
}

/** Returns the UTF-8 bytes of the contents of lists. */
export function listsBytes(lists: readonly ContentList[]): number {
  return lists.reduce((bytes, { content }) => bytes + Buffer.byteLength(content), 0)
}

/** Returns lists as they are stored, sorted by name. Their order in a request has no meaning and must not change the hash. */
export function sortedLists(lists: readonly ContentList[]): ContentList[] {
  return lists.map(({ name, content }) => ({ name, content })).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns the published parts of a content. */
export function publishedOf({ decoders_xml, rules_xml, lists }: PublishedContent): PublishedContent {
  return { decoders_xml, rules_xml, lists }
}

/** Bytes of a text in a JSON list besides its characters: quotes and comma. */
const TEXT_BYTES = 4

/** Returns the bytes of the texts of a content. Answers with many contents are sent in chunks if the sum is large. */
export function contentBytes({ decoders_xml, rules_xml, lists, event_text, source_files }: PublishedContent & Pick<ContentDocument, 'event_text' | 'source_files'>): number {
  let bytes = 0
  for (const text of [decoders_xml, rules_xml, event_text]) bytes += Buffer.byteLength(text)
  for (const text of textsOf(lists)) bytes += Buffer.byteLength(text) + TEXT_BYTES
  // Callers choose the names too, which may take megabytes even if the file is empty.
  for (const { path, xml, sha, rule_ids, decoder_names } of source_files)
    for (const text of [path, xml, sha, ...rule_ids, ...decoder_names]) bytes += Buffer.byteLength(text) + TEXT_BYTES
  return bytes
}

/** Describes XML in a diff of the audit trail, by hash and size. */
export function describeXml(xml: string): string {
  return `${createHash('sha256').update(xml).digest('hex').slice(0, SHOWN_HASH)} (${Buffer.byteLength(xml)} bytes)`
}

/** Describes lists in a diff of the audit trail. */
export function describeLists(lists: readonly ContentList[]): string {
  return `${hashParts(textsOf(lists)).slice(0, SHOWN_HASH)} (${lists.length} lists, ${listsBytes(lists)} bytes)`
}

/** Digits of a hash that are enough for people to tell contents apart. */
const SHOWN_HASH = 16

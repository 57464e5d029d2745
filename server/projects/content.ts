/**
 * The XML of projects, workspaces and versions: one document for each of them, under the identifier of its owner. Owner and content change in one
 * commit; whoever needs both reads the owner first, so that an `ETag` is never newer than what was shown with it.
 */
import { createHash } from 'node:crypto'
import type { RulesetSelection, SourceFile } from '#workers'
import { type TenantDocument, tenantCollection } from '../storage/contract.js'

/** A file of a repository that a workspace was imported from. */
export interface SourceFileEntry {
  readonly path: string
  readonly kind: 'rules' | 'decoders'
  readonly xml: string
  /** Of the file in the repository. */
  readonly sha: string
  readonly rule_ids: readonly string[]
  readonly decoder_names: readonly string[]
}

export interface ContentDocument extends TenantDocument {
  readonly project_id: string
  readonly decoders_xml: string
  readonly rules_xml: string
  /** Of a workspace: the event that is being tried. */
  readonly event_text: string
  /** Of a workspace. */
  readonly source_files: readonly SourceFileEntry[]
}

export const CONTENTS = tenantCollection<ContentDocument>('contents', [{ keys: { project_id: 1, _id: 1 } }])

/** Characters of each of `decoders_xml` and `rules_xml` (interface.md, "Limits": 2 MB). */
export const XML_CHARACTERS = 2 * 1024 * 1024

/** Names that findings tell. They come after the shipped ones in load order, whose rules they build on. */
export const DECODERS_FILENAME = 'project_decoders.xml'
export const RULES_FILENAME = 'project_rules.xml'

/** What decides how events are judged, apart from what is on disk. */
export interface RulesetContent {
  readonly decoders_xml: string
  readonly rules_xml: string
  readonly include_disk_defaults: boolean
  readonly include_disk_custom: boolean
}

/** The files as the pool takes them. A part without anything in it is no file. */
export function rulesetOf({ decoders_xml, rules_xml, include_disk_defaults, include_disk_custom }: RulesetContent): RulesetSelection & { readonly files: readonly SourceFile[] } {
  const files: SourceFile[] = []
  if (decoders_xml.trim() !== '') files.push({ filename: DECODERS_FILENAME, kind: 'decoders', scope: 'adhoc', content: decoders_xml })
  if (rules_xml.trim() !== '') files.push({ filename: RULES_FILENAME, kind: 'rules', scope: 'adhoc', content: rules_xml })
  return { includeDefaults: include_disk_defaults, includeCustom: include_disk_custom, files }
}

/** SHA-256 over what decides: the same hash means the same content on the same base. Lower-case hex. */
export function contentHash({ decoders_xml, rules_xml, include_disk_defaults, include_disk_custom }: RulesetContent): string {
  const hash = createHash('sha256')
  for (const part of [decoders_xml, rules_xml, String(include_disk_defaults), String(include_disk_custom)]) hash.update(`${part.length}:${part}`)
  return hash.digest('hex')
}

/** Of a text in a list, besides its characters. */
const TEXT_BYTES = 4

/** Bytes of the texts of a content, by which lists decide whether they go out in one piece. */
export function contentBytes({ decoders_xml, rules_xml, event_text, source_files }: Pick<ContentDocument, 'decoders_xml' | 'rules_xml' | 'event_text' | 'source_files'>): number {
  let bytes = 0
  for (const text of [decoders_xml, rules_xml, event_text]) bytes += Buffer.byteLength(text)
  // Names are the caller's as well, and may be megabytes of a file without a text.
  for (const { path, xml, sha, rule_ids, decoder_names } of source_files)
    for (const text of [path, xml, sha, ...rule_ids, ...decoder_names]) bytes += Buffer.byteLength(text) + TEXT_BYTES
  return bytes
}

/** XML as a diff of the audit trail shows it: enough to see that it changed, and to what. */
export function describeXml(xml: string): string {
  return `${createHash('sha256').update(xml).digest('hex').slice(0, 16)} (${Buffer.byteLength(xml)} bytes)`
}

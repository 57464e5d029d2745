/** Rulesets for other processes: plain data, which `v8.serialize` copies. */
import type { SourceFile } from '#engine'
import type { BodyKind } from '../requests/analysis-request.js'
import type { ContentNotice, FileSource } from '../shared/protocol.js'

/** A ruleset for another process. Keys and ids are hashes of content: they are the same in every process. */
export interface PortableRuleset {
  readonly key: string
  readonly includeDefaults: boolean
  readonly includeCustom: boolean
  readonly diskId: string
  readonly notice?: ContentNotice
  readonly source: { readonly files: readonly SourceFile[] } | { readonly bytes: Uint8Array; readonly of: BodyKind }
}

export function portableSource(source: FileSource): PortableRuleset['source'] {
  return 'files' in source ? source : { bytes: new Uint8Array(source.body), of: source.of }
}

/** The source for threads, which share its memory. */
export function sharedSource(source: PortableRuleset['source']): FileSource {
  if ('files' in source) return source
  const body = new SharedArrayBuffer(source.bytes.byteLength)
  new Uint8Array(body).set(source.bytes)
  return { body, of: source.of }
}

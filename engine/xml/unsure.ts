/** Records what is unknown about an element that a survey continues to read after a fault. */
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { XmlElement } from './node.js'

/** Elements that could not be read completely, with the diagnostic that says why. */
export type BrokenElements = ReadonlyMap<XmlElement, Diagnostic>

export const NOTHING_BROKEN: BrokenElements = new Map()

/** Tags and attributes, in lower case, that could not be read as intended. Their meaning is unknown, and so is whether they are missing. */
export type UnsureTags = ReadonlySet<string>

export const NO_TAGS: UnsureTags = new Set()

/** Member of the unsure tags when any tag of the element may be missing. */
export const ANY_TAG = '*'

/** Whether the contents, or the absence, of all these tags are known. */
export function isSure(unsure: UnsureTags, ...tags: readonly string[]): boolean {
  return unsure.size === 0 || (!unsure.has(ANY_TAG) && !tags.some((tag) => unsure.has(tag)))
}

export function withTag(unsure: UnsureTags, tag: string): UnsureTags {
  return unsure.has(tag) ? unsure : new Set(unsure).add(tag)
}

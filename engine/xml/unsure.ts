/** What is not known of an element behind whose faults a survey reads on. */
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { XmlElement } from './node.js'

/** Elements of which some part could not be read, with the finding that says why. */
export type BrokenElements = ReadonlyMap<XmlElement, Diagnostic>

export const NOTHING_BROKEN: BrokenElements = new Map()

/** Tags and attributes that were not read as they are meant, in lower case: what they say is not known, and that they are missing is no finding. */
export type UnsureTags = ReadonlySet<string>

export const NO_TAGS: UnsureTags = new Set()

/** Among unsure tags: any tag of the element may be missing. */
export const ANY_TAG = '*'

/** Is known what all of these tags say, even that they are not there? */
export function isSure(unsure: UnsureTags, ...tags: readonly string[]): boolean {
  return unsure.size === 0 || (!unsure.has(ANY_TAG) && !tags.some((tag) => unsure.has(tag)))
}

export function withTag(unsure: UnsureTags, tag: string): UnsureTags {
  return unsure.has(tag) ? unsure : new Set(unsure).add(tag)
}

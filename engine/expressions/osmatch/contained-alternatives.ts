/** Alternatives of an OSMatch that decide nothing: each text that has one of them has another one as well. Texts that contain texts are all that it takes, so this is exact. */
import type { OsMatchExpression } from './osmatch.js'

/** Texts that are looked up for one pattern. A pattern of 20 KB with as many lengths as possible takes more. */
const LOOKUPS_LIMIT = 200_000

export interface ContainedAlternative {
  /** Its place in the pattern, without the bars. */
  readonly start: number
  readonly end: number
  /** The alternative that decides instead, as written. */
  readonly other: string
}

export interface Contained {
  /** From the end of the pattern; the pattern without all of them accepts the same texts. */
  readonly found: readonly ContainedAlternative[]
  /** Texts that were looked up. */
  readonly steps: number
}

type Form = 'contains' | 'starts' | 'ends' | 'equals'

/** Finds the alternatives that decide nothing; if two are equal, the later one. Nothing is found in a pattern with an alternative that accepts every text. */
export function containedAlternatives({ pattern, negated, alternatives }: OsMatchExpression): Contained {
  if (alternatives.length < 2 || alternatives.some(({ form }) => form === 'always')) return { found: [], steps: 0 }
  const written: { readonly start: number; readonly text: string }[] = []
  let start = negated ? 1 : 0
  for (const text of pattern.slice(start).split('|')) {
    written.push({ start, text })
    start += text.length + 1
  }
  const kept = new KeptTexts()
  alternatives.forEach(({ form, literal }, at) => {
    if (form !== 'never' && form !== 'always') kept.add(form, literal, at)
  })
  const found: ContainedAlternative[] = []
  for (let at = alternatives.length - 1; at >= 0 && kept.lookups < LOOKUPS_LIMIT; at--) {
    const { form, literal } = alternatives[at]
    if (form === 'never' || form === 'always') continue
    const other = kept.decidingInstead(form, literal, at)
    if (other === null) continue
    kept.delete(form, literal, at)
    found.push({ start: written[at].start, end: written[at].start + written[at].text.length, other: written[other].text })
  }
  return { found, steps: kept.lookups }
}

/** The alternatives that are not found to be contained, by form and text. */
class KeptTexts {
  readonly #places: Readonly<Record<Form, Map<string, number[]>>> = { contains: new Map(), starts: new Map(), ends: new Map(), equals: new Map() }
  /** The lengths of texts that may stand anywhere. */
  readonly #lengths = new Set<number>()
  lookups = 0

  add(form: Form, literal: string, at: number): void {
    const places = this.#places[form]
    const known = places.get(literal)
    if (known === undefined) places.set(literal, [at])
    else known.push(at)
    if (form === 'contains') this.#lengths.add(literal.length)
  }

  delete(form: Form, literal: string, at: number): void {
    const left = (this.#places[form].get(literal) ?? []).filter((other) => other !== at)
    if (left.length === 0) this.#places[form].delete(literal)
    else this.#places[form].set(literal, left)
  }

  /** Another alternative that each text with this one has as well. */
  decidingInstead(form: Form, literal: string, self: number): number | null {
    const { length } = literal
    const other = (among: Form, text: string): number | undefined => {
      this.lookups++
      return this.#places[among].get(text)?.find((at) => at !== self)
    }
    if (form === 'equals') {
      const equal = other('equals', literal)
      if (equal !== undefined) return equal
    }
    for (let part = 1; part <= length; part++) {
      const first = form === 'starts' || form === 'equals' ? other('starts', literal.slice(0, part)) : undefined
      const last = form === 'ends' || form === 'equals' ? other('ends', literal.slice(length - part)) : undefined
      const found = first ?? last
      if (found !== undefined) return found
      if (!this.#lengths.has(part)) continue
      for (let at = 0; at + part <= length && this.lookups < LOOKUPS_LIMIT; at++) {
        const inside = other('contains', literal.slice(at, at + part))
        if (inside !== undefined) return inside
      }
    }
    return null
  }
}

import type { JsonPath } from './paths.js'

/** A sequence of paths that the fields of a text have. Texts of one source have few of them, and events share their lists of names. */
export class Shape {
  /** The names and keys of dynamic fields, which are never changed; and the places of these fields, null: all are dynamic. */
  readonly names: readonly string[]
  readonly keys: readonly number[]
  readonly places: readonly number[] | null
  /** The static fields: their places, and their positions in `Event.statics`. */
  readonly statics: readonly { readonly place: number; readonly index: number }[]
  /** Whether a field is `user` at top level, which is static in some events only. */
  readonly hasUser: boolean

  constructor(paths: readonly JsonPath[]) {
    const dynamic = paths.filter(({ staticIndex }) => staticIndex < 0)
    this.names = dynamic.map(({ full }) => full)
    this.keys = dynamic.map(({ key }) => key)
    this.places = dynamic.length === paths.length ? null : paths.flatMap(({ staticIndex }, place) => (staticIndex < 0 ? [place] : []))
    this.statics = paths.flatMap(({ staticIndex }, place) => (staticIndex >= 0 ? [{ place, index: staticIndex }] : []))
    this.hasUser = paths.some(({ isUser }) => isUser)
  }
}

/** What a click in a picture selects, and what a picture marks as selected. It is a target of the engine's `inspect`. */
export type Selection = { readonly kind: 'rule'; readonly id: string } | { readonly kind: 'decoder'; readonly name: string; readonly filename: string; readonly line: number }

export function isSame(one: Selection | null | undefined, other: Selection): boolean {
  if (one === null || one === undefined) return false
  if (one.kind === 'rule') return other.kind === 'rule' && one.id === other.id
  // Decoders of one family have the same name.
  return other.kind === 'decoder' && one.name === other.name && one.filename === other.filename && one.line === other.line
}

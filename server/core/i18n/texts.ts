/** Types that compare the texts of two languages. */
import type { Placeholder } from '#workers'

/**
 * Does not compile when a text of the second table uses a placeholder that the first lacks; the error names the keys. (`satisfies` in the second table's
 * file checks that both have the same keys.)
 */
export type StrayPlaceholders<English extends Record<string, unknown>, Other extends Record<string, unknown>> = {
  [K in keyof English & keyof Other]: [Exclude<PlaceholdersOf<Other[K]>, PlaceholdersOf<English[K]>>] extends [never] ? never : K
}[keyof English & keyof Other]

/** Placeholders of a text, or of all texts in an object or a list. */
export type PlaceholdersOf<Text> = Text extends string
  ? Placeholder<Text>
  : Text extends readonly (infer Entry)[]
    ? PlaceholdersOf<Entry>
    : Text extends object
      ? { [K in keyof Text]: PlaceholdersOf<Text[K]> }[keyof Text]
      : never

/** The type of texts in another language: the same members, and lists of the same length. */
export type SameShape<English> = English extends string ? string : { readonly [K in keyof English]: SameShape<English[K]> }

export type None<T extends never> = T

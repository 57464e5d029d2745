/** How texts of two languages are held together by types. */
import type { Placeholder } from '#workers'

/**
 * Does not compile when a text of the second table uses a placeholder that the first lacks; the error names the keys. (That the keys are the same is
 * what `satisfies` in the second table's file says.)
 */
export type StrayPlaceholders<English extends Record<string, unknown>, Other extends Record<string, unknown>> = {
  [K in keyof English & keyof Other]: [Exclude<PlaceholdersOf<Other[K]>, PlaceholdersOf<English[K]>>] extends [never] ? never : K
}[keyof English & keyof Other]

/** The names in braces of a text, or of all texts in an object or a list. */
export type PlaceholdersOf<Text> = Text extends string
  ? Placeholder<Text>
  : Text extends readonly (infer Entry)[]
    ? PlaceholdersOf<Entry>
    : Text extends object
      ? { [K in keyof Text]: PlaceholdersOf<Text[K]> }[keyof Text]
      : never

/** Texts of another language: the same members, and as many entries in each list. */
export type SameShape<English> = English extends string ? string : { readonly [K in keyof English]: SameShape<English[K]> }

export type None<T extends never> = T

/** How texts of two languages are held together by types. */
import type { Placeholder } from '#workers'

/**
 * Does not compile when a text of the second table uses a placeholder that the first lacks; the error names the keys. (That the keys are the same is
 * what `satisfies` in the second table's file says.)
 */
export type StrayPlaceholders<English extends Record<string, unknown>, Other extends Record<string, unknown>> = {
  [K in keyof English & keyof Other]: [Exclude<PlaceholdersOf<Other[K]>, PlaceholdersOf<English[K]>>] extends [never] ? never : K
}[keyof English & keyof Other]

type PlaceholdersOf<Text> = Text extends string ? Placeholder<Text> : Text extends object ? { [K in keyof Text]: PlaceholdersOf<Text[K]> }[keyof Text] : never

export type None<T extends never> = T

/**
 * Appends to a list that only its owner writes, or replaces the shared empty list. Copying the list for every item would be quadratic for hostile
 * content.
 */
export function append<T>(list: readonly T[], item: T): readonly T[] {
  if (list.length === 0) return [item]
  ;(list as T[]).push(item)
  return list
}

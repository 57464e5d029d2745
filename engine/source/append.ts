/**
 * Appends to a list that its owner alone writes, and that was empty and shared before. Copying it for every item would make hostile content
 * quadratic.
 */
export function append<T>(list: readonly T[], item: T): readonly T[] {
  if (list.length === 0) return [item]
  ;(list as T[]).push(item)
  return list
}

/** A cache with a limit of entries that takes memory only for the entries it has. */
import { LRUCache } from 'lru-cache'

/**
 * With `max`, `lru-cache` allocates four arrays of that length at once, 20 bytes an entry: 4 MB in each process for the caches of the service, most of which stay
 * nearly empty. With a size of 1 for each entry the limit is the same, and the arrays grow.
 */
export function entryCache<V extends {}>(limit: number, options: { readonly ttl?: number; readonly noUpdateTTL?: boolean } = {}): LRUCache<string, V> {
  return new LRUCache<string, V>({ ...options, maxSize: limit, sizeCalculation: () => 1 })
}

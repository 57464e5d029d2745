/** Finds the shape that the fields of the last JSON text have. */
import { MOST_PROBES, SHAPE_COUNT, SHAPE_HASH, SHAPE_IDS, SHAPE_NUMBER } from './json-records'
import { JSON_COUNT, JSON_HASH, JSON_IDS } from './layout'

/** Returns the number of the shape, 0: it is new. Mixes the hash, as records of shapes have it. @param slots address of the known shapes @param mask their number less one */
export function findShape(slots: i32, mask: i32): i32 {
  const count = load<i32>(JSON_COUNT)
  let hash = load<i32>(JSON_HASH)
  hash ^= hash >>> 15
  store<i32>(JSON_HASH, hash)
  const size = count << 2
  // Records end with zeros, so that whole blocks are compared.
  v128.store(JSON_IDS + size, i32x4.splat(0))
  for (let probe = 0; probe < MOST_PROBES; probe++) {
    const shape = load<i32>(slots + (((hash + probe) & mask) << 2))
    if (shape === 0) return 0
    if (load<i32>(shape, SHAPE_HASH) === hash && load<i32>(shape, SHAPE_COUNT) === count && hasIds(shape, size)) return load<i32>(shape, SHAPE_NUMBER)
  }
  return 0
}

function hasIds(shape: i32, size: i32): bool {
  for (let at = 0; at < size; at += 16) if (v128.any_true(v128.xor(v128.load(shape + SHAPE_IDS + at), v128.load(JSON_IDS + at)))) return false
  return true
}

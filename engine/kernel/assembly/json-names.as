/** Finds the node of a name in an object: the names that followed one another before are tried first, then all known ones. */
import { MOST_PROBES, NODE_FIRST, NODE_NAME, NODE_NEXT, NODE_PARENT, NODE_SIZE } from './json-records'
import { JSON_NAMES, JSON_NAMES_MASK } from './layout'

/** Factor of the hash of names. */
const FACTOR: u64 = 0x9e3779b97f4a7c15

/** Whether the name of a node and its closing quote are at an address. */
@inline
export function isNameAt(node: i32, address: i32): bool {
  const size = load<i32>(node, NODE_SIZE)
  return size <= 16 ? equalUpTo(node + NODE_NAME, address, size) : isLongNameAt(node + NODE_NAME, address, size)
}

/** Whether up to sixteen bytes are equal. */
@inline
function equalUpTo(a: i32, b: i32, size: i32): bool {
  const wanted = (1 << size) - 1
  return (i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b))) & wanted) === wanted
}

function isLongNameAt(name: i32, address: i32, size: i32): bool {
  while (size > 16) {
    if (!equalUpTo(name, address, 16)) return false
    name += 16
    address += 16
    size -= 16
  }
  return equalUpTo(name, address, size)
}

/** Returns the address of the two names that are expected next. @param previous the member before, 0: none */
@inline
export function guessesOf(parent: i32, previous: i32): i32 {
  return previous === 0 ? parent + NODE_FIRST : previous + NODE_NEXT
}

/** Returns the guess that is at an address, 0: neither. It is the first one then. */
@inline
export function guess(guesses: i32, address: i32): i32 {
  const likely = load<i32>(guesses)
  if (likely !== 0 && isNameAt(likely, address)) return likely
  const other = load<i32>(guesses, 4)
  if (other === 0 || !isNameAt(other, address)) return 0
  store<i32>(guesses, other)
  store<i32>(guesses, likely, 4)
  return other
}

/** Returns the node of a name, 0: unknown. Records it as a guess. @param size of the name with its closing quote */
export function findName(parent: i32, guesses: i32, address: i32, size: i32): i32 {
  const slots = load<i32>(JSON_NAMES)
  const mask = load<i32>(JSON_NAMES_MASK)
  const hash = nameHash(parent, address, size)
  for (let probe = 0; probe < MOST_PROBES; probe++) {
    const node = load<i32>(slots + (((hash + probe) & mask) << 2))
    if (node === 0) return 0
    if (load<i32>(node, NODE_PARENT) !== parent || load<i32>(node, NODE_SIZE) !== size || !isNameAt(node, address)) continue
    store<i32>(guesses, load<i32>(guesses), 4)
    store<i32>(guesses, node)
    return node
  }
  return 0
}

/** Returns the hash of a name in an object. */
export function nameHash(parent: i32, address: i32, size: i32): i32 {
  let hash = (<u64>parent * FACTOR) ^ <u64>size
  while (size > 8) {
    hash = (hash ^ load<u64>(address)) * FACTOR
    hash ^= hash >> 29
    address += 8
    size -= 8
  }
  hash = (hash ^ (load<u64>(address) << (<u64>(8 - size) << 3))) * FACTOR
  return <i32>(hash >> 40)
}

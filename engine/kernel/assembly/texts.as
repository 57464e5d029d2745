/** The functions of `../texts.ts` for sixteen bytes at once. They may read up to `SLACK` bytes behind a text. */

export function findBytes(text: i32, length: i32, from: i32, literal: i32, size: i32): i32 {
  const last = length - size
  const first = i8x16.splat(load<i8>(literal))
  const final = i8x16.splat(load<i8>(literal + size - 1))
  for (let at = from; at <= last; at += 16) {
    let found = i8x16.bitmask(v128.and(i8x16.eq(v128.load(text + at), first), i8x16.eq(v128.load(text + at + size - 1), final)))
    while (found !== 0) {
      const place = at + ctz(found)
      if (place > last) return -1
      if (size <= 2 || equalBytes(text + place + 1, literal + 1, size - 2)) return place
      found &= found - 1
    }
  }
  return -1
}

export function equalBytes(a: i32, b: i32, size: i32): bool {
  let i = 0
  for (; i + 8 <= size; i += 8) if (load<u64>(a + i) !== load<u64>(b + i)) return false
  for (; i < size; i++) if (load<u8>(a + i) !== load<u8>(b + i)) return false
  return true
}

export function fold(source: i32, target: i32, length: i32): void {
  let at = 0
  for (; at + 32 <= length; at += 32) {
    const first = v128.load(source + at)
    const second = v128.load(source + at, 16)
    v128.store(target + at, folded(first))
    v128.store(target + at, folded(second), 16)
  }
  for (; at < length; at += 16) v128.store(target + at, folded(v128.load(source + at)))
}

/** Signed bytes: with 63 added `A` to `Z`, and no other byte, are below -102. */
function folded(bytes: v128): v128 {
  return v128.or(bytes, v128.and(i8x16.lt_s(i8x16.add(bytes, i8x16.splat(63)), i8x16.splat(-102)), i8x16.splat(0x20)))
}

export function findByte(text: i32, length: i32, from: i32, byte: i32): i32 {
  const wanted = i8x16.splat(<i8>byte)
  let at = from
  for (; at + 64 <= length; at += 64) {
    const near = v128.or(i8x16.eq(v128.load(text + at), wanted), i8x16.eq(v128.load(text + at, 16), wanted))
    const far = v128.or(i8x16.eq(v128.load(text + at, 32), wanted), i8x16.eq(v128.load(text + at, 48), wanted))
    if (v128.any_true(v128.or(near, far))) break
  }
  for (; at < length; at += 16) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(text + at), wanted))
    if (found !== 0) return min(at + ctz(found), length)
  }
  return length
}

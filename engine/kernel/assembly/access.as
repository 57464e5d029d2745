/** The functions of `../access.ts` as instructions of WebAssembly. */

export function byteAt(address: i32): i32 {
  return <i32>load<u8>(address)
}

export function setByte(address: i32, value: i32): void {
  store<u8>(address, value)
}

export function halfAt(address: i32): i32 {
  return <i32>load<u16>(address)
}

export function wordAt(address: i32): i32 {
  return load<i32>(address)
}

export function setWord(address: i32, value: i32): void {
  store<i32>(address, value)
}

export function windowAt(address: i32): i32 {
  return load<i32>(address)
}

export function product(a: i32, b: i32): i32 {
  return a * b
}

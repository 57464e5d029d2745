/**
 * Reads and writes the memory of the kernel: what its functions need of it when they run as JavaScript. `assembly/access.as` declares the same functions for
 * WebAssembly, where each of them is one instruction.
 */
import { BYTES, HALVES, WORDS } from './memory.js'

export function byteAt(address: number): number {
  return BYTES[address]
}

export function setByte(address: number, value: number): void {
  BYTES[address] = value
}

/** @param address even */
export function halfAt(address: number): number {
  return HALVES[address >> 1]
}

/** @param address a multiple of four */
export function wordAt(address: number): number {
  return WORDS[address >> 2]
}

/** @param address a multiple of four */
export function setWord(address: number, value: number): void {
  WORDS[address >> 2] = value
}

/** Returns four bytes of a text at any address, the first in the lowest bits. */
export function windowAt(address: number): number {
  return BYTES[address] | (BYTES[address + 1] << 8) | (BYTES[address + 2] << 16) | (BYTES[address + 3] << 24)
}

/** Returns the lower 32 bits of a product. */
export function product(a: number, b: number): number {
  return Math.imul(a, b)
}

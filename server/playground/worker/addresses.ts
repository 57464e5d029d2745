/** Addresses of files in the language server: the edited ones, and those of the base. */
import type { FileKind } from '#engine'

/** A file by what it is called, and whether the page only reads it. */
export interface FileAddress {
  readonly kind: FileKind
  readonly filename: string
  readonly isBase: boolean
}

export function addressOf({ kind, filename, isBase }: FileAddress): string {
  return `${isBase ? 'base' : 'own'}:///${kind}/${encodeURIComponent(filename)}`
}

/** @param address as `addressOf` writes it */
export function readAddress(address: string): FileAddress {
  const [origin, kind, filename] = address.split(/:?\/+/)
  return { kind: kind as FileKind, filename: decodeURIComponent(filename), isBase: origin === 'base' }
}

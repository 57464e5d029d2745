/** Frees memory of received bytes before the heap is collected. */

/** Smaller memory is left to the collector: freeing it takes as long as copying it, and the smallest may be shared. */
const LARGE_BYTES = 32 * 1024

/**
 * Frees the memory of bytes that nobody reads any more, if they are the last part of it: what precedes them in it must not be read either. A body arrives in
 * buffers that the event loop's heap does not contain but counts, so that each batch would make it collect all its objects.
 */
export function freeMemory({ buffer, byteOffset, byteLength }: Uint8Array): void {
  if (buffer.byteLength < LARGE_BYTES || byteOffset + byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return
  // The clone gets the memory, and is discarded.
  structuredClone(null, { transfer: [buffer] })
}

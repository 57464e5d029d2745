/** Files of the store beside what SQLite does with them. */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** With less than this left, the disk is full. */
const FULL_BELOW_BYTES = 64 * 1024 * 1024
const PROBE_BYTES = 64 * 1024

/** Makes the directory, for the owner alone. */
export function makeDirectory(directory: string): void {
  const made = mkdirSync(directory, { recursive: true, mode: 0o700 })
  // The umask may have taken more away from the mode.
  if (made === undefined) return
  chmodSync(directory, 0o700)
  syncDirectory(dirname(made))
}

/** Makes an empty file for the owner alone; SQLite gives its other files the same mode. A file that exists is not opened: closing it would release SQLite's locks on it. */
export function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault
    return
  }
  syncDirectory(dirname(path))
}

/** A new file is there after a power cut only when its directory is on disk too. */
export function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Whether no more can be written beside the file. It is tried, because neither a quota nor a limit on the size of files shows in the free space. */
export function isFull(path: string): boolean {
  const directory = dirname(path)
  const probe = join(directory, 'probe')
  try {
    const { bavail, bsize } = statfsSync(directory)
    if (bavail * bsize < FULL_BELOW_BYTES) return true
    const handle = openSync(probe, 'w', 0o600)
    try {
      const size = Math.max(...[path, `${path}-wal`].map((file) => statSync(file).size))
      return writeSync(handle, Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, size) < PROBE_BYTES
    } finally {
      closeSync(handle)
    }
  } catch (fault) {
    return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((fault as NodeJS.ErrnoException).code ?? '')
  } finally {
    rmSync(probe, { force: true })
  }
}

/** Creates and checks files of the store. */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** With less free space than this, the disk counts as full. */
const FULL_BELOW_BYTES = 64 * 1024 * 1024
const PROBE_BYTES = 64 * 1024

/** Creates the directory with mode 0700. */
export function makeDirectory(directory: string): void {
  const created = mkdirSync(directory, { recursive: true, mode: 0o700 })
  // The umask may have removed more permissions.
  if (created === undefined) return
  chmodSync(directory, 0o700)
  syncDirectory(dirname(created))
}

/** Creates an empty file with mode 0600; SQLite creates its other files with the same mode. An existing file is not opened, because closing it would release SQLite's locks. */
export function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault
    return
  }
  syncDirectory(dirname(path))
}

/** Writes a directory to disk. Without this, a new file may be missing after a power failure. */
function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Whether the disk of the file is full. It writes a test file, because free space shows neither a quota nor a limit on file sizes. */
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

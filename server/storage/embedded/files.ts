/** The store's files, beside what lmdb does with them: whether they are ours, whether they are still there, whether the disk is full. */
import { chmod, mkdir, open as openFile, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** With less than this left, the disk is what is full. */
const FULL_BELOW_BYTES = 64 * 1024 * 1024
const DATA_FILE = 'data.mdb'
const PROBE_BYTES = 64 * 1024
/** How LMDB's files begin, on machines of little end; the data format behind it is 2. */
const MAGIC = Buffer.from([0xde, 0xc0, 0xef, 0xbe, 2, 0])
const MAGIC_AT = 24
/** What LMDB writes when it makes the file: two pages. */
const NEW_FILE_BYTES = 8192
/** ENOSPC, EDQUOT, EFBIG, MDB_MAP_FULL. */
export const FULL_CODES: ReadonlySet<unknown> = new Set([28, 122, 27, -30792, 'ENOSPC', 'EDQUOT', 'EFBIG'])

/** The file that holds everything. */
export function dataFileOf(directory: string): string {
  return join(directory, DATA_FILE)
}

/** lmdb crashes the process on a file that is not LMDB's, so that is asked before. */
export async function checkFile(directory: string): Promise<void> {
  const path = join(directory, DATA_FILE)
  const file = await openFile(path, 'r').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return null
    throw fault
  })
  if (file === null) return
  let begins: Buffer
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(NEW_FILE_BYTES + 1), 0, NEW_FILE_BYTES + 1, 0)
    begins = buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
  // A power cut just after the file was made: nothing can have been acknowledged yet.
  if (begins.length <= NEW_FILE_BYTES && begins.every((byte) => byte === 0)) return rm(path)
  if (!begins.subarray(MAGIC_AT, MAGIC_AT + MAGIC.length).equals(MAGIC)) throw new Error(`${path} is no file of this store`)
}

/** Looks whether more can be written, as a limit on the size of files is not seen in the free space. */
export async function isFull(directory: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(directory)
  if (bavail * bsize < FULL_BELOW_BYTES) return true
  const path = join(directory, 'probe')
  try {
    const probe = await openFile(path, 'w', 0o600)
    try {
      const { size } = await stat(join(directory, DATA_FILE))
      const { bytesWritten } = await probe.write(Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, size)
      return bytesWritten < PROBE_BYTES
    } finally {
      await probe.close()
    }
  } catch (fault) {
    return FULL_CODES.has((fault as { code?: unknown }).code)
  } finally {
    await rm(path, { force: true })
  }
}

/** Makes the directory, for the owner alone. */
export async function makeDirectory(directory: string): Promise<void> {
  const made = await mkdir(directory, { recursive: true, mode: 0o700 })
  // What the umask has left of the mode may be less than it takes.
  if (made === undefined) return
  await chmod(directory, 0o700)
  await syncDirectory(dirname(made))
}

/** A new file is only there after a power cut when its directory is on disk, too. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await openFile(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

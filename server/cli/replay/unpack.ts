/** Reads compressed files by the program of their format, where it is installed. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pipeline, Readable } from 'node:stream'

/** Bytes of output that wait to be read. */
const OUTPUT = 1024 * 1024

interface Program {
  readonly ending: string
  readonly name: string
  readonly args: readonly string[]
}

/** A file of xz says how much memory its reader needs, up to gigabytes. */
const PROGRAMS: readonly Program[] = [
  { ending: '.bz2', name: 'bzip2', args: ['-d', '-c'] },
  { ending: '.xz', name: 'xz', args: ['-d', '-c', '--memlimit-decompress=256MiB'] },
]

/** What the program refuses: it is no such file, or its end is missing. */
class UnpackFault extends Error {
  readonly code = 'Z_DATA_ERROR'
}

/** The program that reads a file of this name. Undefined: none is needed. */
export function programFor(file: string): Program | undefined {
  return PROGRAMS.find(({ ending }) => file.endsWith(ending))
}

export function isInstalled({ name }: Program): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.some((folder) => existsSync(join(folder, name)) || existsSync(join(folder, `${name}.exe`)))
}

/** @param file is destroyed with the stream that is returned */
export function unpack(program: Program, file: Readable): Readable {
  return Readable.from(outputOf(program, file), { objectMode: false, highWaterMark: OUTPUT })
}

async function* outputOf({ name, args }: Program, file: Readable): AsyncGenerator<Buffer, void, undefined> {
  const child = spawn(name, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  // It is awaited after the output.
  exit.catch(() => {})
  pipeline(file, child.stdin, () => {})
  try {
    yield* child.stdout as AsyncIterable<Buffer>
    if (file.errored !== null) throw file.errored
    if ((await exit) !== 0) throw new UnpackFault(name)
  } finally {
    child.kill()
    file.destroy()
  }
}

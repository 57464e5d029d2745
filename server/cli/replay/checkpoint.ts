/** The checkpoint of a replay: where the sources go on, and everything that was remembered, in one file that is replaced in one step. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { ReplayState } from './correlator.js'
import type { ReplayPlace } from './place.js'

export interface Checkpoint {
  readonly place: ReplayPlace
  readonly state: ReplayState
  /** Bytes of the file of alerts. */
  readonly alerts: number
  /** Sources that could not be read to their end. */
  readonly incomplete: IncompleteSource[]
  readonly isFinished: boolean
  /** Whether the exit code of a finished replay is 0. */
  readonly isFine: boolean
}

export interface IncompleteSource {
  readonly source: string
  /** The error of the system, or `truncated`. */
  readonly reason: string
}

/** A checkpoint, and what the call was that wrote it. */
interface Written {
  readonly call: string
  readonly checkpoint: Checkpoint
}

const NAME = 'checkpoint.bin'

/** Replaces the checkpoint in a folder. @param call what has to be the same in a call that continues */
export function writeCheckpoint(folder: string, call: string, checkpoint: Checkpoint): void {
  replaceFile(join(folder, NAME), serialize({ call, checkpoint } satisfies Written))
}

/** @returns null: there is none; undefined: it is of another call */
export function readCheckpoint(folder: string, call: string): Checkpoint | null | undefined {
  const path = join(folder, NAME)
  if (!existsSync(path)) return null
  const written = deserialize(readFileSync(path)) as Written
  return written.call === call ? written.checkpoint : undefined
}

/** Writes a file that is there whole, or as it was before. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const temporary = `${path}.new`
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const descriptor = openSync(temporary, 'w')
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(temporary, path)
}

/** An event in a block, and what is known of the block. Plain data: a checkpoint contains those that wait for earlier ones. */
import type { BlockAnswer } from '#workers'
import type { HostCount } from './counters.js'

/** A block whose events are being finished. */
export interface EventBlock {
  readonly source: string
  /** Number of its first line in the source, from 1. */
  readonly firstLine: number
  /** For each content. */
  readonly answers: readonly BlockAnswer[]
  /** For each content, the counts of its hosts, in the order of the answer. */
  readonly hosts: readonly (readonly HostCount[])[]
  /** Events that are not finished. */
  left: number
}

export interface BlockEvent {
  readonly block: EventBlock
  /** Its position in the lists of the answers. */
  readonly at: number
  /** When it is received. */
  readonly seconds: number
}

/** Number of the line of an event in its source, from 1. */
export function lineOf({ block: { firstLine, answers }, at }: BlockEvent): number {
  return firstLine + answers[0].lines[at]
}

/** The line of an event, a byte string. */
export function textOf({ answers }: EventBlock, at: number): string {
  const [{ bytes, starts, ends }] = answers
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', starts[at], ends[at])
}

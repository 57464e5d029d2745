/** Where the input of a replay continues. Plain data: a checkpoint contains it. */

/** A source, in the order in which they begin. */
export interface PlannedSource {
  /** Position in the list of sources. */
  readonly source: number
  /** Bytes that are read of it, as it was when the replay began; null: not known. */
  readonly size: number | null
  /** The first time in it in seconds since the epoch; null: none was found. */
  readonly first: number | null
}

/** Where a source continues that was begun and not finished. */
export interface LanePlace {
  /** Position in the order. */
  readonly rank: number
  /** Bytes of the source, without its compression, and lines of it, up to the block that comes next. */
  readonly offset: number
  readonly lines: number
  /** Events of that block that are finished. Null: it was not begun, and is not counted. */
  readonly finished: number | null
  /** The last time that a line of the source has had of its own. */
  readonly lastTime: number
}

export interface ReplayPlace {
  readonly order: readonly PlannedSource[]
  /** Sources that were begun: the first ones of the order. */
  readonly begun: number
  readonly lanes: readonly LanePlace[]
  /** Lines of the sources that are finished. */
  readonly linesBefore: number
  /** Bytes of these sources, as they lie on the disk. */
  readonly bytesBefore: number
}

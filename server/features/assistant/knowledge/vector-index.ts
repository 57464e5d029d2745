/**
 * A search by meaning: the vectors of all records of one language, from one model, in memory. They are not stored, because a provider computes them in less
 * than a minute. Invariants:
 *  1. the vectors are used only when every record has one, so that no record is at a disadvantage
 *  2. one filling runs at a time; a provider that fails is asked again after a pause at the earliest
 *  3. vectors have the same length and finite numbers; an answer with others fails as a whole
 */
import { type Embed, EmbeddingStoppedError, type KnowledgeRecord, UnusableVectorsError } from './knowledge.js'
import { Pauses } from './pauses.js'

/** Texts of a call; providers accept at least this many. */
const BATCH = 64
/** Characters of a record that are embedded: models read some 500 tokens or more. */
const TEXT_CHARACTERS = 2000
/** Longest vector of common models, doubled. */
const LENGTH_LIMIT = 8192
/** Memory of the vectors of one language: 5,000 records with 3,072 numbers. */
const BYTES_LIMIT = 64 * 1024 * 1024
/** Pause after a failure. */
const RETRY_MS = 60_000

export interface VectorHit {
  readonly record: KnowledgeRecord
  /** Cosine: -1 to 1. */
  readonly similarity: number
}

interface KnownVector {
  readonly text: string
  readonly vector: Float32Array
}

export class VectorIndex {
  readonly model: string
  readonly #records: readonly KnowledgeRecord[]
  readonly #clock: () => number
  /** Vectors by uid; those of an earlier build are used for texts that have not changed. */
  readonly #vectors = new Map<string, KnownVector>()
  readonly #earlier: VectorIndex | null
  #filling: Promise<void> | null = null
  #isFull = false
  /** Why the last filling failed; null: it did not, or there was none. */
  #failure: unknown = null
  #notBefore = 0

  constructor({ model, records, earlier, clock }: { model: string; records: readonly KnowledgeRecord[]; earlier: VectorIndex | null; clock: () => number }) {
    this.model = model
    this.#records = records
    this.#earlier = earlier?.model === model ? earlier : null
    this.#clock = clock
  }

  get isFull(): boolean {
    return this.#isFull
  }

  /** Starts to compute the vectors, unless that has begun. @param onError called with the reason of a failure @throws that reason, until the pause after it is over */
  fill(embed: Embed, signal: AbortSignal, onError: (error: unknown) => void): void {
    if (this.#isFull || this.#filling !== null || signal.aborted) return
    if (this.#failure !== null && this.#clock() < this.#notBefore) throw this.#failure
    this.#failure = null
    this.#filling = this.#fillAll(embed, signal)
      .catch((error: unknown) => {
        if (signal.aborted || error instanceof EmbeddingStoppedError) return
        this.#failure = error
        this.#notBefore = this.#clock() + RETRY_MS
        onError(error)
      })
      .finally(() => {
        this.#filling = null
      })
  }

  /** Resolves when the filling that runs has ended, well or not. */
  async settled(): Promise<void> {
    await this.#filling
  }

  /** The records nearest to a vector. */
  search(vector: readonly number[], accepts: (record: KnowledgeRecord) => boolean, limit: number): VectorHit[] {
    const asked = normalized(vector, this.#length())
    const hits: VectorHit[] = []
    for (const record of this.#records) {
      const known = this.#vectors.get(record.uid)
      if (known !== undefined && accepts(record)) hits.push({ record, similarity: dot(asked, known.vector) })
    }
    return hits.sort((a, b) => b.similarity - a.similarity).slice(0, limit)
  }

  async #fillAll(embed: Embed, signal: AbortSignal): Promise<void> {
    const pauses = new Pauses()
    const earlier = this.#earlier
    for (const { uid, text } of this.#records) {
      const known = earlier === null ? undefined : earlier.#vectors.get(uid)
      if (known?.text === text) this.#vectors.set(uid, known)
    }
    const missing = this.#records.filter(({ uid }) => !this.#vectors.has(uid))
    for (let at = 0; at < missing.length; at += BATCH) {
      signal.throwIfAborted()
      const batch = missing.slice(at, at + BATCH)
      const vectors = await embed(
        batch.map(({ title, text }) => `${title}\n${text}`.slice(0, TEXT_CHARACTERS)),
        signal,
      )
      if (vectors.length !== batch.length) throw new UnusableVectorsError(`${vectors.length} vectors for ${batch.length} texts`)
      for (const [index, { uid, text }] of batch.entries()) {
        this.#vectors.set(uid, { text, vector: normalized(vectors[index], this.#length() ?? vectors[index].length) })
        await pauses.ifDue()
      }
      if ((this.#length() ?? 0) * this.#records.length * Float32Array.BYTES_PER_ELEMENT > BYTES_LIMIT) throw new UnusableVectorsError('the vectors take too much memory')
    }
    this.#isFull = true
  }

  /** Length of the vectors; undefined: none is known. */
  #length(): number | undefined {
    return this.#vectors.values().next().value?.vector.length
  }
}

/** @throws UnusableVectorsError for a vector of another length or with a number that is not finite */
function normalized(vector: readonly number[], length: number | undefined): Float32Array {
  if (vector.length === 0 || vector.length > LENGTH_LIMIT || vector.length !== length) throw new UnusableVectorsError(`a vector has ${vector.length} numbers`)
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  if (!Number.isFinite(norm)) throw new UnusableVectorsError('a vector has a number that is not finite')
  return Float32Array.from(vector, (value) => (norm === 0 ? 0 : value / norm))
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index += 1) sum += a[index] * b[index]
  return sum
}

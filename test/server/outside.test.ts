/** What comes from outside costs an event loop the same, however large it is: threads parse, inflate and hash it. Counted in steps, for every gateway and route. */
import { after, describe, test } from 'node:test'
import { StepCounter } from '../support/steps.js'
import { SENT, SUBJECTS } from './outside-subjects.js'

/** Bytes of a body: more than an event loop reads itself, and four times as much. */
const [SMALL, LARGE] = [96 * 1024, 384 * 1024]
/** Steps for each kilobyte. A loop over the bytes, or a built-in function that looks at them, would take a thousand; a pool that waits for its threads on a busy machine takes some. */
const PER_KILOBYTE = 100
/** A connection hands on four kilobytes at a time, and the bytes are copied into shared memory once. */
const PER_KILOBYTE_SENT = 1024 + 60
/** Lines of a batch are joined first. */
const PER_KILOBYTE_OF_LINES = 1024 + PER_KILOBYTE_SENT
/** A signature is over all bytes: the subject makes and checks two. */
const PER_KILOBYTE_HASHED = 4 * 1024 + PER_KILOBYTE
/** More than a hundred routes wait for the threads, one after the other. One that looked at its bytes would take a thousand. */
const PER_KILOBYTE_OF_ROUTES = 300
/** All of a body of SCIM is parsed once, in pieces, and put together. */
const PER_KILOBYTE_IN_PIECES = 2 * 1024

const LIMITS: Readonly<Record<string, number>> = {
  signatures: PER_KILOBYTE_HASHED,
  'bodies of all routes but those of SCIM': PER_KILOBYTE_OF_ROUTES,
  'analysis: batch': PER_KILOBYTE_OF_LINES,
  'bodies of SCIM': PER_KILOBYTE_IN_PIECES,
}

const limitOf = (subject: string): number => LIMITS[subject] ?? (Object.hasOwn(SENT, subject) ? PER_KILOBYTE_SENT : PER_KILOBYTE)

describe('an event loop does not read what is large', () => {
  const counter = new StepCounter(new URL('./outside-subjects.js', import.meta.url), { folders: ['server', 'workers'], isWarmed: true })
  after(() => counter.close())
  for (const subject of Object.keys(SUBJECTS)) test(subject, () => counter.assertFlat(subject, SMALL, LARGE, limitOf(subject)))
})

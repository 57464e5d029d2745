/** Answers of Git's smart HTTP protocol (version 0): the references of a server, the pack of a fetch, and the report of a push. */
import { BRANCHES_LIMIT } from './limits.js'
import { isObjectId, NO_ID, PackTooLargeError } from './objects.js'
import { MalformedGitError, pktLine, readPktLines, textOf } from './pkt-line.js'

export const UPLOAD_PACK = 'git-upload-pack'
export const BRANCHES = 'refs/heads/'
/** Bands of a multiplexed answer. */
const DATA_BAND = 1
const MESSAGE_BAND = 2
const ERROR_BAND = 3
/** Begin of `info/refs` of a server without the smart protocol: an id and the name of a branch. */
const DUMB = /^[0-9a-f]{40,64}\trefs\//
const DUMB_CHARACTERS = 80
/** The capability of repositories whose ids are SHA-256. */
const SHA256 = 'object-format=sha256'

/** The answer is one of a server that this service does not support. */
export class UnsupportedGitError extends Error {
  override readonly name = 'UnsupportedGitError'
  constructor(readonly what: 'smart_http' | 'object_format') {
    super(what)
  }
}

/** The server says that it refuses the request. */
export class GitRefusedError extends Error {
  override readonly name = 'GitRefusedError'
}

export interface References {
  /** Names and heads of branches: of all, or of the one that was asked for. */
  readonly branches: readonly (readonly [name: string, head: string])[]
  /** What the server can do. */
  readonly capabilities: readonly string[]
}

/** What a server says about a push; null: it has made the commit the head. It may say it about a moved head too. */
export type PushRefusal = { readonly reason: string; readonly message: string } | null

/** @param branch the only one that is wanted; null: all @throws MalformedGitError, UnsupportedGitError; PackTooLargeError above `BRANCHES_LIMIT` */
export function readReferences(bytes: Buffer, branch: string | null): References {
  // A server that only serves files answers with those that Git wrote for it.
  if (DUMB.test(bytes.toString('latin1', 0, DUMB_CHARACTERS))) throw new UnsupportedGitError('smart_http')
  const lines = readPktLines(bytes)
  const first = lines.next().value
  if (first === undefined || first === null || textOf(first) !== `# service=${UPLOAD_PACK}`) throw new MalformedGitError('not the smart protocol')
  const branches = new Map<string, string>()
  const capabilities = new Set<string>()
  let isFirst = true
  let sections = 0
  for (const line of lines) {
    if (line === null) {
      sections += 1
      continue
    }
    const [reference, listed] = textOf(line).split('\0')
    if (isFirst) for (const capability of (listed ?? '').split(' ')) capabilities.add(capability)
    isFirst = false
    if (capabilities.has(SHA256)) throw new UnsupportedGitError('object_format')
    const id = reference.slice(0, NO_ID.length)
    if (!isObjectId(id) || reference[NO_ID.length] !== ' ') throw new MalformedGitError('a malformed reference')
    const name = reference.slice(NO_ID.length + 1)
    if (!name.startsWith(BRANCHES) || (branch !== null && name !== BRANCHES + branch)) continue
    branches.set(name.slice(BRANCHES.length), id)
    if (branches.size > BRANCHES_LIMIT) throw new PackTooLargeError(BRANCHES_LIMIT)
  }
  // The announcement of the service is a section, and the references are another, which is empty for an empty repository.
  if (sections < 2) throw new MalformedGitError('no references')
  return { branches: [...branches], capabilities: [...capabilities] }
}

/** Returns the pack of the answer to a fetch. @throws MalformedGitError, GitRefusedError */
export function packOf(answer: Buffer): SharedArrayBuffer {
  const data: Buffer[] = []
  let bytes = 0
  let isPack = false
  let isComplete = false
  for (const line of readPktLines(answer)) {
    if (line === null) {
      isComplete = isPack
      continue
    }
    if (!isPack) {
      const text = textOf(line)
      if (text.startsWith('ERR ')) throw new GitRefusedError(text)
      // Lines before: the commits at which the history ends.
      isPack = text === 'NAK' || text.startsWith('ACK ')
    } else if (line[0] === DATA_BAND) bytes += data[data.push(line.subarray(1)) - 1].length
    else if (line[0] === ERROR_BAND) throw new GitRefusedError(textOf(line.subarray(1)))
  }
  if (!isComplete) throw new MalformedGitError('the answer is cut')
  const pack = new SharedArrayBuffer(bytes)
  const written = new Uint8Array(pack)
  let at = 0
  for (const part of data) {
    written.set(part, at)
    at += part.length
  }
  return pack
}

/** @param reference that was pushed @throws MalformedGitError */
export function readReport(answer: Buffer, reference: string): PushRefusal {
  const report: Buffer[] = []
  let message = ''
  for (const line of readPktLines(answer)) {
    if (line === null) continue
    if (line[0] === DATA_BAND) report.push(line.subarray(1))
    else if (line[0] === MESSAGE_BAND || line[0] === ERROR_BAND) message += line.toString('utf8', 1)
    // Without bands the lines are the report itself.
    else report.push(pktLine(line.toString('utf8')))
  }
  const lines = [...readPktLines(Buffer.concat(report))].flatMap((line) => (line === null ? [] : [textOf(line)]))
  if (lines.includes('unpack ok') && lines.includes(`ok ${reference}`)) return null
  const refused = lines.find((line) => line.startsWith(`ng ${reference} `))?.slice(`ng ${reference} `.length)
  const unpack = lines.find((line) => line.startsWith('unpack ') && line !== 'unpack ok')
  if (refused === undefined && unpack === undefined && message === '') throw new MalformedGitError('no report')
  return { reason: refused ?? unpack ?? '', message }
}

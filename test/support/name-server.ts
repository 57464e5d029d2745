/** A name server on this machine, over UDP, that answers as a test says. */
import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'

/** Codes of answers (RFC 1035, 4.1.1). */
export const [NO_ERROR, SERVER_FAILURE, NAME_ERROR] = [0, 2, 3]
/** Types of records. */
export const [A, TXT, AAAA] = [1, 16, 28]

export interface Question {
  readonly name: string
  readonly type: number
}

export interface NameServer {
  /** `address:port`, for a resolver. */
  readonly address: string
  /** How many questions came. */
  readonly asked: () => number
  close(): void
}

/** @param answer null: none is sent */
export async function startNameServer(answer: (query: Buffer) => Buffer | null): Promise<NameServer> {
  const socket = createSocket('udp4')
  let asked = 0
  socket.on('message', (query, { port, address }) => {
    asked++
    const sent = answer(query)
    if (sent !== null) socket.send(sent, port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return { address: `127.0.0.1:${socket.address().port}`, asked: () => asked, close: () => void socket.close() }
}

export function questionOf(query: Buffer): Question {
  const labels: string[] = []
  let at = 12
  for (; query[at] !== 0; at += query[at] + 1) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]))
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1) }
}

/** The answer to a query, with records of its type. */
export function answerTo(query: Buffer, code: number, records: readonly Buffer[]): Buffer {
  // The question ends after the name, its type and its class.
  let end = 12
  while (query[end] !== 0) end += query[end] + 1
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(records.length, 6)
  header.writeUInt16BE(0, 8)
  header.writeUInt16BE(0, 10)
  const answers = records.map((data) => {
    const fixed = Buffer.alloc(12)
    fixed.writeUInt16BE(0xc00c, 0)
    query.copy(fixed, 2, end + 1, end + 3)
    fixed.writeUInt16BE(1, 4)
    fixed.writeUInt16BE(data.length, 10)
    return Buffer.concat([fixed, data])
  })
  return Buffer.concat([header, query.subarray(12, end + 5), ...answers])
}

/** The data of a TXT record. */
export function txtRecord(strings: readonly string[]): Buffer {
  return Buffer.concat(strings.map((text) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])))
}

/** The data of an A or AAAA record. */
export function addressRecord(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number))
  // `URL` writes every form of an address in one way, without dotted parts.
  const [head, tail = ''] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const left = groups(head)
  const right = groups(tail)
  const all = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

/** TXT records, from a name server of the test over UDP. */
import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { after, before, describe, test } from 'node:test'
import { DnsError, networkTxt } from '../../../server/gateways/dns/txt.js'

const [NO_ERROR, SERVER_FAILURE, NAME_ERROR] = [0, 2, 3]
const TXT = 16

/** The answer to a query, with TXT records of these strings. */
function answerTo(query: Buffer, code: number, records: readonly (readonly string[])[]): Buffer {
  // The question ends after the name, its type and its class.
  let end = 12
  while (query[end] !== 0) end += query[end] + 1
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(records.length, 6)
  header.writeUInt16BE(0, 8)
  header.writeUInt16BE(0, 10)
  const answers = records.map((strings) => {
    const data = Buffer.concat(strings.map((text) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])))
    const fixed = Buffer.alloc(12)
    fixed.writeUInt16BE(0xc00c, 0)
    fixed.writeUInt16BE(TXT, 2)
    fixed.writeUInt16BE(1, 4)
    fixed.writeUInt16BE(data.length, 10)
    return Buffer.concat([fixed, data])
  })
  return Buffer.concat([header, query.subarray(12, end + 5), ...answers])
}

describe('TXT records', () => {
  let socket: Socket
  let answer: (query: Buffer) => Buffer | null = () => null
  let read = networkTxt()

  before(async () => {
    socket = createSocket('udp4')
    socket.on('message', (query, { port, address }) => {
      const sent = answer(query)
      if (sent !== null) socket.send(sent, port, address)
    })
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
    read = networkTxt([`127.0.0.1:${socket.address().port}`])
  })
  after(() => socket.close())

  test('are read as whole texts', async () => {
    answer = (query) => answerTo(query, NO_ERROR, [['v=spf1 -all'], ['detection-', 'content']])
    assert.deepEqual([...(await read('example.com'))].sort(), ['detection-content', 'v=spf1 -all'])
  })

  test('are empty for a name without records, and for no name', async () => {
    answer = (query) => answerTo(query, NO_ERROR, [])
    assert.deepEqual(await read('example.com'), [])
    answer = (query) => answerTo(query, NAME_ERROR, [])
    assert.deepEqual(await read('nowhere.example'), [])
  })

  test('are unknown when the name server fails, answers nonsense or does not answer', async () => {
    answer = (query) => answerTo(query, SERVER_FAILURE, [])
    await assert.rejects(read('example.com'), DnsError)
    answer = (query) => Buffer.concat([answerTo(query, NO_ERROR, []).subarray(0, 12), Buffer.from('nonsense')])
    await assert.rejects(read('example.com'), DnsError)
    answer = () => null
    await assert.rejects(read('example.com'), DnsError)
  })
})

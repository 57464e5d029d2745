/** TXT records, from a name server of the test over UDP. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DnsError, networkTxt } from '../../../../server/features/accounts/dns/txt.js'
import { answerTo, NAME_ERROR, NO_ERROR, type NameServer, SERVER_FAILURE, startNameServer, txtRecord } from '../../../support/name-server.js'

describe('TXT records', () => {
  let server: NameServer
  let answer: (query: Buffer) => Buffer | null = () => null
  let read = networkTxt()

  before(async () => {
    server = await startNameServer((query) => answer(query))
    read = networkTxt([server.address])
  })
  after(() => server.close())

  test('are read as whole texts', async () => {
    answer = (query) => answerTo(query, NO_ERROR, [['v=spf1 -all'], ['detection-', 'content']].map(txtRecord))
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

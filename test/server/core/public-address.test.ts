import assert from 'node:assert/strict'
import test from 'node:test'
import { PublicAddress } from '../../../server/core/public-address.js'

const SETTINGS = { host: '127.0.0.1', port: 8080, publicBaseUrl: null, apiPublicBaseUrl: null }

test('what the operator has set comes first', () => {
  const { pages, own, api, isSet } = new PublicAddress({ ...SETTINGS, publicBaseUrl: 'https://soc.example', apiPublicBaseUrl: 'https://api.soc.example/x/api/v1' })
  assert.deepEqual([pages, own, api, isSet], ['https://soc.example', 'https://api.soc.example/x', 'https://api.soc.example/x/api/v1', true])
  const people = new PublicAddress({ ...SETTINGS, publicBaseUrl: 'https://soc.example/content' })
  assert.deepEqual([people.pages, people.own, people.api], ['https://soc.example/content', 'https://soc.example/content', 'https://soc.example/content/api/v1'])
  const programs = new PublicAddress({ ...SETTINGS, apiPublicBaseUrl: 'https://soc.example/content/api/v1' })
  assert.deepEqual([programs.pages, programs.own], ['https://soc.example/content', 'https://soc.example/content'])
  // Where a proxy gives the interface another path, that says nothing of the pages'.
  assert.equal(new PublicAddress({ ...SETTINGS, apiPublicBaseUrl: 'https://soc.example/v1' }).own, 'https://soc.example')
})

test('else it is where the service listens', () => {
  const address = new PublicAddress({ ...SETTINGS, port: 0 })
  address.listensAt('http://127.0.0.1:41234')
  assert.deepEqual([address.pages, address.api, address.isSet], ['http://127.0.0.1:41234', 'http://127.0.0.1:41234/api/v1', false])
  for (const url of ['http://0.0.0.0:8080', 'http://[::]:8080']) {
    address.listensAt(url)
    assert.equal(address.pages, 'http://localhost:8080')
  }
  assert.equal(new PublicAddress({ ...SETTINGS, host: '::1' }).pages, 'http://[::1]:8080')
})

/** What is refused as a target, in every way to write it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isPublicAddress } from '../../../../server/core/egress/addresses.js'
import { EgressGuard, TargetRefusedError } from '../../../../server/core/egress/egress-guard.js'
import { NameError, networkResolve, systemResolve } from '../../../../server/core/egress/resolve.js'

const REFUSED: readonly (readonly [what: string, addresses: readonly string[]])[] = [
  ['unspecified', ['0.0.0.0', '0.1.2.3', '::']],
  ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
  ['private', ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255']],
  ['unique local', ['fc00::1', 'fd12:3456:789a::1', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff']],
  ['link-local', ['169.254.0.1', 'fe80::1', 'febf::1', 'fe80::1%eth0', 'fec0::1']],
  ['metadata of clouds', ['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::254']],
  ['carrier-grade NAT', ['100.64.0.1', '100.127.255.255']],
  ['multicast and broadcast', ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1', 'ff0e::1']],
  ['reserved and documentation', ['240.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1', '100::1', '5f00::1']],
  ['mapped IPv4', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254', '::FFFF:192.168.1.1', '0:0:0:0:0:ffff:a00:1']],
  ['compatible IPv4', ['::127.0.0.1', '::8.8.8.8', '::7f00:1']],
  ['NAT64', ['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b::169.254.169.254', '64:ff9b:1::8.8.8.8']],
  ['6to4', ['2002:7f00:1::', '2002:a00:1::1', '2002:c0a8:101::1', '2002:a9fe:a9fe::']],
  ['Teredo', ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2']],
  ['no address', ['', 'localhost', '1.2.3', '1.2.3.4.5', '01.2.3.4', 'g::1', '1.2.3.4/8']],
]

const PUBLIC = ['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.1', '172.15.255.255', '172.32.0.0'].concat([
  '192.167.255.255',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450:4001:80b::200e',
  '2001:4860:4860::8888',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2002:808:808::1',
])

/** A guard whose names lead where the test says. */
const guardOf = (names: Readonly<Record<string, readonly string[]>>, allowPrivateTargets = false): EgressGuard =>
  new EgressGuard({
    allowPrivateTargets,
    async resolve(name) {
      const found = names[name]
      if (found === undefined) throw new NameError('nothing')
      return found
    },
  })

describe('addresses', () => {
  for (const [what, addresses] of REFUSED) {
    test(`that are not public: ${what}`, () => {
      for (const address of addresses) assert.equal(isPublicAddress(address), false, address)
    })
  }

  test('that are public, up to the edges of what is not', () => {
    for (const address of PUBLIC) assert.equal(isPublicAddress(address), true, address)
  })
})

describe('the egress guard', () => {
  test('refuses an address however it is written', async () => {
    const urls = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '0177.0.0.1',
      '127.0.0.1.',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '①②⑦.0.0.1',
    ]
    for (const host of urls) await assert.rejects(guardOf({}).check(new URL(`http://${host}:8080/hook`)), TargetRefusedError, host)
    for (const host of ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost'])
      await assert.rejects(new EgressGuard({ allowPrivateTargets: false, resolve: networkResolve() }).check(new URL(`https://${host}/`)), TargetRefusedError, host)
  })

  test('refuses a name of which one address is not public', async () => {
    const guard = guardOf({
      inside: ['10.0.0.1'],
      both: ['8.8.8.8', '127.0.0.1'],
      many: [...Array.from({ length: 20 }, () => '8.8.8.8'), '::1'],
      outside: ['8.8.8.8', '2606:4700::1111'],
    })
    for (const name of ['inside', 'both', 'many']) await assert.rejects(guard.check(new URL(`https://${name}/`)), TargetRefusedError, name)
    await guard.check(new URL('https://outside/'))
    assert.deepEqual(await guard.addressesOf(new URL('https://outside/')), [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ])
  })

  test('lets a name pass that has no address yet, and finds none when something is to be sent', async () => {
    const guard = guardOf({})
    await guard.check(new URL('https://not-there-yet/'))
    await assert.rejects(guard.addressesOf(new URL('https://not-there-yet/')), NameError)
  })

  test('does not wait long for a name', async () => {
    const guard = new EgressGuard({ allowPrivateTargets: false, resolve: () => new Promise(() => undefined) })
    await guard.check(new URL('https://slow/'))
  })

  test('is lifted by the operator', async () => {
    const guard = guardOf({ inside: ['10.0.0.1'] }, true)
    for (const host of ['127.0.0.1', '[::1]', 'inside']) await guard.check(new URL(`http://${host}/`))
    assert.deepEqual(await guard.addressesOf(new URL('http://[::1]:80/')), [{ address: '::1', family: 6 }])
  })

  test('asks the system for names where private targets are allowed', async () => {
    const addresses = await systemResolve()('localhost')
    assert.ok(addresses.includes('127.0.0.1') || addresses.includes('::1'))
    await assert.rejects(systemResolve()('nothing.invalid'), NameError)
    await assert.rejects(networkResolve()('nothing.invalid'), NameError)
  })
})

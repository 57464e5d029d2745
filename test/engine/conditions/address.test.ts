/** Addresses of `<srcip>` and `<dstip>` (BEHAVIOUR.md#addresses). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inAddressList, parseAddressEntry } from '../../../engine/conditions/address.js'

const ACCEPTED = [
  'any',
  '192.0.2.1',
  '0.0.0.0',
  '255.255.255.255/32',
  '10.0.0.0/0',
  '10.0.0.0/255.0.0.0',
  '::ffff:192.0.2.1',
  '::FFFF:192.0.2.0/24',
  '2001:db8::1',
  '2001:DB8::/32',
  '1:2:3:4:5:6:7:8/128',
  '::1/0',
  '::',
  '!192.0.2.1',
  '!any',
]
const REFUSED = [
  '',
  'Any',
  ' 192.0.2.1',
  '192.0.2.1 ',
  '192.0.2',
  '192.0.2.256',
  '192.0.2.01',
  '192.0.2.1/33',
  '192.0.2.1/',
  '192.0.2.1/255.0.0',
  '192.0.2.1-192.0.2.9',
  '192.0.2.1,192.0.2.2',
  '::/64',
  '2001:db8::1/129',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '12345::',
  'fe80::1%eth0',
  '::192.0.2.1',
  '::ffff:192.0.2.256',
  '!!192.0.2.1',
  'localhost',
]

for (const text of ACCEPTED) test(`${text} is accepted`, () => assert.notEqual(parseAddressEntry(text), null))
for (const text of REFUSED) test(`${JSON.stringify(text)} is refused`, () => assert.equal(parseAddressEntry(text), null))

function isIn(value: string, ...entries: string[]): boolean {
  return inAddressList(
    value,
    entries.map((entry) => {
      const parsed = parseAddressEntry(entry)
      assert.ok(parsed !== null)
      return parsed
    }),
  )
}

const LOOKUPS: readonly (readonly [value: string, entry: string, expected: boolean])[] = [
  ['192.0.2.1', '192.0.2.1', true],
  ['192.0.2.2', '192.0.2.1', false],
  ['192.0.2.200', '192.0.2.129/25', true],
  ['192.0.2.100', '192.0.2.129/25', false],
  ['250.1.2.3', '128.0.0.0/1', true],
  ['8.8.8.8', '1.2.3.4/0', true],
  ['10.9.8.7', '10.1.1.1/255.0.0.0', true],
  ['10.9.8.7', '10.9.0.0/255.0.255.0', false],
  ['192.0.2.1', '::ffff:192.0.2.0/24', true],
  ['2001:db8::5', '2001:0db8:0:0::/64', true],
  ['2001:db9::5', '2001:db8::/32', false],
  ['2001:dff::5', '2001:d00::/24', true],
  ['2001:e00::5', '2001:d00::/24', false],
  ['2001:DB8::a', '2001:db8::A', true],
  // a value that is not an address is in no list
  ['localhost', 'any', false],
  ['192.0.2.1 ', 'any', false],
  ['', 'any', false],
  ['192.0.2.1', 'any', true],
  ['::1', 'any', true],
  // quirk: a leading ! is ignored
  ['10.1.2.3', '!10.0.0.0/8', true],
  ['11.1.2.3', '!10.0.0.0/8', false],
  // quirk: the bytes of an IPv6 entry are read as an IPv4 address and its mask
  ['192.0.2.1', '::1', true],
  ['192.0.2.1', '2001:db8::/32', false],
  ['10.9.8.7', 'a00:0:ff00::', true],
  ['11.9.8.7', 'a00:0:ff00::', false],
  // an IPv6 value is in no IPv4 entry
  ['2001:db8::1', '0.0.0.0/0', false],
  // a value that ends in an IPv4 address is IPv6 only
  ['::ffff:192.0.2.1', '192.0.2.1', false],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1', false],
  ['::FFFF:192.0.2.1', 'any', true],
  ['::192.0.2.1', 'any', true],
  ['::192.0.2.1', '::c000:201', true],
  ['64:ff9b::192.0.2.33', '64:ff9b::/96', true],
  ['64:ff9b::192.0.2.33', '64:ff9b::c000:200/120', true],
  ['64:ff9b::192.0.2.33', '64:ff9b::c000:300/120', false],
  ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4:5:6:c000:201', true],
  ['1:2:3:4:5:6:7:192.0.2.1', 'any', false],
  ['1:2:3:4:5:192.0.2.1', 'any', false],
  ['::192.0.2.256', 'any', false],
  ['::192.0.2.01', 'any', false],
  ['::192.0.2', 'any', false],
  ['::192.0.2.1:1', 'any', false],
  ['192.0.2.1::', 'any', false],
  ['::ffff:192.0.2.1%1', 'any', false],
]

for (const [value, entry, expected] of LOOKUPS) {
  test(`${JSON.stringify(value)} is ${expected ? '' : 'not '}in ${entry}`, () => assert.equal(isIn(value, entry), expected))
}

test('several entries are alternatives, and no entries match nothing', () => {
  assert.equal(isIn('192.0.2.2', '192.0.2.1', '192.0.2.2'), true)
  assert.equal(isIn('192.0.2.3', '192.0.2.1', '192.0.2.2'), false)
  assert.equal(isIn('192.0.2.3'), false)
})

/** Stripe's signature scheme, against a signature that is computed here from Stripe's documentation, and what it refuses. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import test from 'node:test'
import { ApiError } from '../../../../../server/core/errors.js'
import { checkSignature, EVENT_BYTES, signatureOf } from '../../../../../server/features/billing/gateways/signature.js'

const SECRET = 'whsec_test_of_the_endpoint'
const BODY = Buffer.from('{\n  "id": "evt_1", "text": "ação"\n}')
const NOW = 1_763_900_000_000
const SECONDS = NOW / 1000
const v1 = (body: Buffer, seconds: number, secret: string): string =>
  createHmac('sha256', secret)
    .update(Buffer.concat([Buffer.from(`${seconds}.`), body]))
    .digest('hex')
const GOOD = v1(BODY, SECONDS, SECRET)
const refused = (header: string | undefined, { body = BODY, now = NOW } = {}): void =>
  assert.throws(
    () => checkSignature(body, header, SECRET, now),
    (error) => error instanceof ApiError && error.reason === 'billing_signature_invalid' && error.status === 400 && !String(error.stack).includes(SECRET),
    header?.slice(0, 200),
  )

test('the signature that Stripe documents is accepted, and is the one that the mock writes', () => {
  checkSignature(BODY, `t=${SECONDS},v1=${GOOD}`, SECRET, NOW)
  assert.equal(signatureOf(BODY, SECRET, NOW), `t=${SECONDS},v1=${GOOD}`)
  checkSignature(BODY, `t=${SECONDS}, v1=${GOOD}, v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39`, SECRET, NOW)
})

test('while a secret is being rolled, one of several signatures is enough, wherever it is', () => {
  const other = v1(BODY, SECONDS, 'whsec_the_former')
  checkSignature(BODY, `t=${SECONDS},v1=${other},v1=${GOOD}`, SECRET, NOW)
  checkSignature(BODY, `t=${SECONDS},v1=${GOOD},v1=${other}`, SECRET, NOW)
  refused(`t=${SECONDS},v1=${other},v1=${other}`)
})

test('a signature is valid for five minutes in both directions', () => {
  for (const ago of [-300, -1, 299, 300]) checkSignature(BODY, `t=${SECONDS},v1=${GOOD}`, SECRET, NOW + ago * 1000)
  for (const ago of [-301, 301, 86_400]) refused(`t=${SECONDS},v1=${GOOD}`, { now: NOW + ago * 1000 })
})

test('everything else is refused', () => {
  const changed = Buffer.from(BODY.toString().replace('evt_1', 'evt_2'))
  refused(`t=${SECONDS},v1=${GOOD}`, { body: changed })
  refused(`t=${SECONDS},v1=${GOOD}`, { body: Buffer.from(BODY.toString().trimEnd() + '\n') })
  refused(`t=${SECONDS + 1},v1=${GOOD}`)
  refused(undefined)
  for (const header of [
    '',
    't=,v1=',
    GOOD,
    `v1=${GOOD}`,
    `t=${SECONDS}`,
    `t=${SECONDS},v0=${GOOD}`,
    `t=${SECONDS},v1=${GOOD.slice(1)}`,
    `t=${SECONDS},v1=${GOOD}00`,
    `t=${SECONDS},v1=${GOOD.toUpperCase()}`,
    `t=1e9,v1=${GOOD}`,
    `t=-${SECONDS},v1=${GOOD}`,
    `t=NaN,v1=${GOOD}`,
    `t=${SECONDS},v1=${'z'.repeat(64)}`,
    `t=${SECONDS},v1=${'0'.repeat(64)}`,
    // A right one behind more signatures than are compared, and in a header that is too long.
    `t=${SECONDS},${`v1=${'0'.repeat(64)},`.repeat(16)}v1=${GOOD}`,
    `t=${SECONDS},v1=${GOOD},x=${'x'.repeat(4000)}`,
  ])
    refused(header)
})

test('a body over the limit is refused, although it is signed', () => {
  const large = Buffer.alloc(EVENT_BYTES + 1, ' ')
  refused(`t=${SECONDS},v1=${v1(large, SECONDS, SECRET)}`, { body: large })
  const largest = large.subarray(1)
  checkSignature(largest, `t=${SECONDS},v1=${v1(largest, SECONDS, SECRET)}`, SECRET, NOW)
})

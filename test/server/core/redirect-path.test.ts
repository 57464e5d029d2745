/** Where a browser may go after a login. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { isRedirectPath, REDIRECT_PATH_CHARACTERS, redirectUrl } from '../../../server/core/redirect-path.js'

const ALLOWED = [
  '/',
  '/projects',
  '/projects/1?tab=cases&next=%2Fhome#top',
  '/a//b',
  '/search?q=http://other.example/',
  '/%7Euser',
  '/a%C3%A7%C3%A3o',
  '/50%2525',
  '/a%2Fb',
  '/@host',
  '/a:b@c',
]
const REFUSED = [
  '',
  'projects',
  './projects',
  '?a=b',
  'https://evil.example/',
  'javascript:alert(1)',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/a\\b',
  '/%2fevil.example',
  '/%2Fevil.example',
  '/%5cevil.example',
  '/%252fevil.example',
  '/%25255Cevil.example',
  '/./%2fevil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  '/%2e%2f/evil.example',
  '/%2e//evil.example',
  ' /projects',
  '/pro jects',
  '/projects\n',
  '/\t/evil.example',
  '/\u0000',
  '/%0d%0aSet-Cookie:a=b',
  '/%09/evil.example',
  '/%2509/evil.example',
  '/%7f',
  '/a%5cb',
  '/%zz',
  '/%c3',
  `/%${'25'.repeat(9)}2fevil.example`,
  '/ação',
  '/\u2028',
  `/${'a'.repeat(REDIRECT_PATH_CHARACTERS)}`,
]

test('an absolute path on the own origin is allowed', () => {
  for (const path of [...ALLOWED, `/${'a'.repeat(REDIRECT_PATH_CHARACTERS - 1)}`]) {
    assert.ok(isRedirectPath(path), path)
    for (const base of ['https://content.example', 'https://content.example:8443/app']) assert.ok(redirectUrl(base, path).startsWith(base), path)
  }
})

test('what a browser or a proxy could read as another origin is refused', () => {
  for (const path of REFUSED) assert.ok(!isRedirectPath(path), path)
})

test('an address that leaves the origin is never made', () => {
  for (const path of ['.evil.example/', '@evil.example/', ':1/']) assert.throws(() => redirectUrl('https://content.example', path), TypeError, path)
})

import assert from 'node:assert/strict'
import test from 'node:test'
import { slugOf } from '../../../../server/core/auth/organizations.js'

test('a slug has lower-case letters, digits and hyphens, whatever the name', () => {
  assert.equal(slugOf('Acme Security, Inc.'), 'acme-security-inc')
  assert.equal(slugOf('  Segurança & Detecção  '), 'seguranca-deteccao')
  assert.equal(slugOf('北京'), 'organization')
  assert.equal(slugOf('---'), 'organization')
  assert.match(slugOf(`${'x'.repeat(47)} y`), /^x{47}$/)
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { call } from './call.js'

describe('schema', () => {
  it('prints all tags as JSON', async () => {
    const { code, stdout } = await call(['schema'])
    assert.equal(code, 0)
    const { rules, decoders } = JSON.parse(stdout)
    assert.ok(rules.elements.some(({ name }: { name: string }) => name === 'if_sid'))
    assert.ok(decoders.elements.some(({ name }: { name: string }) => name === 'prematch'))
  })

  it('prints the reference of codes in both languages', async () => {
    assert.match((await call(['schema', '--diagnostics'])).stdout, /^# Diagnostics\n/)
    assert.match((await call(['schema', '--diagnostics', '--locale', 'pt-BR'])).stdout, /^# Diagnósticos\n/)
  })
})
